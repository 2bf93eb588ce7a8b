// What the instructions of a method do with its values, as far as every runtime agrees on that: kernels of out variants
// name their outputs twice, moves make one value stand for another, views point into what they view.
#ifndef PTEEDIT_SRC_VERIFY_VALUE_USES_H_
#define PTEEDIT_SRC_VERIFY_VALUE_USES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "program/schema.h"

namespace pteedit {

struct ValueUse {
  uint64_t first_write = 0;     // step of the first instruction that surely writes it; steps are those of Lifetimes
  size_t writes = 0;            // such instructions
  uint64_t last_read = 0;       // last step that names it elsewhere than among a kernel's outputs
  bool needs_memory = false;    // named by a kernel or jump, or by a delegate that brings no memory of its own
  bool may_be_written = false;  // a kernel returns it, or a delegate names it
  bool is_redirected = false;   // the target of a move, or what a view gives: has the memory of another one
};

// By value. All indices of the method are checked.
std::vector<ValueUse> UsesOfValues(const schema::ExecutionPlan& plan);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_VERIFY_VALUE_USES_H_
