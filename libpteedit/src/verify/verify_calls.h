// What is wrong with instructions one by one, beyond indices and types of fields: calls that an operator of the runtime
// itself cannot take, moves and jumps that no exporter writes.
#ifndef PTEEDIT_SRC_VERIFY_VERIFY_CALLS_H_
#define PTEEDIT_SRC_VERIFY_VERIFY_CALLS_H_

#include <vector>

#include "pteedit/container.h"
#include "pteedit/finding.h"

namespace pteedit {

// Of a program whose indices are checked.
std::vector<Finding> VerifyCalls(const Container& program);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_VERIFY_VERIFY_CALLS_H_
