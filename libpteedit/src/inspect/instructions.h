// The instructions of one method, one by one: a list of them takes as much memory as the tables.
#ifndef PTEEDIT_SRC_INSPECT_INSTRUCTIONS_H_
#define PTEEDIT_SRC_INSPECT_INSTRUCTIONS_H_

#include <functional>
#include <vector>

#include "program/delegate_names.h"
#include "program/schema.h"
#include "pteedit/execution.h"

namespace pteedit {

// How many instructions a method has.
size_t CountInstructions(const schema::ExecutionPlan& plan);

// In file order; `delegates` are the names of the method's.
void ForEachInstruction(const schema::ExecutionPlan& plan, const DelegateNames& delegates,
                        const std::function<void(InstructionDescription)>& visit);

// Calls visit with each call of a delegate.
template <class Visit>
void ForEachDelegateCall(const schema::ExecutionPlan& plan, Visit visit) {
  for (const schema::Chain* chain : OrEmpty(plan.chains())) {
    for (const schema::Instruction* instruction : OrEmpty(chain->instructions())) {
      if (const auto* call = instruction->instr_args_as_DelegateCall()) visit(*call);
    }
  }
}

std::vector<InstructionDescription> InstructionsOf(const schema::ExecutionPlan& plan, const DelegateNames& delegates);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_INSPECT_INSTRUCTIONS_H_
