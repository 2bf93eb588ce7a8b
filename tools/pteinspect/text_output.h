// Text that goes to a file of its own.
#ifndef PTEEDIT_TOOLS_PTEINSPECT_TEXT_OUTPUT_H_
#define PTEEDIT_TOOLS_PTEINSPECT_TEXT_OUTPUT_H_

#include <string>
#include <vector>

#include "pteedit/result.h"

namespace pteedit::inspect {

// Writes all of it or nothing to `output`, - for standard output. Fails with kInvalidArgument where that is one of
// `inputs`, or exists and is not to be replaced; kIo where it cannot be written.
Status WriteText(const std::string& text, const std::string& output, const std::vector<std::string>& inputs,
                 bool replace);

}  // namespace pteedit::inspect

#endif  // PTEEDIT_TOOLS_PTEINSPECT_TEXT_OUTPUT_H_
