// --folded: where the time of a dump went, as stacks for flame graphs.
#ifndef PTEEDIT_TOOLS_PTEPROF_FOLDED_H_
#define PTEEDIT_TOOLS_PTEPROF_FOLDED_H_

#include <string>
#include <vector>

#include "pteedit/profile/operator_costs.h"

namespace pteedit::cli {

// A line for each stack: frames, outermost first, with ";" between them, a space, and what the innermost took itself,
// the median of all runs in whole nanoseconds, or cycles. Frames are the block, with a record the levels of the
// module's path, the operator and, in a delegate, what it logged. Stacks of 0 are left out. `scale` is that of the
// costs.
std::string FoldedText(const std::vector<BlockCosts>& blocks, TimeScale scale);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_PTEPROF_FOLDED_H_
