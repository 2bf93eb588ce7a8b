// --etdump: the report of a dump, joined with the exporter's record where there is one.
#ifndef PTEEDIT_TOOLS_PTEINSPECT_PROFILE_RUN_H_
#define PTEEDIT_TOOLS_PTEINSPECT_PROFILE_RUN_H_

#include "cli.h"
#include "profile/options.h"
#include "profile/profiled.h"
#include "text_output.h"
#include "views.h"

namespace pteedit::inspect {

// Prints the report. Returns the exit code.
int ReportProfile(const cli::Tool& tool, const ProfileOptions& options, const JoinedFiles& joined, const Views& views);

struct PageProfile {
  cli::Json object;                 // what a page shows: event blocks and costs
  std::optional<TextOutput> trace;  // where one is asked for
};

// Prints warnings, and writes nothing.
Result<PageProfile> ProfileForPage(const cli::Tool& tool, const ProfileOptions& options, const JoinedFiles& joined);

// All files that a profile is read from.
std::vector<std::string> InputsOf(const ProfileOptions& options, const JoinedFiles& joined);

}  // namespace pteedit::inspect

#endif  // PTEEDIT_TOOLS_PTEINSPECT_PROFILE_RUN_H_
