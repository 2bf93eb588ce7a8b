// Weights that are stored a second time with rows and columns exchanged, as tied embeddings can be.
#ifndef PTEEDIT_SRC_ADVISE_TRANSPOSED_H_
#define PTEEDIT_SRC_ADVISE_TRANSPOSED_H_

#include <cstdint>
#include <string>
#include <vector>

#include "pteedit/container.h"
#include "pteedit/delegates.h"
#include "pteedit/result.h"

namespace pteedit {

struct TransposedPair {
  std::string first, second;  // constant's name or key
  uint64_t bytes = 0;         // of each
};

// Among constants with two dimensions of the program, which is no bundle, those of its kernels and those that delegates
// name by key. Contents under 64 bytes and such as are equal as they lie do not count. Only matrices that agree in
// their corners are compared, each with a few; in tiles, so that a few MB suffice.
Result<std::vector<TransposedPair>> FindTransposed(const Container& program,
                                                   const std::vector<DelegateDescription>& delegates);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_ADVISE_TRANSPOSED_H_
