// All views of a dump that are asked for, together.
#ifndef PTEEDIT_TOOLS_PTEPROF_PROFILE_REPORT_H_
#define PTEEDIT_TOOLS_PTEPROF_PROFILE_REPORT_H_

#include <ostream>

#include "json.h"
#include "profiled.h"
#include "pteedit/result.h"
#include "request.h"

namespace pteedit::cli {

// These read tensors where there is a debug buffer, and fail with kIo.
Status PrintProfileText(const Profiled& profiled, const Request& request, std::ostream& out);
// The dump's object.
Status PrintProfileJson(const Profiled& profiled, const Request& request, JsonPrinter& printer);
// The same with what a page shows: event blocks and costs.
Status PrintProfileForPage(const Profiled& profiled, const Request& request, JsonPrinter& printer);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_PTEPROF_PROFILE_REPORT_H_
