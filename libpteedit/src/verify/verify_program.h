// What the runtime demands of a program beyond the format: found by reading its loader and trying it.
#ifndef PTEEDIT_SRC_VERIFY_VERIFY_PROGRAM_H_
#define PTEEDIT_SRC_VERIFY_VERIFY_PROGRAM_H_

#include <vector>

#include "pteedit/container.h"
#include "pteedit/finding.h"

namespace pteedit {

// Of a program alone: fields that must be there, values, lists, arenas, instructions, names.
std::vector<Finding> VerifyProgram(const Container& program);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_VERIFY_VERIFY_PROGRAM_H_
