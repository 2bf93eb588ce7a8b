// Events with the stack traces of the instructions that logged them.
#ifndef PTEEDIT_SRC_PROFILE_STACK_TRACE_JOIN_H_
#define PTEEDIT_SRC_PROFILE_STACK_TRACE_JOIN_H_

#include <vector>

#include "pteedit/container.h"
#include "pteedit/profile/event_blocks.h"
#include "pteedit/result.h"

namespace pteedit {

// Of `program`, or of its debug file, to the blocks that are runs of one method: an operator with the kernel's name and
// the trace. Fails with kUnsupported where the traces take more than the file's limits allow.
Status JoinStackTraces(std::vector<EventBlock>& blocks, const Container& program);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_PROFILE_STACK_TRACE_JOIN_H_
