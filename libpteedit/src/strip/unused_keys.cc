#include "strip/unused_keys.h"

#include <set>
#include <string_view>
#include <utility>

#include "constants.h"
#include "container_state.h"
#include "content_key.h"
#include "delegates/decoder.h"
#include "file_set.h"
#include "key_search.h"
#include "text.h"
#include "try.h"

namespace pteedit {
namespace {

bool SaysOnlyItsContent(std::string_view key) { return IsContentKey(key) || IsSha256Key(key); }

class KeyUses {
 public:
  KeyUses(const Container& program, const WantedParts& wanted)
      : program_(program), wanted_(wanted), named_(program, {}) {}

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
    if (!unlisted_.empty()) return Text("nobody mentions it, but delegate ", unlisted_, " may read keys unseen");
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
    const schema::Program& root = program_.state().program_root();
    const auto names = DelegateNames(root);
    for (size_t plan = 0; plan < names.size(); ++plan) {
      const auto& delegates =
          OrEmpty(root.execution_plan()->Get(static_cast<flatbuffers::uoffset_t>(plan))->delegates());
      for (size_t i = 0; i < names[plan].size(); ++i) {
        if (!wanted_.delegates[plan][i]) continue;
        PTEEDIT_ASSIGN(const bool listed, ListKeysOf(*delegates.Get(static_cast<flatbuffers::uoffset_t>(i))));
        if (!listed && unlisted_.empty()) unlisted_ = Quoted(names[plan][i]);
      }
    }
    return {};
  }

  // Whether all keys of the delegate are known now.
  Result<bool> ListKeysOf(const schema::BackendDelegate& delegate) {
    const Decoder* decoder = FindDecoder(ViewOf(delegate.id()));
    if (decoder == nullptr || !decoder->lists_all_keys) return false;
    const BlobInput input = InputOf(program_, delegate, named_);
    // What an empty one asks for is up to its compile specs.
    if (input.blob.size != 0 && !decoded_.insert({decoder, input.blob.offset}).second) return true;
    Result<DecodedBlob> decoded = decoder->decode(input);
    if (!decoded) {
      if (decoded.error().code == ErrorCode::kUnsupported) return false;
      return std::move(decoded).error();
    }
    for (std::string& key : decoded->keys) used_.insert(*listed_.insert(std::move(key)).first);
    return decoded->problems.empty();
  }

  const Container& program_;
  const WantedParts& wanted_;
  NamedPlaces named_;
  std::set<std::string_view> used_;
  std::set<std::string> listed_;  // what used_ may look at
  std::set<std::pair<const Decoder*, uint64_t>> decoded_;
  std::string unlisted_;  // the first delegate whose keys are not all known, quoted
};

}  // namespace

Result<std::vector<UnusedKey>> FindUnusedKeys(const Container& program, const WantedParts& wanted) {
  return KeyUses(program, wanted).FindUnused();
}

}  // namespace pteedit
