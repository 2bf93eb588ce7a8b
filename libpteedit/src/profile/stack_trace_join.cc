#include "profile/stack_trace_join.h"

#include <map>
#include <string>
#include <tuple>

#include "base/text.h"
#include "profile/event_names.h"
#include "pteedit/execution.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

// As Python prints it, and as records have it.
std::string TextOf(const StackTrace& trace) {
  std::string text;
  for (const StackTrace::Frame& frame : trace.frames)
    text += Text("  File \"", frame.file, "\", line ", frame.line, ", in ", frame.function, "\n    ", frame.code, "\n");
  return text;
}

std::string OperatorOf(const ProfiledEvent& event) {
  return event.name.starts_with(kKernelCall) ? event.name.substr(kKernelCall.size()) : event.name;
}

}  // namespace

Status JoinStackTraces(std::vector<EventBlock>& blocks, const Container& program) {
  PTEEDIT_ASSIGN(const std::vector<StackTrace> traces, DescribeStackTraces(program));
  std::map<std::tuple<std::string, int64_t, int64_t>, const StackTrace*> by_place;
  for (const StackTrace& trace : traces)
    by_place.emplace(std::tuple(trace.method, static_cast<int64_t>(trace.chain), static_cast<int64_t>(trace.index)),
                     &trace);
  for (EventBlock& block : blocks) {
    if (block.methods.size() != 1) continue;
    for (ProfiledEvent& event : block.events) {
      const auto found = by_place.find({block.methods.front(), event.chain, event.instruction});
      if (!IsOfInstruction(event) || found == by_place.end()) continue;
      event.more.Edit().operators = {{OperatorOf(event), TextOf(*found->second), std::nullopt}};
    }
  }
  return {};
}

}  // namespace pteedit
