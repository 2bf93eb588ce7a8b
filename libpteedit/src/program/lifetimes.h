// Between which steps of a method its values are needed: for describing planned memory and for judging it.
#ifndef PTEEDIT_SRC_PROGRAM_LIFETIMES_H_
#define PTEEDIT_SRC_PROGRAM_LIFETIMES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "program/schema.h"

namespace pteedit {

// Calls visit(uint32_t value) for what an instruction names: its arguments; of a move from and to, of a jump the
// condition.
template <class Visit>
void ForEachValueOf(const schema::Instruction& instruction, Visit visit) {
  const auto visit_all = [&](const flatbuffers::Vector<int32_t>* args) {
    for (const int32_t value : OrEmpty(args)) visit(static_cast<uint32_t>(value));
  };
  if (const auto* kernel = instruction.instr_args_as_KernelCall()) return visit_all(kernel->args());
  if (const auto* delegate = instruction.instr_args_as_DelegateCall()) return visit_all(delegate->args());
  if (const auto* move = instruction.instr_args_as_MoveCall()) {
    visit(static_cast<uint32_t>(move->move_from()));
    visit(static_cast<uint32_t>(move->move_to()));
  } else if (const auto* jump = instruction.instr_args_as_JumpFalseCall()) {
    visit(static_cast<uint32_t>(jump->cond_value_index()));
  } else if (const auto* release = instruction.instr_args_as_FreeCall()) {
    visit(static_cast<uint32_t>(release->value_index()));
  }
}

// The same for the tensors that a value stands for: itself or, of a list, the items.
template <class Visit>
void ForEachItemOf(const schema::EValue& value, Visit visit) {
  const flatbuffers::Vector<int32_t>* items = nullptr;
  if (const auto* list = value.val_as_TensorList()) items = list->items();
  if (const auto* list = value.val_as_OptionalTensorList()) items = list->items();
  for (const int32_t item : OrEmpty(items)) {
    if (item >= 0) visit(static_cast<uint32_t>(item));
  }
}

// In the order of the file, chain after chain: a jump changes neither what is named before what, nor, where the
// exporter wrote it, what may share memory. All indices of the method are checked.
class Lifetimes {
 public:
  // Step 0 sets the inputs, step 1 is the first instruction, and the last step reads the outputs. Both are included.
  struct Span {
    uint64_t first = 0, last = 0;
  };

  explicit Lifetimes(const schema::ExecutionPlan& plan);

  // Nothing where nothing names the value.
  const std::optional<Span>& Of(size_t value) const { return spans_[value]; }
  uint64_t last_step() const { return last_step_; }

 private:
  void Extend(uint32_t value, uint64_t first, uint64_t last);

  std::vector<std::optional<Span>> spans_;
  uint64_t last_step_ = 0;
};

}  // namespace pteedit

#endif  // PTEEDIT_SRC_PROGRAM_LIFETIMES_H_
