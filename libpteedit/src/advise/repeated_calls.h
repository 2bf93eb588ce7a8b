// Kernels that compute again what a method has already: masks that each layer makes anew.
#ifndef PTEEDIT_SRC_ADVISE_REPEATED_CALLS_H_
#define PTEEDIT_SRC_ADVISE_REPEATED_CALLS_H_

#include <cstdint>
#include <string>

#include "pteedit/container.h"

namespace pteedit {

struct RepeatedCalls {
  uint64_t count = 0;
  uint64_t bytes = 0;  // that they write
  uint64_t largest_bytes = 0;
  std::string largest;  // of the one that writes most: "aten::where.self_out"
  std::string makes;    // what that writes: "float32[64,64]"
};

// Calls whose operator and arguments, down to inputs and constants, are those of a call before them in the method.
// Views, kernels that write in place and those that draw numbers do not count; of methods with jumps nothing is known.
RepeatedCalls FindRepeatedCalls(const Container& program);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_ADVISE_REPEATED_CALLS_H_
