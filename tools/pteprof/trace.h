// --trace: a profile as a trace that Perfetto and chrome://tracing show, in the JSON form of the Trace Event Format.
#ifndef PTEEDIT_TOOLS_PTEPROF_TRACE_H_
#define PTEEDIT_TOOLS_PTEPROF_TRACE_H_

#include <string>
#include <vector>

#include "pteedit/execution.h"
#include "pteedit/profile/event_blocks.h"

namespace pteedit::cli {

// JSON. One slice for each run and each time that an event was measured, loops included. Runs are a track, what the
// runtime measured is one, and each backend whose delegates logged operators is one. Slices of a track nest or follow
// each other, operators of a delegate the latter; what does neither goes to a further track of the same name. What a
// delegate logged by a clock of its own, all of it outside of its call, begins where the call does. Times are
// microseconds since the first slice, whose start as measured is the member "origin", since clocks may be too large for
// exact fractions; of a dump in cycles, a cycle is one. A clock of 32 bits that wrapped goes on. Of blocks that are
// runs of one method in `memory` a counter for each arena tells how many planned bytes tensors in use lie in, from when
// an instruction begins.
std::string TraceText(const std::vector<EventBlock>& blocks, const EventScales& scales, const std::string& dump,
                      const std::vector<MethodMemory>& memory = {});

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_PTEPROF_TRACE_H_
