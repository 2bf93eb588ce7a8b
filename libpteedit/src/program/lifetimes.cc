#include "program/lifetimes.h"

#include <algorithm>

namespace pteedit {

Lifetimes::Lifetimes(const schema::ExecutionPlan& plan) : spans_(OrEmpty(plan.values()).size()) {
  for (const int32_t input : OrEmpty(plan.inputs())) Extend(static_cast<uint32_t>(input), 0, 0);
  for (const schema::Chain* chain : OrEmpty(plan.chains())) {
    for (const schema::Instruction* instruction : OrEmpty(chain->instructions())) {
      ++last_step_;
      ForEachValueOf(*instruction, [&](uint32_t value) { Extend(value, last_step_, last_step_); });
    }
  }
  ++last_step_;
  for (const int32_t output : OrEmpty(plan.outputs())) Extend(static_cast<uint32_t>(output), last_step_, last_step_);
  // Items live as long as their list. Once for each list, however often it is named.
  for (flatbuffers::uoffset_t i = 0; i < spans_.size(); ++i) {
    const std::optional<Span> span = spans_[i];
    if (span) ForEachItemOf(*plan.values()->Get(i), [&](uint32_t item) { Extend(item, span->first, span->last); });
  }
}

void Lifetimes::Extend(uint32_t value, uint64_t first, uint64_t last) {
  const Span old = spans_[value].value_or(Span{first, last});
  spans_[value] = Span{std::min(old.first, first), std::max(old.last, last)};
}

}  // namespace pteedit
