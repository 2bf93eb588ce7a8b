// Text that goes to a file of its own.
#ifndef PTEEDIT_TOOLS_TEXT_TEXT_OUTPUT_H_
#define PTEEDIT_TOOLS_TEXT_TEXT_OUTPUT_H_

#include <string>
#include <vector>

#include "pteedit/result.h"

namespace pteedit::cli {

struct TextOutput {
  std::string path;  // - for standard output, of one at most
  std::string text;
};

// Writes all of them or none. Fails with kInvalidArgument where one is one of `inputs` or another output, or exists and
// is not to be replaced; kIo where it cannot be written.
Status WriteTexts(const std::vector<TextOutput>& outputs, const std::vector<std::string>& inputs, bool replace);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_TEXT_TEXT_OUTPUT_H_
