// Events with the instructions of the program that ran: which method it was, and whose delegates were called.
#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "profile/event_names.h"
#include "pteedit/execution.h"
#include "pteedit/profile/event_blocks.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

struct MethodInstructions {
  std::string name;
  std::map<std::pair<int64_t, int64_t>, InstructionDescription> instructions;  // by chain and index
};

std::vector<MethodInstructions> InstructionsOf(const Container& program) {
  std::vector<MethodInstructions> methods;
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

const InstructionDescription* Find(const MethodInstructions& method, const ProfiledEvent& event) {
  const auto found = method.instructions.find({event.chain, event.instruction});
  return found == method.instructions.end() ? nullptr : &found->second;
}

// Events of the runtime itself belong to no instruction.
bool IsOfInstruction(const ProfiledEvent& event) {
  return IsOfDelegate(event) || event.name == kOperatorCall || event.name.starts_with(kKernelCall);
}

// Whether an instruction of the method can have logged the event.
bool Fits(const ProfiledEvent& event, const MethodInstructions& method) {
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
                     [](const ProfiledEvent& event) { return event.name == kMethodExecute && event.perf; });
}

// Whether each event can be of the method and, where a whole run was measured and the method has no jumps, each
// instruction logged something.
bool MayHaveRun(const MethodInstructions& method, const EventBlock& block) {
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

}  // namespace

Status MatchProgram(std::vector<EventBlock>& blocks, const Container& program) {
  const std::vector<MethodInstructions> methods = InstructionsOf(program);
  for (EventBlock& block : blocks) {
    if (std::none_of(block.events.begin(), block.events.end(), IsOfInstruction)) continue;
    std::vector<const MethodInstructions*> fitting;
    for (const MethodInstructions& method : methods) {
      if (MayHaveRun(method, block)) fitting.push_back(&method);
    }
    if (fitting.empty()) {
      return Unsupported(Text("is not the program that ran: what block ", Quoted(block.name),
                              " logged fits the instructions of no method"))
          .In(program.name());
    }
    for (const MethodInstructions* method : fitting) block.methods.push_back(method->name);
    if (fitting.size() != 1) continue;
    for (ProfiledEvent& event : block.events) {
      const InstructionDescription* instruction = Find(*fitting.front(), event);
      if (IsOfDelegate(event) && instruction != nullptr) event.delegate_backend_name = BackendOf(instruction->target);
    }
  }
  return {};
}

}  // namespace pteedit
