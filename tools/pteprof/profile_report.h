// All views of a dump that are asked for, together.
#ifndef PTEEDIT_TOOLS_PTEPROF_PROFILE_REPORT_H_
#define PTEEDIT_TOOLS_PTEPROF_PROFILE_REPORT_H_

#include <string>

#include "json.h"
#include "profiled.h"
#include "pteedit/result.h"
#include "request.h"

namespace pteedit::cli {

// These read tensors where there is a debug buffer, and fail with kIo.
Result<std::string> ProfileText(const Profiled& profiled, const Request& request);
// The dump's object.
Result<Json> ProfileJson(const Profiled& profiled, const Request& request);
// The same with what a page shows: event blocks and costs.
Result<Json> ProfileForPage(const Profiled& profiled, const Request& request);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_PTEPROF_PROFILE_REPORT_H_
