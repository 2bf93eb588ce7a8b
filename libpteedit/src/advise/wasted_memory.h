// Methods for which far more memory is planned than their tensors need at once.
#ifndef PTEEDIT_SRC_ADVISE_WASTED_MEMORY_H_
#define PTEEDIT_SRC_ADVISE_WASTED_MEMORY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "pteedit/container.h"

namespace pteedit {

struct WastedMemory {
  std::string method;
  uint64_t planned_bytes = 0;
  uint64_t needed_bytes = 0;  // of the tensors that are needed between the same two instructions, where that is most
};

// Of a program; those of which more than twice as much is planned as needed. Methods with jumps, of which lifetimes are
// not known, are left out.
std::vector<WastedMemory> FindWastedMemory(const Container& program);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_ADVISE_WASTED_MEMORY_H_
