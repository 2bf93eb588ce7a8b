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

// The dump, joined with program, record and debug buffer. Fails as Profile::Read, and where a file cannot be opened.
Result<Profile> ReadProfileFiles(const Request& request);

// The same, and all that is asked for. Fails as the library does where a file cannot be read
// or belongs to another program.
Result<Profiled> ReadProfile(const Request& request);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_PTEPROF_PROFILED_H_
