// Which keys of named data the delegates of a program ask for, as far as their decoders can tell.
#ifndef PTEEDIT_SRC_DELEGATES_LISTED_KEYS_H_
#define PTEEDIT_SRC_DELEGATES_LISTED_KEYS_H_

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "delegates/decoder.h"
#include "program/file_set.h"
#include "pteedit/container.h"
#include "pteedit/result.h"

namespace pteedit {

struct ListedKeys {
  std::map<std::string, std::string, std::less<>> by_key;  // with the name of the first delegate that asks for it
  std::set<std::string, std::less<>> hashes;  // those of sound graphs whose keys may be the SHA-256 of their bytes
  std::string unlisted;                       // the first delegate whose keys are not all known; empty where all are
};

// Of the delegates that are `wanted`, [plan][delegate], or of all where that is null. A blob that several delegates
// share is decoded once. Fails with kIo where a file can no longer be read.
Result<ListedKeys> ListKeysOfDelegates(const ProgramSet& set, const std::vector<std::vector<bool>>* wanted = nullptr);

// Those of `keys` that the delegates ask for: what decoders list and, where some delegate's keys are not all known,
// what any mentions. By chance a name may stand in a blob that its decoder knows not to ask for it.
struct AskedKeys {
  std::set<std::string_view> keys, hashes;  // look into the argument
  std::string unlisted;                     // as above: that delegate may ask for more, unseen
};
Result<AskedKeys> FindAskedKeys(const ProgramSet& set, const std::vector<std::string_view>& keys);

// Whether a delegate whose keys are not all known may ask for an entry of a data file by a key that it puts together:
// not for a tensor, and not for what a hash names, which has to be written out.
bool MayBeReadUnseen(const NamedEntry& entry);

// Of the keys of the data files, or of those that `only` names, which come along for delegates when the program is
// joined: what they ask for and, where one's keys are not all known, what it may ask for unseen. `index` is theirs.
Result<AskedKeys> FindKeysToJoin(const ProgramSet& set, const std::set<std::string_view>* only = nullptr);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_DELEGATES_LISTED_KEYS_H_
