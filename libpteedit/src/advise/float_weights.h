// Weights that were left in float32 where others were quantized.
#ifndef PTEEDIT_SRC_ADVISE_FLOAT_WEIGHTS_H_
#define PTEEDIT_SRC_ADVISE_FLOAT_WEIGHTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "program/constants.h"
#include "pteedit/delegates.h"

namespace pteedit {

// Of constants with two dimensions or more; scales and biases are always float32.
struct FloatWeights {
  uint64_t count = 0, bytes = 0;  // in float32
  std::string largest;            // quoted; where it has no name of its own, the delegate it is in
  uint64_t quantized_bytes = 0;   // with elements of at most 8 bits
};

// Contents that several delegates read under one key count once.
FloatWeights FindFloatWeights(const std::vector<Constant>& constants,
                              const std::vector<DelegateDescription>& delegates);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_ADVISE_FLOAT_WEIGHTS_H_
