// Since when stock kernels take the element types that they learned late. Generated; see the source file.
#ifndef PTEEDIT_SRC_NEEDS_KERNEL_TYPES_H_
#define PTEEDIT_SRC_NEEDS_KERNEL_TYPES_H_

#include <limits>
#include <span>
#include <string_view>

#include "needs/release_tables.h"

namespace pteedit {

inline constexpr RuntimeRelease kInNone{std::numeric_limits<int>::max(), 0};

// The first release that takes each; 0.0 where the oldest one that was looked at, 0.4, does, or that is not known.
struct KernelTypes {
  std::string_view name;
  RuntimeRelease float16, bfloat16;
};

// By name: those of which some release does not take one of them.
std::span<const KernelTypes> TypesOfKernels();

}  // namespace pteedit

#endif  // PTEEDIT_SRC_NEEDS_KERNEL_TYPES_H_
