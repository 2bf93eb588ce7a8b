// The second step of a merge: which bytes go into the shared file and which into a set's own, under which keys. It
// looks at contents, layouts and keys alone, so that the order of the sets changes nothing.
#ifndef PTEEDIT_SRC_MERGE_MERGE_CHOICE_H_
#define PTEEDIT_SRC_MERGE_MERGE_CHOICE_H_

#include <vector>

#include "merge/merge_inventory.h"
#include "pteedit/merge.h"
#include "pteedit/result.h"
#include "pteedit/shared_text.h"

namespace pteedit {

enum class DestinationKind {
  kProgram,  // stays in the program, or comes into it
  kShared,
  kOwn,  // the set's own data file
  kBase,
};

struct Destination {
  DestinationKind target = DestinationKind::kProgram;
  SharedText key;                       // in the data file
  SharedOptional<TensorLayout> layout;  // of the entry there
  SharedText reason;                    // kProgram: why
  bool conflict = false;                // its key means several things, or must stay
};

struct MergeChoice {
  std::vector<Destination> destinations;  // by claim
};

// A content is shared where at least two sets let it go, or one of what the release before shared or what is told to be
// the foundation; where that is told, nothing else is new there. Each lets go by itself: what is in a data file
// already, and what is so large that sharing it pays for two sets. So a further set never takes anything out of the
// shared file, unless it uses one of the keys for something else.
Result<MergeChoice> ChooseForMerge(const Inventory& inventory, const MergeOptions& options);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_MERGE_MERGE_CHOICE_H_
