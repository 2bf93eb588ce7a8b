#include "pteedit/profile/graph.h"

#include <map>
#include <string_view>
#include <utility>

#include "inspect/instructions.h"
#include "program/constants.h"
#include "program/container_state.h"
#include "program/listing_size.h"
#include "pteedit/execution.h"
#include "pteedit/try.h"
#include "record/graph_parts.h"
#include "record/method_record.h"

namespace pteedit {
namespace {

Result<MethodGraph> ListMethod(PlanParts parts, const DelegatesByName& delegates,
                               const std::optional<Etrecord>& record) {
  const std::string method(ViewOf(parts.plan.name()));
  if (!record || record->EdgeProgramEntry(method).empty()) return ListProgram(std::move(parts), delegates, {});
  const std::vector<InstructionDescription> instructions = InstructionsOf(parts.plan, parts.delegates);
  PTEEDIT_ASSIGN(const MethodRecord read, ReadMethod(*record, instructions, delegates));
  if (!read.graph.lowered.empty()) return ListRecord(method, read.graph);
  return ListProgram(std::move(parts), delegates,
                     {read.graph, JoinNodes(read.graph, read.maps, instructions), read.maps.delegate_outputs});
}

// Each call of a delegate lists what is in its blob.
Status CheckCalls(const schema::Program& program, const std::vector<std::vector<std::string>>& names,
                  const DelegatesByName& delegates, uint64_t most) {
  ListingBudget budget(most);
  std::map<std::string_view, uint64_t> bytes;  // of those that were called
  Status status;
  size_t index = 0;
  for (const schema::ExecutionPlan* plan : OrEmpty(program.execution_plan())) {
    const std::vector<std::string>& of_plan = names[index++];
    ForEachDelegateCall(*plan, [&](const schema::DelegateCall& call) {
      const auto delegate = delegates.find(of_plan[static_cast<size_t>(call.delegate_index())]);
      if (!status || delegate == delegates.end()) return;
      const auto [called, is_new] = bytes.try_emplace(delegate->first, 0);
      if (is_new) called->second = ListedBytes(delegate->second->operators);
      if (!is_new) status = budget.Take(called->second, "operators of delegates at each call");
    });
  }
  return status;
}

}  // namespace

Result<std::vector<MethodGraph>> DescribeGraphs(const Container& file,
                                                const std::vector<DelegateDescription>& delegates,
                                                const std::shared_ptr<const Source>& record) {
  std::vector<MethodGraph> graphs;
  if (!HoldsProgram(file)) return graphs;
  DelegatesByName by_name;
  for (const DelegateDescription& delegate : delegates) by_name[delegate.name] = &delegate;
  PTEEDIT_ASSIGN(const std::optional<Etrecord> opened, OpenRecord(record, file));
  const Container& container = ProgramIn(file);
  const schema::Program& program = container.state().program_root();
  const std::vector<std::vector<std::string>> names = DelegateNames(program);
  PTEEDIT_TRY(CheckCalls(program, names, by_name, MostListedBytes(container)));
  std::vector<std::vector<NamedValue>> constants = ConstantsByPlan(container);
  size_t index = 0;
  for (const schema::ExecutionPlan* plan : OrEmpty(program.execution_plan())) {
    PlanParts parts{*plan, names[index], std::move(constants[index])};
    ++index;
    if (CountInstructions(*plan) == 0) continue;
    Result<MethodGraph> graph = ListMethod(std::move(parts), by_name, opened);
    if (!graph) return std::move(graph).error().In(record == nullptr ? file.name() : record->name());
    graphs.push_back(*std::move(graph));
  }
  return graphs;
}

}  // namespace pteedit
