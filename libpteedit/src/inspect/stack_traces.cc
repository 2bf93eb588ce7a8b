#include <utility>

#include "base/checked.h"
#include "program/container_state.h"
#include "program/listing_size.h"
#include "pteedit/execution.h"

namespace pteedit {
namespace {

constexpr uint64_t kFrameBytes = 256;  // what a frame takes beside its texts, in a report
constexpr uint64_t kTimes = 4;  // what other listings may take: stacks are deep, and packed tables hold each once

std::vector<StackTrace::Frame> FramesOf(const schema::FrameList& list) {
  std::vector<StackTrace::Frame> frames;
  for (const schema::Frame* frame : OrEmpty(list.items())) {
    frames.push_back({std::string(ViewOf(frame->filename())), frame->lineno(), std::string(ViewOf(frame->name())),
                      std::string(ViewOf(frame->context()))});
  }
  return frames;
}

uint64_t BytesOf(const schema::FrameList& list) {
  uint64_t bytes = 0;
  for (const schema::Frame* frame : OrEmpty(list.items())) {
    bytes +=
        kFrameBytes + ViewOf(frame->filename()).size() + ViewOf(frame->name()).size() + ViewOf(frame->context()).size();
  }
  return bytes;
}

}  // namespace

Result<std::vector<StackTrace>> DescribeStackTraces(const Container& file) {
  std::vector<StackTrace> traces;
  if (!HoldsProgram(file)) return traces;
  const Container& program = ProgramIn(file);
  ListingBudget budget(CheckedMultiply(MostListedBytes(program), kTimes).value_or(MostListedBytes(program)));
  for (const schema::ExecutionPlan* plan : OrEmpty(program.state().program_root().execution_plan())) {
    uint64_t chain_index = 0;
    for (const schema::Chain* chain : OrEmpty(plan->chains())) {
      uint64_t index = 0;
      for (const schema::FrameList* list : OrEmpty(chain->stacktrace())) {
        Status taken = budget.Take(ViewOf(plan->name()).size() + BytesOf(*list), "stack traces");
        if (!taken) return std::move(taken).error().In(file.name());
        StackTrace trace{std::string(ViewOf(plan->name())), chain_index, index++, FramesOf(*list)};
        if (!trace.frames.empty()) traces.push_back(std::move(trace));
      }
      ++chain_index;
    }
  }
  return traces;
}

}  // namespace pteedit
