#include "profile/method_record.h"

#include <algorithm>
#include <map>

#include "container_state.h"
#include "text.h"
#include "try.h"

namespace pteedit {

std::vector<MethodInstructions> InstructionsByMethod(const Container& file) {
  const Container& program = file.program() != nullptr ? *file.program() : file;
  std::map<std::string, size_t> plans;  // of several of one name the first, which alone can run
  const auto& stored = OrEmpty(program.state().program_root().execution_plan());
  for (flatbuffers::uoffset_t i = 0; i < stored.size(); ++i) plans.emplace(ViewOf(stored.Get(i)->name()), i);
  std::vector<MethodInstructions> methods;
  for (InstructionDescription& instruction : DescribeInstructions(file)) {
    const bool is_first = instruction.chain == 0 && instruction.index == 0;
    const bool is_new = methods.empty() || methods.back().instructions.front().method != instruction.method || is_first;
    if (is_new) methods.push_back({plans[instruction.method], {}});
    methods.back().instructions.push_back(std::move(instruction));
  }
  return methods;
}

Result<std::optional<Etrecord>> OpenRecord(const std::shared_ptr<const Source>& source,
                                           const std::vector<MethodInstructions>& methods) {
  if (source == nullptr) return std::optional<Etrecord>();
  Result<Etrecord> record = Etrecord::Open(source);
  if (!record) return std::move(record).error().In(source->name());
  for (const std::string& name : record->Methods()) {
    const bool is_there = std::any_of(methods.begin(), methods.end(), [&](const MethodInstructions& method) {
      return method.instructions.front().method == name;
    });
    if (is_there) continue;
    return Unsupported(Text("is of another program: it has a graph of method ", Quoted(name))).In(source->name());
  }
  return std::optional<Etrecord>(*std::move(record));
}

Result<MethodRecord> ReadMethod(const Etrecord& record, const std::vector<InstructionDescription>& instructions,
                                const DelegatesByName& delegates) {
  const std::string& method = instructions.front().method;
  PTEEDIT_ASSIGN(std::optional<RecordGraph> graph, ReadGraph(record, method));
  PTEEDIT_ASSIGN(std::optional<RecordMaps> maps, ReadMaps(record, method));
  if (!graph || !maps) {
    return Unsupported(Text("is of another program, or lacks what it needs: it has no ",
                            graph ? "instructions" : "graph", " of method ", Quoted(method)));
  }
  if (instructions.back().chain != 0) {
    return Unsupported(Text("cannot be joined with method ", Quoted(method), ", which has ",
                            instructions.back().chain + 1, " chains: records tell none apart"));
  }
  PTEEDIT_TRY(CheckRecord(*maps, *graph, instructions, delegates));
  return MethodRecord{*std::move(graph), *std::move(maps)};
}

}  // namespace pteedit
