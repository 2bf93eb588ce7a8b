#include "pteedit/profile/graph.h"

#include <map>
#include <utility>

#include "inspect/instructions.h"
#include "program/constants.h"
#include "program/container_state.h"
#include "program/delegate_names.h"
#include "program/listing_size.h"
#include "pteedit/execution.h"
#include "pteedit/try.h"
#include "record/graph_parts.h"
#include "record/method_record.h"

namespace pteedit {
namespace {

Result<MethodGraph> ListMethod(PlanParts parts, const DelegatesByName& delegates, const std::optional<Etrecord>& record,
                               const std::shared_ptr<KeptTexts>& texts) {
  const std::string method(ViewOf(parts.plan.name()));
  if (!record || record->EdgeProgramEntry(method).empty()) return ListProgram(std::move(parts), delegates, {}, texts);
  const std::vector<InstructionDescription> instructions = InstructionsOf(parts.plan, parts.delegates);
  PTEEDIT_ASSIGN(const MethodRecord read, ReadMethod(*record, instructions, delegates));
  if (!read.graph.lowered.empty()) return ListRecord(method, read.graph, texts);
  return ListProgram(std::move(parts), delegates,
                     {read.graph, JoinNodes(read.graph, read.maps, instructions), read.maps.delegate_outputs}, texts);
}

// Each call of a delegate lists what is in its blob.
Status CheckCalls(const schema::Program& program, const std::vector<DelegateNames>& names,
                  const DelegatesByName& delegates, uint64_t most) {
  ListingBudget budget(most);
  std::map<const DelegateDescription*, uint64_t> bytes;  // of those that were called and tell operators
  Status status;
  size_t index = 0;
  for (const schema::ExecutionPlan* plan : OrEmpty(program.execution_plan())) {
    const DelegateNames& of_plan = names[index++];
    ForEachDelegateCall(*plan, [&](const schema::DelegateCall& call) {
      const DelegateDescription* const delegate = delegates.Find(of_plan[static_cast<size_t>(call.delegate_index())]);
      if (!status || delegate == nullptr || delegate->contents->operators.empty()) return;
      const auto [called, is_new] = bytes.try_emplace(delegate, 0);
      if (is_new) called->second = ListedBytes(delegate->contents->operators);
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
  const DelegatesByName by_name(delegates);
  PTEEDIT_ASSIGN(const std::optional<Etrecord> opened, OpenRecord(record, file));
  const Container& container = ProgramIn(file);
  const schema::Program& program = container.state().program_root();
  const std::vector<DelegateNames> names = DelegateNamesIn(program);
  PTEEDIT_TRY(CheckCalls(program, names, by_name, MostListedBytes(container)));
  const auto texts = std::make_shared<KeptTexts>();  // one for all: there may be very many methods
  std::vector<NamedValues> constants = ConstantsByPlan(container, *texts);
  size_t index = 0;
  for (const schema::ExecutionPlan* plan : OrEmpty(program.execution_plan())) {
    PlanParts parts{*plan, names[index], std::move(constants[index])};
    ++index;
    if (CountInstructions(*plan) == 0) continue;
    Result<MethodGraph> graph = ListMethod(std::move(parts), by_name, opened, texts);
    if (!graph) return std::move(graph).error().In(record == nullptr ? file.name() : record->name());
    graphs.push_back(*std::move(graph));
  }
  return graphs;
}

}  // namespace pteedit
