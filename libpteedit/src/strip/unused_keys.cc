#include "strip/unused_keys.h"

#include <set>
#include <string_view>

#include "base/text.h"
#include "delegates/listed_keys.h"
#include "program/container_state.h"
#include "program/content_key.h"
#include "program/file_set.h"
#include "program/key_search.h"
#include "program/layout.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

bool SaysOnlyItsContent(std::string_view key) { return IsContentKey(key) || IsSha256Key(key); }

class KeyUses {
 public:
  KeyUses(const Container& program, const WantedParts& wanted) : program_(program), wanted_(wanted) {}

  Result<std::vector<UnusedKey>> FindUnused() {
    CollectExternalKeys();
    PTEEDIT_TRY(CollectMentions());
    PTEEDIT_TRY(Decode());
    std::vector<UnusedKey> unused;
    const std::vector<NamedEntry>& entries = program_.named_data();
    for (size_t i = 0; i < entries.size(); ++i) {
      if (used_.count(entries[i].key) == 0) unused.push_back({i, WhyStays(entries[i].key)});
    }
    return unused;
  }

 private:
  std::string WhyStays(std::string_view key) const {
    if (!listed_.unlisted.empty()) {
      return Text("nobody mentions it, but delegate ", Quoted(listed_.unlisted), " may read keys unseen");
    }
    if (!SaysOnlyItsContent(key)) return "nobody mentions it, but the app may read it by its name";
    return {};
  }

  void CollectExternalKeys() {
    const schema::Program& root = program_.state().program_root();
    ForEachTensor(root, [&](size_t method, size_t value, const schema::Tensor& tensor) {
      if (wanted_.values[method][value] && StoreOf(root, tensor) == Store::kExternal)
        used_.insert(ViewOf(tensor.extra_tensor_info()->fully_qualified_name()));
    });
  }

  Status CollectMentions() {
    std::vector<std::string_view> keys;
    for (const NamedEntry& entry : program_.named_data()) keys.push_back(entry.key);
    PTEEDIT_ASSIGN(const auto mentioned, KeysOfDelegates(program_, keys));
    for (size_t plan = 0; plan < mentioned.size(); ++plan) {
      for (size_t i = 0; i < mentioned[plan].size(); ++i) {
        if (!wanted_.delegates[plan][i]) continue;
        for (const size_t key : mentioned[plan][i]) used_.insert(keys[key]);
      }
    }
    return {};
  }

  // Keys may be put together from parts, so that the search does not see them, but not where a decoder lists them all.
  Status Decode() {
    PTEEDIT_ASSIGN(listed_, ListKeysOfDelegates(program_, &wanted_.delegates));
    for (const auto& [key, delegate] : listed_.by_key) used_.insert(key);
    return {};
  }

  const Container& program_;
  const WantedParts& wanted_;
  std::set<std::string_view> used_;
  ListedKeys listed_;
};

}  // namespace

Result<std::vector<UnusedKey>> FindUnusedKeys(const Container& program, const WantedParts& wanted) {
  return KeyUses(program, wanted).FindUnused();
}

}  // namespace pteedit
