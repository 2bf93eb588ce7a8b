// Events with the instructions of the program that ran: which method it was, and whose delegates were called.
#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "delegates/xnnpack.h"
#include "profile/event_names.h"
#include "profile/xnnpack_rows.h"
#include "program/constants.h"
#include "program/container_state.h"
#include "program/delegate_names.h"
#include "pteedit/execution.h"
#include "pteedit/profile/event_blocks.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

struct PlacedInstructions {
  std::string name;
  std::map<std::pair<int64_t, int64_t>, InstructionDescription> instructions;  // by chain and index
};

std::vector<PlacedInstructions> InstructionsOf(const Container& program) {
  std::vector<PlacedInstructions> methods;
  for (InstructionDescription& one : DescribeInstructions(program)) {
    if (methods.empty() || methods.back().name != one.method) methods.push_back({one.method, {}});
    const std::pair place(static_cast<int64_t>(one.chain), static_cast<int64_t>(one.index));
    methods.back().instructions.emplace(place, std::move(one));
  }
  return methods;
}

// The name without namespace, as the runtime logs it: "add.out" of "aten::add.out".
std::string_view WithoutNamespace(std::string_view target) {
  const size_t colons = target.find("::");
  return colons == std::string_view::npos ? target : target.substr(colons + 2);
}

const InstructionDescription* Find(const PlacedInstructions& method, const ProfiledEvent& event) {
  const auto found = method.instructions.find({event.chain, event.instruction});
  return found == method.instructions.end() ? nullptr : &found->second;
}

// Whether an instruction of the method can have logged the event.
bool Fits(const ProfiledEvent& event, const PlacedInstructions& method) {
  if (!IsOfInstruction(event)) return true;
  const std::string_view name = event.name;
  const InstructionDescription* instruction = Find(method, event);
  if (instruction == nullptr) return false;
  if (IsOfDelegate(event)) return instruction->kind == InstructionKind::kDelegate;
  if (instruction->kind != InstructionKind::kKernel) return false;
  return name == kOperatorCall || name.substr(kKernelCall.size()) == WithoutNamespace(instruction->target);
}

// Delegates are called after their backends: "XnnpackBackend_0".
std::string BackendOf(const std::string& delegate) { return delegate.substr(0, delegate.rfind('_')); }

bool MeasuredExecution(const EventBlock& block) {
  return std::any_of(block.events.begin(), block.events.end(),
                     [](const ProfiledEvent& event) { return event.name == kMethodExecute && !event.samples.empty(); });
}

// Whether each event can be of the method and, where a whole run was measured and the method has no jumps, each
// instruction logged something.
bool MayHaveRun(const PlacedInstructions& method, const EventBlock& block) {
  std::set<std::pair<int64_t, int64_t>> logged;
  for (const ProfiledEvent& event : block.events) {
    if (!Fits(event, method)) return false;
    if (IsOfInstruction(event)) logged.emplace(event.chain, event.instruction);
  }
  const bool has_jumps = std::any_of(method.instructions.begin(), method.instructions.end(), [](const auto& one) {
    return one.second.kind == InstructionKind::kJump || one.first.first != 0;
  });
  if (has_jumps || !MeasuredExecution(block)) return true;
  return std::all_of(method.instructions.begin(), method.instructions.end(), [&](const auto& one) {
    const InstructionKind kind = one.second.kind;
    const bool logs = kind == InstructionKind::kKernel || kind == InstructionKind::kDelegate;
    return !logs || logged.count(one.first) != 0;
  });
}

// The graphs of a program's XNNPACK delegates, by name; each read once. Those that are damaged are left out.
class XnnpackGraphs {
 public:
  explicit XnnpackGraphs(const Container& program) : set_(program) {
    const schema::Program& root = program.state().program_root();
    const std::vector<DelegateNames> names = DelegateNamesIn(root);
    size_t plan = 0;
    for (const schema::ExecutionPlan* one : OrEmpty(root.execution_plan())) {
      size_t index = 0;
      for (const schema::BackendDelegate* delegate : OrEmpty(one->delegates())) {
        if (ViewOf(delegate->id()) == kXnnpackBackend) delegates_[names[plan][index]] = delegate;
        ++index;
      }
      ++plan;
    }
  }

  // Null where it is none or cannot be read. Fails with kIo.
  Result<const std::vector<XnnpackNodeFacts>*> NodesOf(const std::string& delegate) {
    const std::vector<XnnpackNodeFacts>* none = nullptr;
    const auto found = delegates_.find(delegate);
    if (found == delegates_.end()) return none;
    const auto [read, is_new] = nodes_.try_emplace(delegate);
    if (is_new) {
      Result<std::vector<XnnpackNodeFacts>> nodes = ReadXnnpackNodes(InputOf(set_, *found->second));
      if (!nodes && nodes.error().code == ErrorCode::kIo) return nodes.error();
      if (nodes) read->second = *std::move(nodes);
    }
    return read->second ? &*read->second : none;
  }

 private:
  const ProgramSet set_;
  std::map<std::string, const schema::BackendDelegate*> delegates_;
  std::map<std::string, std::optional<std::vector<XnnpackNodeFacts>>> nodes_;
};

// Calls of delegates in a block, by place, with what XNNPACK may have logged inside, by name: indices of events.
std::map<std::pair<int64_t, int64_t>, std::vector<size_t>> RowsByCall(const EventBlock& block) {
  std::map<std::pair<int64_t, int64_t>, std::vector<size_t>> rows;
  for (size_t i = 0; i < block.events.size(); ++i) {
    const ProfiledEvent& event = block.events[i];
    if (!event.delegate_debug_text.empty() && !event.delegate_debug_number)
      rows[{event.chain, event.instruction}].push_back(i);
  }
  return rows;
}

