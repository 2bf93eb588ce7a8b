#include "pteedit/profile/delegation.h"

#include <algorithm>
#include <map>

#include "program/container_state.h"
#include "pteedit/delegates.h"
#include "pteedit/execution.h"
#include "pteedit/try.h"
#include "record/delegation_count.h"
#include "record/method_record.h"

namespace pteedit {
namespace {

using Instructions = std::vector<InstructionDescription>;

MethodDelegation WithOperators(const Instructions& instructions, const OperatorCounts& counts) {
  MethodDelegation method;
  method.method = instructions.front().method;
  method.subgraphs = static_cast<uint64_t>(std::count_if(instructions.begin(), instructions.end(), [](const auto& one) {
    return one.kind == InstructionKind::kDelegate;
  }));
  for (const auto& [type, row] : counts) {
    method.delegated += row.delegated;
    method.non_delegated += row.non_delegated;
    method.operators.push_back(row);
  }
  return method;
}

// What program and blobs show.
MethodDelegation CountAlone(const Instructions& instructions, const DelegatesByName& delegates) {
  OperatorCounts counts;
  std::map<const DelegateDescription*, uint64_t> calls;
  uint64_t opaque = 0;
  const auto row_of = [&](const std::string& name) -> OperatorDelegation& {
    OperatorDelegation& row = counts[name];
    row.op_type = name;
    return row;
  };
  for (const InstructionDescription& instruction : instructions) {
    if (instruction.kind == InstructionKind::kKernel) ++row_of(instruction.target).non_delegated;
    if (instruction.kind != InstructionKind::kDelegate) continue;
    const DelegateDescription* const delegate = delegates.Find(instruction.target);
    const bool is_known = delegate != nullptr && !delegate->contents->operators.empty();
    opaque += is_known ? 0 : 1;
    if (is_known) ++calls[delegate];
  }
  for (const auto& [delegate, times] : calls) {
    for (const std::string& op : delegate->contents->operators) row_of(op).delegated += times;
  }
  MethodDelegation method = WithOperators(instructions, counts);
  method.opaque = opaque;
  return method;
}

Result<MethodDelegation> CountWithRecord(const Instructions& instructions, const DelegatesByName& delegates,
                                         const Etrecord& record) {
  PTEEDIT_ASSIGN(const MethodRecord method, ReadMethod(record, instructions, delegates));
  const bool is_lowered = !method.graph.lowered.empty();
  MethodDelegation counted = WithOperators(
      instructions, is_lowered ? CountLowered(method.graph) : CountUnlowered(method.graph, method.maps, instructions));
  counted.has_record = true;
  return counted;
}

}  // namespace

Result<std::vector<MethodDelegation>> DescribeDelegation(const Container& file,
                                                         const std::vector<DelegateDescription>& delegates,
                                                         const std::shared_ptr<const Source>& record) {
  std::vector<MethodDelegation> counted;
  if (!HoldsProgram(file)) return counted;
  const DelegatesByName by_name(delegates);
  PTEEDIT_ASSIGN(const std::optional<Etrecord> opened, OpenRecord(record, file));
  for (const std::vector<InstructionDescription>& instructions : InstructionsByMethod(file)) {
    if (!opened || opened->EdgeProgramEntry(instructions.front().method).empty()) {
      counted.push_back(CountAlone(instructions, by_name));
      continue;
    }
    Result<MethodDelegation> one = CountWithRecord(instructions, by_name, *opened);
    if (!one) return std::move(one).error().In(record->name());
    counted.push_back(*std::move(one));
  }
  return counted;
}

}  // namespace pteedit
