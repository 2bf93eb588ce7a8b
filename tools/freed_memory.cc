#include "freed_memory.h"

#if defined(__linux__)
#include <malloc.h>
#endif

namespace pteedit::cli {

#if defined(__GLIBC__)

namespace {
bool is_tool = false;
}

void GiveBackLargeBlocks() {
  constexpr int kLargeBytes = 128 << 10;  // as by itself at first, which each freed block would raise
  mallopt(M_MMAP_THRESHOLD, kLargeBytes);
  is_tool = true;
}

void GiveBackSmallBlocks() {
  if (is_tool) malloc_trim(0);
}

#else

void GiveBackLargeBlocks() {}
void GiveBackSmallBlocks() {}

#endif

}  // namespace pteedit::cli
