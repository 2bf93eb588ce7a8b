// --by-type and --by-operator: where the time of a dump went, and which bytes of the program it went to.
#ifndef PTEEDIT_TOOLS_PTEPROF_COSTS_H_
#define PTEEDIT_TOOLS_PTEPROF_COSTS_H_

#include <string>
#include <vector>

#include "json.h"
#include "pteedit/profile/operator_costs.h"
#include "text/style.h"

namespace pteedit::cli {

// One table each, whose blocks end with a row of all. Times are in `scale`.
std::string TypeCostsText(const std::vector<BlockCosts>& blocks, TimeScale scale, const Style& style);
std::string OperatorCostsText(const std::vector<BlockCosts>& blocks, TimeScale scale, const Style& style);

Json TypeCostsJson(const std::vector<BlockCosts>& blocks, TimeScale scale);
Json OperatorCostsJson(const std::vector<BlockCosts>& blocks, TimeScale scale);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_PTEPROF_COSTS_H_
