#include "strip/unused_keys.h"

#include <set>
#include <string_view>

#include "base/text.h"
#include "delegates/listed_keys.h"
#include "program/binding_key.h"
#include "program/container_state.h"
#include "program/content_key.h"
#include "program/file_set.h"
#include "program/key_search.h"
#include "program/layout.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

bool SaysOnlyItsContent(std::string_view key) { return IsContentKey(key) || IsSha256Key(key); }

// Those of `keys` that a program uses; its tensors and delegates count where `wanted` is null or says so.
class KeyUses {
 public:
  KeyUses(const Container& program, const std::vector<std::string_view>& keys, const WantedParts* wanted)
      : program_(program), keys_(keys), wanted_(wanted) {}

  Status Collect() {
    CollectExternalKeys();
    PTEEDIT_TRY(CollectMentions());
    return Decode();
  }
  bool Has(std::string_view key) const { return used_.count(key) != 0; }
  // The first delegate that may read keys unseen; empty where none does.
  const std::string& unlisted() const { return listed_.unlisted; }

 private:
  void CollectExternalKeys() {
    const schema::Program& root = program_.state().program_root();
    ForEachTensor(root, [&](size_t method, size_t value, const schema::Tensor& tensor) {
      const bool counts = wanted_ == nullptr || wanted_->values[method][value];
      if (counts && StoreOf(root, tensor) == Store::kExternal)
        used_.insert(ViewOf(tensor.extra_tensor_info()->fully_qualified_name()));
    });
  }

  Status CollectMentions() {
    PTEEDIT_ASSIGN(const auto mentioned, KeysOfDelegates(program_, keys_));
    for (size_t plan = 0; plan < mentioned.size(); ++plan) {
      for (size_t i = 0; i < mentioned[plan].size(); ++i) {
        if (wanted_ != nullptr && !wanted_->delegates[plan][i]) continue;
        for (const size_t key : mentioned[plan][i]) used_.insert(keys_[key]);
      }
    }
    return {};
  }

  // Keys may be put together from parts, so that the search does not see them, but not where a decoder lists them all.
  Status Decode() {
    PTEEDIT_ASSIGN(listed_, ListKeysOfDelegates(program_, wanted_ == nullptr ? nullptr : &wanted_->delegates));
    for (const auto& [key, delegate] : listed_.by_key) used_.insert(key);
    return {};
  }

  const Container& program_;
  const std::vector<std::string_view>& keys_;
  const WantedParts* wanted_;
  std::set<std::string_view> used_;
  ListedKeys listed_;
};

std::vector<std::string_view> KeysOf(const Container& file) {
  std::vector<std::string_view> keys;
  for (const NamedEntry& entry : file.named_data()) keys.push_back(entry.key);
  return keys;
}

std::string WhyStays(std::string_view key, const std::string& unlisted) {
  if (!unlisted.empty()) return Text("nobody mentions it, but delegate ", Quoted(unlisted), " may read keys unseen");
  if (!SaysOnlyItsContent(key)) return "nobody mentions it, but the app may read it by its name";
  return {};
}

}  // namespace

Result<std::vector<UnusedKey>> FindUnusedKeys(const Container& program, const WantedParts& wanted) {
  const std::vector<std::string_view> keys = KeysOf(program);
  KeyUses uses(program, keys, &wanted);
  PTEEDIT_TRY(uses.Collect());
  std::vector<UnusedKey> unused;
  for (size_t i = 0; i < keys.size(); ++i) {
    if (!uses.Has(keys[i])) unused.push_back({i, WhyStays(keys[i], uses.unlisted())});
  }
  return unused;
}

Result<std::vector<UnusedKey>> FindUnusedKeys(const Container& data, const std::vector<Container>& programs) {
  const std::vector<std::string_view> keys = KeysOf(data);
  std::vector<bool> is_used(keys.size());
  std::string reads_unseen, is_bound;  // why keys stay; empty where that is no reason
  for (const Container& file : programs) {
    const ProgramSet set(file);
    KeyUses uses(set.program(), keys, nullptr);
    PTEEDIT_TRY(uses.Collect());
    for (size_t i = 0; i < keys.size(); ++i) {
      if (!uses.Has(keys[i])) continue;
      is_used[i] = true;
      if (is_bound.empty() && IsBindingEntry(data.named_data()[i]))
        is_bound = Text(Quoted(file.name()), " is bound to the file with all its keys");
    }
    if (reads_unseen.empty() && !uses.unlisted().empty()) {
      reads_unseen = Text("no program mentions it, but delegate ", Quoted(uses.unlisted()), " of ", Quoted(file.name()),
                          " may read keys unseen");
    }
  }
  std::vector<UnusedKey> unused;
  for (size_t i = 0; i < keys.size(); ++i) {
    const std::string& unseen = MayBeReadUnseen(data.named_data()[i]) ? reads_unseen : std::string();
    if (!is_used[i]) unused.push_back({i, !is_bound.empty() ? is_bound : unseen});
  }
  return unused;
}

}  // namespace pteedit
