// The one place that knows every reference to a value of a method. Removing values is "choose, renumber through this".
#ifndef PTEEDIT_SRC_EDIT_VALUE_REFS_H_
#define PTEEDIT_SRC_EDIT_VALUE_REFS_H_

#include <variant>

#include "edit/tables.h"

namespace pteedit {

// Calls visit with each Vector<int32_t>& and each int32_t& by which inputs, outputs, chains and instructions name
// values. A negative item names none.
template <class Visit>
void ForEachValueRef(tables::Instruction& instruction, Visit visit) {
  if (auto* kernel = std::get_if<tables::KernelCall>(&instruction.instr_args)) visit(kernel->args);
  if (auto* call = std::get_if<tables::DelegateCall>(&instruction.instr_args)) visit(call->args);
  if (auto* move = std::get_if<tables::MoveCall>(&instruction.instr_args)) visit(move->move_from), visit(move->move_to);
  if (auto* jump = std::get_if<tables::JumpFalseCall>(&instruction.instr_args)) visit(jump->cond_value_index);
  if (auto* release = std::get_if<tables::FreeCall>(&instruction.instr_args)) visit(release->value);
}

template <class Visit>
void ForEachValueRef(tables::ExecutionPlan& plan, Visit visit) {
  visit(plan.inputs);
  visit(plan.outputs);
  for (tables::Chain& chain : plan.chains.items) {
    visit(chain.inputs);
    visit(chain.outputs);
    for (tables::Instruction& instruction : chain.instructions.items) ForEachValueRef(instruction, visit);
  }
}

// Calls visit with the vector by which a list names other values: a Vector<int32_t>& of tensors, a Vector<int64_t>& of
// numbers.
template <class Visit>
void ForEachItemRef(tables::EValue& value, Visit visit) {
  if (auto* tensors = std::get_if<tables::TensorList>(&value.val)) visit(tensors->value);
  if (auto* tensors = std::get_if<tables::OptionalTensorList>(&value.val)) visit(tensors->value);
  if (auto* numbers = std::get_if<tables::IntList>(&value.val)) visit(numbers->value);
}

}  // namespace pteedit

#endif  // PTEEDIT_SRC_EDIT_VALUE_REFS_H_
