// --etdump: the report of a dump, joined with the exporter's record where there is one.
#ifndef PTEEDIT_TOOLS_PTEINSPECT_PROFILE_RUN_H_
#define PTEEDIT_TOOLS_PTEINSPECT_PROFILE_RUN_H_

#include "cli.h"
#include "profile_options.h"
#include "profiled.h"
#include "views.h"

namespace pteedit::inspect {

// Prints the report. Returns the exit code.
int ReportProfile(const cli::Tool& tool, const ProfileOptions& options, const JoinedFiles& joined, const Views& views);

}  // namespace pteedit::inspect

#endif  // PTEEDIT_TOOLS_PTEINSPECT_PROFILE_RUN_H_
