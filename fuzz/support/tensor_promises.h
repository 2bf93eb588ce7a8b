// What is promised of the values in every torch archive or pickle that can be read.
#ifndef PTEEDIT_FUZZ_TENSOR_PROMISES_H_
#define PTEEDIT_FUZZ_TENSOR_PROMISES_H_

#include "pteedit/profile/debug_values.h"

namespace pteedit::fuzz {

// Tensors have their data, and as many elements as their sizes say.
void CheckValue(const DebugValue& value);

}  // namespace pteedit::fuzz

#endif  // PTEEDIT_FUZZ_TENSOR_PROMISES_H_
