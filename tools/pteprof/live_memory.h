// How much of the memory that was planned for a method holds something at each of its instructions.
#ifndef PTEEDIT_TOOLS_PTEPROF_LIVE_MEMORY_H_
#define PTEEDIT_TOOLS_PTEPROF_LIVE_MEMORY_H_

#include <cstdint>
#include <vector>

#include "pteedit/execution.h"

namespace pteedit::cli {

// From this instruction on, until the next step of the arena.
struct MemoryStep {
  uint64_t instruction = 0;
  uint32_t arena = 0;  // from 1 on
  uint64_t bytes = 0;  // that tensors in use lie in, each byte once
};

// By instruction. None where lifetimes are not known.
std::vector<MemoryStep> LiveMemory(const MethodMemory& memory);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_PTEPROF_LIVE_MEMORY_H_
