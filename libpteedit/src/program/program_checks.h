// The one place where the numbers inside verified program tables are checked against each other and against the
// segments.
#ifndef PTEEDIT_SRC_PROGRAM_PROGRAM_CHECKS_H_
#define PTEEDIT_SRC_PROGRAM_PROGRAM_CHECKS_H_

#include <vector>

#include "program/schema.h"
#include "pteedit/bytes.h"
#include "pteedit/result.h"

namespace pteedit {

// What is wrong, in file order, at most kMaxProblems: segments, buffers, delegates, values, operators, instructions
// and jumps that do not exist or do not fit, each with table, index and both numbers. `segments` by index, already
// known to lie inside the file.
std::vector<Error> FindProgramProblems(const schema::Program& program, const std::vector<Extent>& segments);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_PROGRAM_PROGRAM_CHECKS_H_
