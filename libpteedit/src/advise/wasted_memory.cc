#include "advise/wasted_memory.h"

#include <algorithm>
#include <map>
#include <optional>

#include "base/checked.h"
#include "program/container_state.h"
#include "program/lifetimes.h"
#include "pteedit/execution.h"

namespace pteedit {
namespace {

using flatbuffers::uoffset_t;

// Plans of real exports, in which tensors share memory, took at most 1.4 times what their tensors need.
constexpr uint64_t kTolerated = 2;

// What exporters align each tensor in an arena to.
constexpr uint64_t kArenaAlignment = 16;

// By value: whether a method names it first where it is read, so that it outlasts a run, as caches do, or is an input.
class StateFinder {
 public:
  explicit StateFinder(const schema::ExecutionPlan& plan)
      : values_(OrEmpty(plan.values())), seen_(values_.size()), is_state_(values_.size()) {
    for (const schema::Chain* chain : OrEmpty(plan.chains())) {
      for (const schema::Instruction* instruction : OrEmpty(chain->instructions())) {
        if (const auto* call = instruction->instr_args_as_KernelCall()) AddKernel(OrEmpty(call->args()));
        if (const auto* call = instruction->instr_args_as_DelegateCall()) AddDelegate(OrEmpty(call->args()));
      }
    }
  }

  std::vector<bool> Take() { return std::move(is_state_); }

 private:
  using Args = flatbuffers::Vector<int32_t>;

  void See(int32_t value, bool is_read) {
    const auto index = static_cast<uint32_t>(value);
    is_state_[index] = is_state_[index] || (is_read && !seen_[index]);
    seen_[index] = true;
  }

  // What a kernel returns comes last, and of an out variant right before that, too.
  void AddKernel(const Args& args) {
    const uoffset_t count = args.size();
    if (count == 0) return;
    const int32_t result = args.Get(count - 1);
    const bool is_out = count < 2 || args.Get(count - 2) == result || std::count(args.begin(), args.end(), result) == 1;
    ForEachItemOf(*values_.Get(static_cast<uoffset_t>(result)),
                  [&](uint32_t item) { See(static_cast<int32_t>(item), false); });
    if (is_out) See(result, false);
    for (const int32_t arg : args) See(arg, true);
  }

  // Inputs come before outputs: what is new and stands before what is known has been there.
  void AddDelegate(const Args& args) {
    uoffset_t inputs = args.size();
    while (inputs != 0 && !seen_[static_cast<uint32_t>(args.Get(inputs - 1))]) --inputs;
    for (uoffset_t i = 0; i < args.size(); ++i) See(args.Get(i), i < inputs);
  }

  const flatbuffers::Vector<flatbuffers::Offset<schema::EValue>>& values_;
  std::vector<bool> seen_, is_state_;
};

// With tensors that are needed from beginning to end: those that nothing names, and states.
std::optional<uint64_t> NeededBytes(const MethodMemory& memory, const std::vector<bool>& is_state) {
  std::map<uint64_t, uint64_t> begin, end;  // bytes by instruction: needed from it on, and no longer needed in it
  uint64_t always = 0;
  std::optional<uint64_t> all = 0;  // so that no sum of some of them is too large
  for (const PlannedTensor& tensor : memory.tensors) {
    if (!tensor.bytes || *tensor.bytes > memory.planned_bytes) return std::nullopt;
    const uint64_t bytes = AlignUp(*tensor.bytes, kArenaAlignment);
    all = CheckedAdd(*all, bytes);
    if (!all) return std::nullopt;
    if (!tensor.first || is_state[tensor.value]) {
      always += bytes;
    } else {
      begin[*tensor.first] += bytes;
      end[*tensor.last + 1] += bytes;
    }
  }
  uint64_t now = 0, most = 0;
  auto ended = end.begin();
  for (const auto& [instruction, bytes] : begin) {
    for (; ended != end.end() && ended->first <= instruction; ++ended) now -= ended->second;
    now += bytes;
    most = std::max(most, now);
  }
  return always + most;
}

}  // namespace

std::vector<WastedMemory> FindWastedMemory(const Container& program) {
  std::vector<WastedMemory> found;
  const auto& plans = OrEmpty(program.state().program_root().execution_plan());
  const std::vector<MethodMemory> memories = DescribeMemory(program);
  for (uoffset_t i = 0; i < plans.size(); ++i) {
    const MethodMemory& memory = memories[i];
    if (!memory.has_lifetimes) continue;
    const std::optional<uint64_t> needed = NeededBytes(memory, StateFinder(*plans.Get(i)).Take());
    if (needed && memory.planned_bytes / kTolerated > *needed)
      found.push_back({memory.method, memory.planned_bytes, *needed});
  }
  return found;
}

}  // namespace pteedit
