// The second step of a merge: which bytes go into the shared file and which into a set's own, under which keys. It
// looks at contents, layouts and keys alone, so that the order of the sets changes nothing.
#ifndef PTEEDIT_SRC_MERGE_CHOICE_H_
#define PTEEDIT_SRC_MERGE_CHOICE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "merge_inventory.h"
#include "pteedit/merge.h"
#include "pteedit/result.h"

namespace pteedit {

enum class Target {
  kProgram,  // stays in the program, or comes into it
  kShared,
  kOwn,  // the set's own data file
};

struct Destination {
  Target target = Target::kProgram;
  std::string key;        // in the data file
  std::string reason;     // kProgram: why
  bool conflict = false;  // its key means several things, or must stay
};

struct MergeChoice {
  std::vector<Destination> destinations;  // by claim
  bool moves_out = false;                 // whether anything leaves a program
};

// What is smaller than `least_bytes` leaves no program; data that is in a data file already may stay in one.
Result<MergeChoice> ChooseForMerge(const Inventory& inventory, const MergeOptions& options, uint64_t least_bytes);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_MERGE_CHOICE_H_
