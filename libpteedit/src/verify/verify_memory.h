// What is wrong with the memory that was planned for a program's methods: the runtime gives each arena and trusts the
// plan.
#ifndef PTEEDIT_SRC_VERIFY_VERIFY_MEMORY_H_
#define PTEEDIT_SRC_VERIFY_VERIFY_MEMORY_H_

#include <vector>

#include "pteedit/container.h"
#include "pteedit/finding.h"

namespace pteedit {

// Arenas, tensors that have no place or share one that both need, inputs that would be written over constants.
std::vector<Finding> VerifyMemory(const Container& program);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_VERIFY_VERIFY_MEMORY_H_
