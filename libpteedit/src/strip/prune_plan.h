// Taking values, operators and delegates out of a method.
#ifndef PTEEDIT_SRC_STRIP_PRUNE_PLAN_H_
#define PTEEDIT_SRC_STRIP_PRUNE_PLAN_H_

#include <vector>

#include "edit/tables.h"

namespace pteedit {

// Of each value whether it stays: those that inputs, outputs, chains, instructions or a list that stays name, and those
// that `roots`, as long as the values, demands.
std::vector<bool> NamedValues(tables::ExecutionPlan& plan, std::vector<bool> roots);

// Of each operator, and of each delegate, whether an instruction calls it.
std::vector<bool> CalledOperators(const tables::ExecutionPlan& plan);
std::vector<bool> CalledDelegates(const tables::ExecutionPlan& plan);

// Drops what is not wanted and renumbers all that refers to the rest. The unwanted must not be referred to. Returns
// what went.
std::vector<tables::EValue> KeepValues(tables::ExecutionPlan& plan, const std::vector<bool>& wanted);
std::vector<tables::Operator> KeepOperators(tables::ExecutionPlan& plan, const std::vector<bool>& wanted);
std::vector<tables::BackendDelegate> KeepDelegates(tables::ExecutionPlan& plan, const std::vector<bool>& wanted);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_STRIP_PRUNE_PLAN_H_
