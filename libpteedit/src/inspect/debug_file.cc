#include "pteedit/debug_file.h"

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "edit/model.h"
#include "edit/plan.h"
#include "edit/tables.h"
#include "io/digest.h"
#include "program/container_state.h"
#include "pteedit/execution.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

constexpr std::string_view kDebugPrefix = "pteedit.debug/";
constexpr size_t kStepsDigits = 40;

// Of a delegate its backend, since removing others gives it another number.
std::string_view TargetOf(const InstructionDescription& step) {
  const std::string_view target = step.target;
  return step.kind == InstructionKind::kDelegate ? target.substr(0, target.rfind('_')) : target;
}

// By method that has instructions: the key that says what it does, step by step.
std::map<std::string, std::string> DebugKeysOf(const Container& program) {
  std::map<std::string, Sha256> hashes;
  for (const InstructionDescription& step : DescribeInstructions(program)) {
    const std::string line = Text(step.chain, ' ', step.index, ' ', NameOf(step.kind), ' ', TargetOf(step), '\n');
    hashes[step.method].Update({reinterpret_cast<const uint8_t*>(line.data()), line.size()});
  }
  std::map<std::string, std::string> keys;
  for (auto& [method, hash] : hashes)
    keys.emplace(method, Text(kDebugPrefix, hash.Finish().Hex().substr(0, kStepsDigits), '/', method));
  return keys;
}

bool HasStackTraces(const tables::ExecutionPlan& plan) {
  for (const tables::Chain& chain : plan.chains.items) {
    if (!chain.stacktrace.items.empty()) return true;
  }
  return false;
}

// A method that does nothing, with all lists that readers ask for.
tables::ExecutionPlan TracesOf(const tables::ExecutionPlan& plan) {
  tables::ExecutionPlan traces;
  traces.name = plan.name;
  traces.values.present = traces.chains.present = traces.operators.present = traces.delegates.present = true;
  traces.inputs = traces.outputs = tables::Vector<int32_t>::Own({});
  traces.non_const_buffer_sizes = tables::Vector<int64_t>::Own({0});
  for (const tables::Chain& chain : plan.chains.items) {
    tables::Chain& bare = traces.chains.items.emplace_back();
    bare.inputs = bare.outputs = tables::Vector<int32_t>::Own({});
    bare.instructions.present = true;
    bare.stacktrace = chain.stacktrace;
  }
  return traces;
}

// The method behind the prefix and the digits of a key; empty where it is none of a debug file.
std::string_view MethodIn(std::string_view key) {
  const size_t begin = kDebugPrefix.size() + kStepsDigits + 1;
  return key.starts_with(kDebugPrefix) && key.size() > begin ? key.substr(begin) : std::string_view();
}

}  // namespace

Result<std::optional<PlannedFile>> PlanDebugFile(const Container& file) {
  const Container& program = ProgramIn(file);
  PTEEDIT_ASSIGN(ProgramModel whole, ReadProgramModel(program));
  const std::map<std::string, std::string> keys = DebugKeysOf(program);
  ProgramModel debug;
  debug.tables.execution_plan.present = debug.tables.named_data.present = true;
  debug.tables.constant_segment = tables::SubsegmentOffsets{0, tables::Vector<uint64_t>::Own({0})};
  debug.tables.shares_tables = true;
  debug.segments.resize(1);  // without bytes
  for (const tables::ExecutionPlan& plan : whole.tables.execution_plan.items) {
    const auto key = keys.find(std::string(tables::ViewOf(plan.name)));
    if (key == keys.end() || !HasStackTraces(plan)) continue;
    debug.tables.execution_plan.items.push_back(TracesOf(plan));
    debug.tables.named_data.items.push_back({tables::OwnText(key->second), 0});
  }
  if (debug.tables.execution_plan.items.empty()) return std::optional<PlannedFile>();
  PTEEDIT_ASSIGN(PlannedFile planned, PlanFile(debug));
  return std::optional<PlannedFile>(std::move(planned));
}

Status CheckDebugFile(const Container& debug, const Container& file) {
  const std::map<std::string, std::string> steps = DebugKeysOf(ProgramIn(file));
  bool is_one = false, fits = false;
  for (const NamedEntry& entry : debug.named_data()) {
    const std::string_view method = MethodIn(entry.key);
    is_one = is_one || !method.empty();
    const auto own = steps.find(std::string(method));
    if (method.empty() || own == steps.end()) continue;
    if (own->second != entry.key) {
      return InvalidArgument(Text("is the debug file of another program: method ", Quoted(method),
                                  " has other instructions in ", Quoted(file.name())))
          .In(debug.name());
    }
    fits = true;
  }
  if (fits) return {};
  return InvalidArgument(
             is_one ? Text("is the debug file of another program: ", Quoted(file.name()), " has none of its methods")
                    : std::string("is no debug file"))
      .In(debug.name());
}

}  // namespace pteedit