// Holds what delegates of a method logged against their blobs.
struct RowCheck {
  std::string contradiction;                            // empty where there is none
  std::vector<std::pair<size_t, DelegateNodes>> nodes;  // of rows that were found in blobs, which are indices of events
};

DelegateNodes NodesFrom(const XnnpackRowMatch::Nodes& found, const std::vector<XnnpackNodeFacts>& graph) {
  DelegateNodes nodes{found.first, found.last, 0, 0, {}};
  if (found.first != found.last) return nodes;
  nodes.debug_handle = graph[found.first].debug_handle;
  for (const XnnpackNodeFacts::Constant& constant : graph[found.first].constants) {
    if (constant.key.empty()) {
      nodes.blob_bytes += constant.extent.size;
    } else {
      nodes.keys.push_back(constant.key);
    }
  }
  return nodes;
}

Result<RowCheck> CheckRows(const EventBlock& block, const PlacedInstructions& method, XnnpackGraphs& graphs) {
  RowCheck check;
  for (const auto& [place, rows] : RowsByCall(block)) {
    const std::string& delegate = method.instructions.at(place).target;
    PTEEDIT_ASSIGN(const std::vector<XnnpackNodeFacts>* nodes, graphs.NodesOf(delegate));
    if (nodes == nullptr) continue;
    std::vector<std::string> names;
    for (const size_t row : rows) names.push_back(block.events[row].name);
    const XnnpackRowMatch match = MatchXnnpackRows(names, *nodes);
    if (!match.contradiction.empty()) {
      check.contradiction = Text("delegate ", Quoted(delegate), " ", match.contradiction);
      return check;
    }
    for (size_t i = 0; i < rows.size(); ++i) {
      if (match.nodes[i]) check.nodes.emplace_back(rows[i], NodesFrom(*match.nodes[i], *nodes));
    }
  }
  return check;
}

struct FittingMethods {
  std::vector<const PlacedInstructions*> methods;
  std::string contradiction;                            // of one that fits but for what its delegates logged
  std::vector<std::pair<size_t, DelegateNodes>> nodes;  // of the last; see RowCheck
};

Result<FittingMethods> FindFitting(const EventBlock& block, const std::vector<PlacedInstructions>& methods,
                                   XnnpackGraphs& graphs) {
  FittingMethods fitting;
  for (const PlacedInstructions& method : methods) {
    if (!MayHaveRun(method, block)) continue;
    PTEEDIT_ASSIGN(RowCheck check, CheckRows(block, method, graphs));
    if (!check.contradiction.empty()) {
      fitting.contradiction = std::move(check.contradiction);
      continue;
    }
    fitting.nodes = std::move(check.nodes);
    fitting.methods.push_back(&method);
  }
  return fitting;
}

Error NotTheProgram(const EventBlock& block, const FittingMethods& fitting) {
  const std::string why = fitting.contradiction.empty()
                              ? Text("what block ", Quoted(block.name), " logged fits the instructions of no method")
                              : fitting.contradiction;
  return Unsupported("is not the program that ran: " + why);
}

void CountChecks(EventBlock& block, const FittingMethods& fitting) {
  block.checks.rows_in_blobs = fitting.nodes.size();
  block.checks.kernels_in_program = 0;
  for (const ProfiledEvent& event : block.events) {
    block.checks.kernels_in_program += event.kind() == EventKind::kKernel;
  }
}

}  // namespace

Status MatchProgram(std::vector<EventBlock>& blocks, const Container& program,
                    const std::optional<std::vector<std::string>>& others) {
  const std::vector<PlacedInstructions> methods = InstructionsOf(program);
  XnnpackGraphs graphs(ProgramIn(program));
  for (EventBlock& block : blocks) {
    if (std::none_of(block.events.begin(), block.events.end(), IsOfInstruction)) continue;
    const std::vector<std::string> allowed = std::exchange(block.methods, {});
    PTEEDIT_ASSIGN(FittingMethods fitting, FindFitting(block, methods, graphs));
    const auto is_allowed = [&](const std::string& method) {
      return allowed.empty() || std::find(allowed.begin(), allowed.end(), method) != allowed.end();
    };
    std::erase_if(fitting.methods, [&](const PlacedInstructions* method) { return !is_allowed(method->name); });
    if (fitting.methods.empty()) {
      if (others) std::copy_if(others->begin(), others->end(), std::back_inserter(block.methods), is_allowed);
      const bool may_be_any = others && others->empty() && allowed.empty();
      if (block.methods.empty() && !may_be_any) return NotTheProgram(block, fitting).In(program.name());
      continue;
    }
    for (const PlacedInstructions* method : fitting.methods) block.methods.push_back(method->name);
    if (fitting.methods.size() != 1) continue;
    CountChecks(block, fitting);
    for (auto& [event, nodes] : fitting.nodes) block.events[event].more.Edit().nodes = std::move(nodes);
    for (ProfiledEvent& event : block.events) {
      const InstructionDescription* instruction = Find(*fitting.methods.front(), event);
      if (IsOfDelegate(event) && instruction != nullptr) event.delegate_backend_name = BackendOf(instruction->target);
    }
  }
  return {};
}

}  // namespace pteedit
