// --exported-program: the programs in an exporter's record, as listings.
#ifndef PTEEDIT_TOOLS_PTEINSPECT_PROFILE_PROGRAM_REPORT_H_
#define PTEEDIT_TOOLS_PTEINSPECT_PROFILE_PROGRAM_REPORT_H_

#include <string>

#include "cli.h"

namespace pteedit::inspect {

struct ProgramRequest {
  std::string record, graph;
  std::string etdump;  // whose object the JSON is; empty for the record's own
  bool json = false;
  std::string program = {};  // that the record is of; empty where none is given
};

// Prints the listings. Returns the exit code.
int ReportPrograms(const cli::Tool& tool, const ProgramRequest& request);

}  // namespace pteedit::inspect

#endif  // PTEEDIT_TOOLS_PTEINSPECT_PROFILE_PROGRAM_REPORT_H_
