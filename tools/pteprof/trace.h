// --trace: a profile as a trace that Perfetto and chrome://tracing show, in the JSON form of the Trace Event Format.
#ifndef PTEEDIT_TOOLS_PTEPROF_TRACE_H_
#define PTEEDIT_TOOLS_PTEPROF_TRACE_H_

#include <string>
#include <vector>

#include "json.h"
#include "pteedit/profile/event_blocks.h"

namespace pteedit::cli {

// One slice for each run and each time that an event was measured, loops included. Runs are a track, what the runtime
// measured is one, and each backend whose delegates logged operators is one. Slices of a track nest or follow each
// other; what does neither, as clocks of delegates may be their own, goes to a further track of the same name. Times
// are microseconds since the first slice, whose start as measured is the member "origin", since clocks may be too large
// for exact fractions; of a dump in cycles, a cycle is one. A clock of 32 bits that wrapped goes on.
Json TraceJson(const std::vector<EventBlock>& blocks, const EventScales& scales, const std::string& dump);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_PTEPROF_TRACE_H_
