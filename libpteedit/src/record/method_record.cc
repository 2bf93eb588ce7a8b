#include "record/method_record.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "inspect/instructions.h"
#include "program/constants.h"
#include "program/container_state.h"
#include "program/delegate_names.h"
#include "pteedit/profile/etrecord.h"
#include "pteedit/try.h"

namespace pteedit {

namespace {

// Of several of one name the first, which alone can run.
std::map<std::string, size_t> PlansByName(const Container& file) {
  const Container& program = ProgramIn(file);
  std::map<std::string, size_t> plans;
  const auto& stored = OrEmpty(program.state().program_root().execution_plan());
  for (flatbuffers::uoffset_t i = 0; i < stored.size(); ++i) plans.emplace(ViewOf(stored.Get(i)->name()), i);
  return plans;
}

// Methods may have come and gone since, but not all of them.
Status CheckSharesMethods(const std::vector<std::string>& recorded, const std::map<std::string, size_t>& plans) {
  const auto is_there = [&](const std::string& name) { return plans.count(name) != 0; };
  if (recorded.empty() || std::any_of(recorded.begin(), recorded.end(), is_there)) return {};
  return Unsupported(Text("is of another program, which has no method ", Quoted(recorded.front())));
}

}  // namespace

std::vector<std::vector<InstructionDescription>> InstructionsByMethod(const Container& file) {
  std::vector<std::vector<InstructionDescription>> methods;
  if (!HoldsProgram(file)) return methods;
  const schema::Program& program = ProgramIn(file).state().program_root();
  const std::vector<DelegateNames> delegates = DelegateNamesIn(program);
  size_t index = 0;
  for (const schema::ExecutionPlan* plan : OrEmpty(program.execution_plan())) {
    methods.push_back(InstructionsOf(*plan, delegates[index++]));
    if (methods.back().empty()) methods.pop_back();
  }
  return methods;
}

Result<std::optional<Etrecord>> OpenRecord(const std::shared_ptr<const Source>& source, const Container& file) {
  if (source == nullptr) return std::optional<Etrecord>();
  Result<Etrecord> record = Etrecord::Open(source);
  if (!record) return std::move(record).error().In(source->name());
  const Status checked = CheckSharesMethods(record->Methods(), PlansByName(file));
  if (!checked) return Error(checked.error()).In(source->name());
  return std::optional<Etrecord>(*std::move(record));
}

std::vector<std::string> MethodsBeyond(const Container& file, const Etrecord& record) {
  const std::map<std::string, size_t> plans = PlansByName(file);
  std::vector<std::string> beyond = record.Methods();
  std::erase_if(beyond, [&](const std::string& name) { return plans.count(name) != 0; });
  return beyond;
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

Status CheckRecordOf(const Container& program, const std::shared_ptr<const Source>& source) {
  PTEEDIT_TRY(CheckIsProgram(program));
  const Result<Etrecord> record = Etrecord::Open(source);
  if (!record) return Error(record.error()).In(source->name());
  const Status checked = CheckOpenRecord(program, *record);
  return checked ? Status() : Status(Error(checked.error()).In(source->name()));
}

Status CheckOpenRecord(const Container& program, const Etrecord& record) {
  PTEEDIT_ASSIGN(const std::vector<DelegateDescription> described, DescribeDelegates(program));
  const DelegatesByName delegates(described);
  PTEEDIT_TRY(CheckSharesMethods(record.Methods(), PlansByName(program)));
  for (const std::vector<InstructionDescription>& instructions : InstructionsByMethod(program)) {
    if (record.EdgeProgramEntry(instructions.front().method).empty()) continue;
    const Result<MethodRecord> read = ReadMethod(record, instructions, delegates);
    if (!read) return read.error();
  }
  return {};
}

}  // namespace pteedit
