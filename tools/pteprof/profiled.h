// What was found in a dump, and in the files beside it, for the views to show.
#ifndef PTEEDIT_TOOLS_PTEPROF_PROFILED_H_
#define PTEEDIT_TOOLS_PTEPROF_PROFILED_H_

#include <optional>
#include <vector>

#include "baseline.h"
#include "pteedit/profile/profile.h"
#include "pteedit/result.h"
#include "request.h"

namespace pteedit::cli {

struct Profiled {
  Profile profile;
  // Where they are asked for:
  std::vector<BlockCosts> costs = {};
  std::optional<Baseline> baseline = {};
  std::optional<NumericGap> gap = {};
};

// Reads the dump, and joins it with all that is given beside it. Fails as the library does where a file cannot be read
// or belongs to another program.
Result<Profiled> ReadProfile(const Request& request);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_PTEPROF_PROFILED_H_
