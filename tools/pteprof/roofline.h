// What operators reach beside what a device can: multiply-accumulates and bytes a second, and which of both bounds
// them. The roofline model: pteedit/operator_work.h.
#ifndef PTEEDIT_TOOLS_PTEPROF_ROOFLINE_H_
#define PTEEDIT_TOOLS_PTEPROF_ROOFLINE_H_

#include <optional>
#include <string>

#include "pteedit/profile/operator_costs.h"
#include "pteedit/result.h"

namespace pteedit::cli {

// What the device can at most; nobody but the user knows it.
struct Peak {
  double gmacs = 0, gbytes = 0;  // a second, 1e9 each
};

// Of "50,20". Fails with kInvalidArgument where these are not two numbers above 0.
Result<Peak> ParsePeak(const std::string& text);

struct Roofline {
  // A second, while it ran; nothing where it took no time that was measured, or the work is not known.
  std::optional<double> gmacs, gbytes;
  std::optional<double> intensity;     // MACs for each byte
  const char* bound = "";              // "compute" or "memory"; empty where the intensity is not known
  std::optional<double> of_roof = {};  // of what that leaves it, from 0 to 1 where the peak is true
};

// Each call does the work once; `cost.time` is that of a run. Times in `scale`, which are no cycles.
Roofline RooflineOf(const OperatorCost& cost, TimeScale scale, const Peak& peak);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_PTEPROF_ROOFLINE_H_
