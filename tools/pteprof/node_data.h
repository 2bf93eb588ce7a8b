// Times of operators as Model Explorer's node data, for the graphs that pteinspect --graph --model-explorer makes of
// the program.
#ifndef PTEEDIT_TOOLS_PTEPROF_NODE_DATA_H_
#define PTEEDIT_TOOLS_PTEPROF_NODE_DATA_H_

#include <ostream>
#include <vector>

#include "pteedit/container.h"
#include "pteedit/profile/operator_costs.h"
#include "pteedit/result.h"

namespace pteedit::cli {

// By method and node, as these are called there: the median time of a run, in the target scale. Of several blocks that
// ran a method the first; of rows inside delegates those whose one node is known. Fails as DescribeGraphs.
Status PrintNodeData(const std::vector<BlockCosts>& blocks, const Container& program, std::ostream& out);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_PTEPROF_NODE_DATA_H_
