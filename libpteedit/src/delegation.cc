#include "pteedit/delegation.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "profile/delegation_count.h"
#include "profile/etrecord.h"
#include "profile/record_check.h"
#include "profile/record_graph.h"
#include "pteedit/delegates.h"
#include "pteedit/execution.h"
#include "text.h"
#include "try.h"

namespace pteedit {
namespace {

using Instructions = std::vector<InstructionDescription>;

bool Is(const InstructionDescription& instruction, std::string_view kind) { return kind == instruction.kind; }

// By method, in file order.
std::vector<Instructions> ByMethod(const Container& file) {
  std::vector<Instructions> methods;
  for (InstructionDescription& instruction : DescribeInstructions(file)) {
    if (methods.empty() || methods.back().front().method != instruction.method) methods.emplace_back();
    methods.back().push_back(std::move(instruction));
  }
  return methods;
}

MethodDelegation WithOperators(const Instructions& instructions, OperatorCounts counts) {
  MethodDelegation method;
  method.method = instructions.front().method;
  method.subgraphs = static_cast<uint64_t>(
      std::count_if(instructions.begin(), instructions.end(), [](const auto& one) { return Is(one, "delegate"); }));
  for (auto& [type, row] : counts) {
    method.delegated += row.delegated;
    method.non_delegated += row.non_delegated;
    method.operators.push_back(std::move(row));
  }
  return method;
}

// What program and blobs show.
MethodDelegation CountAlone(const Instructions& instructions, const DelegatesByName& delegates) {
  OperatorCounts counts;
  uint64_t opaque = 0;
  const auto row_of = [&](const std::string& name) -> OperatorDelegation& {
    OperatorDelegation& row = counts[name];
    row.op_type = name;
    return row;
  };
  for (const InstructionDescription& instruction : instructions) {
    if (Is(instruction, "kernel")) ++row_of(instruction.target).non_delegated;
    if (!Is(instruction, "delegate")) continue;
    const auto delegate = delegates.find(instruction.target);
    const bool is_known = delegate != delegates.end() && delegate->second->decoded;
    opaque += is_known ? 0 : 1;
    if (!is_known) continue;
    for (const std::string& op : delegate->second->operators) ++row_of(op).delegated;
  }
  MethodDelegation method = WithOperators(instructions, std::move(counts));
  method.opaque = opaque;
  return method;
}

Result<MethodDelegation> CountWithRecord(const Instructions& instructions, const DelegatesByName& delegates,
                                         const Etrecord& record) {
  const std::string& method = instructions.front().method;
  PTEEDIT_ASSIGN(const std::optional<RecordGraph> graph, ReadGraph(record, method));
  PTEEDIT_ASSIGN(const std::optional<RecordMaps> maps, ReadMaps(record, method));
  if (!graph || !maps) {
    return Unsupported(Text("is of another program, or lacks what it needs: it has no ",
                            graph ? "instructions" : "graph", " of method ", Quoted(method)));
  }
  if (instructions.back().chain != 0) {
    return Unsupported(Text("cannot be joined with method ", Quoted(method), ", which has ",
                            instructions.back().chain + 1, " chains: records tell none apart"));
  }
  PTEEDIT_TRY(CheckRecord(*maps, *graph, instructions, delegates));
  MethodDelegation counted = WithOperators(
      instructions, graph->lowered.empty() ? CountUnlowered(*graph, *maps, instructions) : CountLowered(*graph));
  counted.has_record = true;
  return counted;
}

Result<std::vector<MethodDelegation>> CountAll(const std::vector<Instructions>& methods,
                                               const DelegatesByName& delegates,
                                               const std::shared_ptr<const Source>& source) {
  PTEEDIT_ASSIGN(const Etrecord record, Etrecord::Open(source));
  for (const std::string& name : record.Methods()) {
    const bool is_there = std::any_of(methods.begin(), methods.end(),
                                      [&](const Instructions& method) { return method.front().method == name; });
    if (!is_there) return Unsupported(Text("is of another program: it has a method ", Quoted(name), " with a graph"));
  }
  std::vector<MethodDelegation> counted;
  for (const Instructions& method : methods) {
    PTEEDIT_ASSIGN(MethodDelegation one, CountWithRecord(method, delegates, record));
    counted.push_back(std::move(one));
  }
  return counted;
}

}  // namespace

Result<std::vector<MethodDelegation>> DescribeDelegation(const Container& file,
                                                         const std::shared_ptr<const Source>& record) {
  if (file.kind() == FileKind::kData) return std::vector<MethodDelegation>();
  PTEEDIT_ASSIGN(const std::vector<DelegateDescription> descriptions, DescribeDelegates(file));
  DelegatesByName delegates;
  for (const DelegateDescription& delegate : descriptions) delegates[delegate.name] = &delegate;
  const std::vector<Instructions> methods = ByMethod(file);
  if (record == nullptr) {
    std::vector<MethodDelegation> counted;
    for (const Instructions& method : methods) counted.push_back(CountAlone(method, delegates));
    return counted;
  }
  Result<std::vector<MethodDelegation>> counted = CountAll(methods, delegates, record);
  if (!counted) return std::move(counted).error().In(record->name());
  return counted;
}

}  // namespace pteedit
