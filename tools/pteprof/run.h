// What pteprof does with a dump: printing its views, or writing them as a page.
#ifndef PTEEDIT_TOOLS_PTEPROF_RUN_H_
#define PTEEDIT_TOOLS_PTEPROF_RUN_H_

#include "cli.h"
#include "request.h"

namespace pteedit::cli {

// Prints the views, and writes the trace. Returns the exit code.
int PrintProfile(const Tool& tool, const Request& request);

// Writes a page, and with it the trace, or neither. Returns the exit code.
int WriteProfilePage(const Tool& tool, const Request& request);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_PTEPROF_RUN_H_
