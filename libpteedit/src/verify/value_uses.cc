#include "verify/value_uses.h"

#include <algorithm>
#include <string_view>

#include "delegates/xnnpack.h"
#include "program/lifetimes.h"

namespace pteedit {
namespace {

// Kernels that give a part of their input, or put their inputs into one output, without moving a byte.
bool IsView(const schema::Operator& op) {
  const std::string_view name = ViewOf(op.name());
  return name.starts_with("executorch_prim::et_view") || name.ends_with("_nop");
}

class UseCollector {
 public:
  explicit UseCollector(const schema::ExecutionPlan& plan) : plan_(plan), uses_(OrEmpty(plan.values()).size()) {}

  std::vector<ValueUse> Collect() {
    for (const schema::Chain* chain : OrEmpty(plan_.chains())) {
      for (const schema::Instruction* instruction : OrEmpty(chain->instructions())) {
        ++step_;
        if (const auto* kernel = instruction->instr_args_as_KernelCall()) AddKernel(*kernel);
        if (const auto* delegate = instruction->instr_args_as_DelegateCall()) AddDelegate(*delegate);
        if (const auto* move = instruction->instr_args_as_MoveCall()) UseOf(move->move_to()).is_redirected = true;
        if (const auto* jump = instruction->instr_args_as_JumpFalseCall()) {
          UseOf(jump->cond_value_index()).needs_memory = true;
          UseOf(jump->cond_value_index()).last_read = step_;
        }
      }
    }
    for (const int32_t output : OrEmpty(plan_.outputs())) UseOf(output).last_read = step_ + 1;
    return std::move(uses_);
  }

 private:
  ValueUse& UseOf(int32_t value) { return uses_[static_cast<uint32_t>(value)]; }

  // Calls visit(ValueUse&) for the value and, of a list, for its items.
  template <class Visit>
  void ForEachUseOf(int32_t value, Visit visit) {
    visit(UseOf(value));
    ForEachItemOf(*plan_.values()->Get(static_cast<flatbuffers::uoffset_t>(value)),
                  [&](uint32_t item) { visit(uses_[item]); });
  }

  void AddKernel(const schema::KernelCall& call) {
    const auto& args = OrEmpty(call.args());
    if (args.size() == 0) return;
    const auto count = static_cast<flatbuffers::uoffset_t>(args.size());
    const int32_t result = args.Get(count - 1);
    const schema::Operator& op = *plan_.operators()->Get(static_cast<flatbuffers::uoffset_t>(call.op_index()));
    for (const int32_t arg : args) ForEachUseOf(arg, [](ValueUse& use) { use.needs_memory = true; });
    if (IsView(op)) {
      UseOf(result).is_redirected = true;
    } else if (std::find(args.begin(), args.end() - 1, result) != args.end() - 1) {
      AddWrite(result);
    }
    for (flatbuffers::uoffset_t i = 0; i + 1 < count; ++i) {
      if (args.Get(i) != result) ForEachUseOf(args.Get(i), [&](ValueUse& use) { use.last_read = step_; });
    }
  }

  // The schema of an out variant names the outputs, and the exporter adds what the kernel returns: the same again.
  void AddWrite(int32_t result) {
    ForEachUseOf(result, [&](ValueUse& use) {
      if (use.writes++ == 0) use.first_write = step_;
      use.may_be_written = true;
    });
  }

  // Of other backends nobody knows whose memory their outputs are in.
  void AddDelegate(const schema::DelegateCall& call) {
    const schema::BackendDelegate& delegate =
        *plan_.delegates()->Get(static_cast<flatbuffers::uoffset_t>(call.delegate_index()));
    const bool needs_memory = ViewOf(delegate.id()) == kXnnpackBackend;
    for (const int32_t arg : OrEmpty(call.args())) {
      UseOf(arg).may_be_written = true;
      UseOf(arg).last_read = step_;
      UseOf(arg).needs_memory = UseOf(arg).needs_memory || needs_memory;
    }
  }

  const schema::ExecutionPlan& plan_;
  std::vector<ValueUse> uses_;
  uint64_t step_ = 0;
};

}  // namespace

std::vector<ValueUse> UsesOfValues(const schema::ExecutionPlan& plan) { return UseCollector(plan).Collect(); }

}  // namespace pteedit
