#include "pteedit/graph.h"

#include "inspect/graph_parts.h"
#include "profile/method_record.h"
#include "pteedit/execution.h"
#include "try.h"

namespace pteedit {
namespace {

using Instructions = std::vector<InstructionDescription>;

Result<MethodGraph> ListMethod(const Container& program, size_t plan, const Instructions& instructions,
                               const DelegatesByName& delegates, const std::optional<Etrecord>& record) {
  if (!record) return ListProgram(program, plan, instructions, delegates, {});
  PTEEDIT_ASSIGN(const MethodRecord method, ReadMethod(*record, instructions, delegates));
  if (!method.graph.lowered.empty()) return ListRecord(instructions.front().method, method.graph);
  return ListProgram(program, plan, instructions, delegates,
                     {method.graph, JoinNodes(method.graph, method.maps, instructions), method.maps.delegate_outputs});
}

}  // namespace

Result<std::vector<MethodGraph>> DescribeGraphs(const Container& file, const std::shared_ptr<const Source>& record) {
  std::vector<MethodGraph> graphs;
  if (file.kind() == FileKind::kData) return graphs;
  PTEEDIT_ASSIGN(const std::vector<DelegateDescription> descriptions, DescribeDelegates(file));
  DelegatesByName delegates;
  for (const DelegateDescription& delegate : descriptions) delegates[delegate.name] = &delegate;
  const std::vector<MethodInstructions> methods = InstructionsByMethod(file);
  PTEEDIT_ASSIGN(const std::optional<Etrecord> opened, OpenRecord(record, methods));
  const Container& program = file.program() != nullptr ? *file.program() : file;
  for (const MethodInstructions& method : methods) {
    Result<MethodGraph> graph = ListMethod(program, method.plan, method.instructions, delegates, opened);
    if (!graph) return std::move(graph).error().In(record == nullptr ? file.name() : record->name());
    graphs.push_back(*std::move(graph));
  }
  return graphs;
}

}  // namespace pteedit
