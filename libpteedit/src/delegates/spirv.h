// The few words of SPIR-V that say which TOSA operators a graph is made of.
#ifndef PTEEDIT_SRC_DELEGATES_SPIRV_H_
#define PTEEDIT_SRC_DELEGATES_SPIRV_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pteedit/result.h"

namespace pteedit {

// Names as TosaOperatorName, in the order of the module, of its instructions from a set whose name begins with "TOSA.".
// kUnsupported where the words are no SPIR-V, or an instruction is longer than what is left.
Result<std::vector<std::string>> TosaOperators(std::span<const uint32_t> words);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_DELEGATES_SPIRV_H_
