// Float weights that a program quantizes again each time it runs, since its exporter did not.
#ifndef PTEEDIT_SRC_ADVISE_UNFOLDED_WEIGHTS_H_
#define PTEEDIT_SRC_ADVISE_UNFOLDED_WEIGHTS_H_

#include <cstdint>
#include <string>

#include "pteedit/container.h"

namespace pteedit {

struct UnfoldedWeights {
  uint64_t count = 0;
  uint64_t bytes = 0;
  std::string largest;  // its name
};

// Constants of the program that are the first argument of an operator that quantizes.
UnfoldedWeights FindUnfoldedWeights(const Container& program);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_ADVISE_UNFOLDED_WEIGHTS_H_
