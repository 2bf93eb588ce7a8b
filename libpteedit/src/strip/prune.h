// Taking out of a program what nothing refers to.
#ifndef PTEEDIT_SRC_STRIP_PRUNE_H_
#define PTEEDIT_SRC_STRIP_PRUNE_H_

#include <vector>

#include "edit/model.h"
#include "pteedit/container.h"
#include "pteedit/result.h"
#include "pteedit/rewrite_report.h"

namespace pteedit {

// Removes, in this order, so that each step sees what the last one left over:
//   values that no input, output, chain, instruction or list names; operators and delegates that no instruction calls;
//   inline blobs of no delegate; keys that surely nobody reads; segments of nobody; buffers and inline constants that
//   no tensor reads.
// Stays, though nothing in the program names it: an external value whose key begins with "pteedit.base/", which binds
// the program to its base; state with a name, which the app can reach by it; initial state that has its place in
// planned memory in common with another method's; placeholders.
// A buffer that no tensor reads stays if a segment that layout with `min_alignment` leaves there lies inside it.
// The model must be as it was read, but for stack traces. Adds what went, and every key that nobody mentions but
// stays, to the report.
Status Prune(ProgramModel& model, uint64_t min_alignment, RewriteReport& report);

// Segments of a data file that no key has.
void Prune(DataModel& model, RewriteReport& report);

// Keys of a data file that none of the programs uses; before their segments. Adds what went, and what
// stays though no program is seen to use it, to the report. Fails with kInvalidArgument where nothing would be left.
Status PruneKeysFor(const std::vector<Container>& programs, DataModel& model, RewriteReport& report);

// Drops stack traces.
void PruneStackTraces(ProgramModel& model, RewriteReport& report);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_STRIP_PRUNE_H_
