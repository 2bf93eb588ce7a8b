#include "delegates/listed_keys.h"

#include <algorithm>
#include <set>
#include <utility>

#include "delegates/decode_once.h"
#include "program/constants.h"
#include "program/container_state.h"
#include "program/content_key.h"
#include "program/delegate_names.h"
#include "program/key_promises.h"
#include "program/key_search.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

class Lister {
 public:
  explicit Lister(const ProgramSet& set) : once_(set) {}

  Status Add(const schema::BackendDelegate& delegate, const std::string& name) {
    const Decoder* decoder = FindDecoder(ViewOf(delegate.id()));
    const bool all = decoder != nullptr && decoder->lists_all_keys;
    if (!all && list_.unlisted.empty()) list_.unlisted = name;
    if (decoder == nullptr) return {};
    PTEEDIT_ASSIGN(const Sha256Digest identity, once_.IdentityOf(delegate));
    if (!known_.insert(identity).second) return {};
    Result<DecodedBlob> decoded = once_.Decode(delegate);
    if (!decoded && decoded.error().code != ErrorCode::kUnsupported) return std::move(decoded).error();
    if ((!decoded || !decoded->problems.empty()) && list_.unlisted.empty()) list_.unlisted = name;
    if (!decoded) return {};
    const bool is_damaged = std::any_of(decoded->problems.begin(), decoded->problems.end(),
                                        [](const Finding& problem) { return problem.severity == Severity::kError; });
    if (!decoder->keys_hash_more && !is_damaged) list_.hashes.insert(decoded->keys.begin(), decoded->keys.end());
    for (std::string& key : decoded->keys) list_.by_key.try_emplace(std::move(key), name);
    return {};
  }

  ListedKeys Take() && { return std::move(list_); }

 private:
  DecodeOnce once_;
  std::set<Sha256Digest> known_;
  ListedKeys list_;
};

}  // namespace

Result<ListedKeys> ListKeysOfDelegates(const ProgramSet& set, const std::vector<std::vector<bool>>* wanted) {
  const schema::Program& root = set.program().state().program_root();
  const std::vector<DelegateNames> names = DelegateNamesIn(root);
  Lister lister(set);
  for (size_t plan = 0; plan < names.size(); ++plan) {
    const auto& delegates = OrEmpty(root.execution_plan()->Get(static_cast<flatbuffers::uoffset_t>(plan))->delegates());
    for (size_t i = 0; i < names[plan].size(); ++i) {
      if (wanted != nullptr && !(*wanted)[plan][i]) continue;
      PTEEDIT_TRY(lister.Add(*delegates.Get(static_cast<flatbuffers::uoffset_t>(i)), names[plan][i]));
    }
  }
  return std::move(lister).Take();
}

Result<AskedKeys> FindAskedKeys(const ProgramSet& set, const std::vector<std::string_view>& keys) {
  PTEEDIT_ASSIGN(ListedKeys listed, ListKeysOfDelegates(set));
  AskedKeys asked{{}, {}, std::move(listed.unlisted)};
  for (const std::string_view key : keys) {
    if (listed.by_key.contains(key)) asked.keys.insert(key);
    if (listed.hashes.contains(key)) asked.hashes.insert(key);
  }
  if (asked.unlisted.empty()) return asked;
  PTEEDIT_ASSIGN(const auto mentioned, KeysOfDelegates(set.program(), keys));
  for (const auto& method : mentioned) {
    for (const auto& delegate : method) {
      for (const size_t key : delegate) asked.keys.insert(keys[key]);
    }
  }
  return asked;
}

bool MayBeReadUnseen(const NamedEntry& entry) {
  return !entry.layout && !IsContentKey(entry.key) && !IsSha256Key(entry.key);
}

Result<AskedKeys> FindKeysToJoin(const ProgramSet& set, const std::set<std::string_view>* only) {
  std::vector<std::string_view> keys;
  for (const DataPlace& place : set.data_keys()) {
    if (only == nullptr || only->count(place.key()) != 0) keys.push_back(place.key());
  }
  PTEEDIT_ASSIGN(AskedKeys asked, FindAskedKeys(set, keys));
  for (const std::string_view key : keys) {
    if (!asked.unlisted.empty() && MayBeReadUnseen(*set.FindInData(key)->entry)) asked.keys.insert(key);
  }
  return asked;
}

}  // namespace pteedit
