// Which keys surely nobody reads: of a program's named data, or of a data file that these programs are loaded with.
#ifndef PTEEDIT_SRC_STRIP_UNUSED_KEYS_H_
#define PTEEDIT_SRC_STRIP_UNUSED_KEYS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "pteedit/container.h"
#include "pteedit/result.h"

namespace pteedit {

struct UnusedKey {
  size_t entry = 0;       // index into Container::named_data()
  std::string why_stays;  // empty where it may go
};

// The keys that no external tensor names, no delegate mentions and no decoder lists. Only delegates [plan][delegate]
// and tensors [plan][value] that are `wanted` count. One of them may go where every such delegate is of a backend whose
// decoder lists all keys, and the key says nothing but its content, as 64 hex digits, "scale_" and 64 hex digits, or a
// key that a split made.
struct WantedParts {
  std::vector<std::vector<bool>> delegates, values;
};
Result<std::vector<UnusedKey>> FindUnusedKeys(const Container& program, const WantedParts& wanted);

// Of a data file: the keys that no external tensor of the programs names, no delegate of theirs mentions and no decoder
// lists. One stays where a delegate may read it unseen, or where a program is bound to the file: that is to all keys.
Result<std::vector<UnusedKey>> FindUnusedKeys(const Container& data, const std::vector<Container>& programs);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_STRIP_UNUSED_KEYS_H_
