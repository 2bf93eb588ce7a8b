// The one place where the numbers inside verified program tables are checked against each other and against the
// segments.
#ifndef PTEEDIT_SRC_PROGRAM_CHECKS_H_
#define PTEEDIT_SRC_PROGRAM_CHECKS_H_

#include <vector>

#include "pteedit/bytes.h"
#include "pteedit/result.h"
#include "schema.h"

namespace pteedit {

// `segments` by index, already known to lie inside the file. Fails with kMalformed, naming table, index and both
// numbers, at the first segment, buffer, delegate, value, operator, instruction or jump that does not exist or does not
// fit.
Status CheckProgram(const schema::Program& program, const std::vector<Extent>& segments);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_PROGRAM_CHECKS_H_
