// The one home of arithmetic on numbers that came from a file. Nothing here wraps.
#ifndef PTEEDIT_SRC_BASE_CHECKED_H_
#define PTEEDIT_SRC_BASE_CHECKED_H_

#include <bit>
#include <cstdint>
#include <limits>
#include <optional>

#include "pteedit/bytes.h"

namespace pteedit {

// Whether `size` bytes from `offset` on lie within the first `limit` bytes.
constexpr bool Fits(uint64_t offset, uint64_t size, uint64_t limit) {
  return offset <= limit && size <= limit - offset;
}
constexpr bool Fits(Extent extent, uint64_t limit) { return Fits(extent.offset, extent.size, limit); }

constexpr std::optional<uint64_t> CheckedAdd(uint64_t a, uint64_t b) {
  if (b > std::numeric_limits<uint64_t>::max() - a) return std::nullopt;
  return a + b;
}

constexpr std::optional<uint64_t> CheckedMultiply(uint64_t a, uint64_t b) {
  if (a != 0 && b > std::numeric_limits<uint64_t>::max() / a) return std::nullopt;
  return a * b;
}

// `first` times all of `factors`, none below zero; nothing where that wraps.
template <class Factors>
constexpr std::optional<uint64_t> CheckedProduct(uint64_t first, const Factors& factors) {
  std::optional<uint64_t> product = first;
  for (const auto factor : factors) {
    if (product) product = CheckedMultiply(*product, static_cast<uint64_t>(factor));
  }
  return product;
}

// The next multiple of `alignment`, a power of two. For trusted sizes (sums of real files): far from wrapping.
constexpr uint64_t AlignUp(uint64_t value, uint64_t alignment) { return (value + alignment - 1) & ~(alignment - 1); }

// The largest power of two that divides `value`, at most `limit` (a power of two), which is also the answer for 0.
constexpr uint64_t AlignmentOf(uint64_t value, uint64_t limit) {
  if (value == 0) return limit;
  const uint64_t power = uint64_t{1} << std::countr_zero(value);
  return power < limit ? power : limit;
}

constexpr bool IsPowerOfTwo(uint64_t value) { return std::has_single_bit(value); }

}  // namespace pteedit

#endif  // PTEEDIT_SRC_BASE_CHECKED_H_
