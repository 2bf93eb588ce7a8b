// --exported-program: the programs in an exporter's record, as listings.
#ifndef PTEEDIT_TOOLS_PTEPROF_PROGRAM_REPORT_H_
#define PTEEDIT_TOOLS_PTEPROF_PROGRAM_REPORT_H_

#include "cli.h"
#include "request.h"

namespace pteedit::cli {

// Prints the listings of the request's record; with a dump or a program, it has to be theirs. Returns the exit code.
int ListProgramsOf(const Tool& tool, const Request& request);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_PTEPROF_PROGRAM_REPORT_H_
