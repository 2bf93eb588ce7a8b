// Several dumps side by side, of devices or releases: one table of the times of each operator.
#ifndef PTEEDIT_TOOLS_PTEPROF_FLEET_H_
#define PTEEDIT_TOOLS_PTEPROF_FLEET_H_

#include "cli.h"
#include "request.h"

namespace pteedit::cli {

// A row for each operator, or with --by-type each type, and dump. Dumps are read one after the other; what each of the
// others measured is told from the first one as --baseline does it. Returns the exit code.
int PrintFleet(const Tool& tool, const Request& request);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_PTEPROF_FLEET_H_
