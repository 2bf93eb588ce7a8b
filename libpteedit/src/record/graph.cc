#include "pteedit/profile/graph.h"

#include <map>
#include <string_view>

#include "program/container_state.h"
#include "program/listing_size.h"
#include "pteedit/execution.h"
#include "pteedit/try.h"
#include "record/graph_parts.h"
#include "record/method_record.h"

namespace pteedit {
namespace {

using Instructions = std::vector<InstructionDescription>;

Result<MethodGraph> ListMethod(const Container& program, const PlanParts& parts, const DelegatesByName& delegates,
                               const std::optional<Etrecord>& record) {
  const Instructions& instructions = parts.instructions;
  const bool is_recorded = record && !record->EdgeProgramEntry(instructions.front().method).empty();
  if (!is_recorded) return ListProgram(program, parts, delegates, {});
  PTEEDIT_ASSIGN(const MethodRecord method, ReadMethod(*record, instructions, delegates));
  if (!method.graph.lowered.empty()) return ListRecord(instructions.front().method, method.graph);
  return ListProgram(program, parts, delegates,
                     {method.graph, JoinNodes(method.graph, method.maps, instructions), method.maps.delegate_outputs});
}

// Each call of a delegate lists what is in its blob.
Status CheckCalls(const std::vector<MethodInstructions>& methods, const DelegatesByName& delegates, uint64_t most) {
  ListingBudget budget(most);
  std::map<std::string_view, uint64_t> bytes;  // of those that were called
  for (const MethodInstructions& method : methods) {
    for (const InstructionDescription& instruction : method.instructions) {
      const auto delegate = delegates.find(instruction.target);
      if (delegate == delegates.end() || instruction.kind != InstructionKind::kDelegate) continue;
      const auto [called, is_new] = bytes.try_emplace(instruction.target, 0);
      if (!is_new) PTEEDIT_TRY(budget.Take(called->second, "operators of delegates at each call"));
      if (is_new) called->second = ListedBytes(delegate->second->operators);
    }
  }
  return {};
}

}  // namespace

Result<std::vector<MethodGraph>> DescribeGraphs(const Container& file,
                                                const std::vector<DelegateDescription>& delegates,
                                                const std::shared_ptr<const Source>& record) {
  std::vector<MethodGraph> graphs;
  if (!HoldsProgram(file)) return graphs;
  DelegatesByName by_name;
  for (const DelegateDescription& delegate : delegates) by_name[delegate.name] = &delegate;
  const std::vector<MethodInstructions> methods = InstructionsByMethod(file);
  PTEEDIT_ASSIGN(const std::optional<Etrecord> opened, OpenRecord(record, file));
  const Container& program = ProgramIn(file);
  PTEEDIT_TRY(CheckCalls(methods, by_name, MostListedBytes(program)));
  const std::vector<std::vector<NamedValue>> constants = ConstantsByPlan(program);
  for (const MethodInstructions& method : methods) {
    const PlanParts parts{method.plan, method.instructions, constants[method.plan]};
    Result<MethodGraph> graph = ListMethod(program, parts, by_name, opened);
    if (!graph) return std::move(graph).error().In(record == nullptr ? file.name() : record->name());
    graphs.push_back(*std::move(graph));
  }
  return graphs;
}

}  // namespace pteedit
