#include "delegates/native_meta.h"

#include <bit>

#include "program/layout.h"

namespace pteedit {
namespace {

constexpr uint64_t kByteBits = 8, kHalfByteBits = 4;

// Bits of the numbers from `min` to `max`; 0 where they are no range.
uint64_t BitsOfRange(int32_t min, int32_t max) {
  return max < min ? 0 : static_cast<uint64_t>(std::bit_width(static_cast<uint64_t>(int64_t{max} - min)));
}

}  // namespace

int8_t NativeTorchNumber(schema::native::ScalarType type) {
  using NativeType = schema::native::ScalarType;
  constexpr int kUnsignedShift = static_cast<int>(schema::ScalarType::UINT16) - static_cast<int>(NativeType::UINT16);
  const bool is_shifted = type >= NativeType::UINT16 && type <= NativeType::UINT64;
  return static_cast<int8_t>(static_cast<int>(type) + (is_shifted ? kUnsignedShift : 0));
}

uint64_t NativeElementBytes(schema::native::ScalarType type) {
  return ElementSize(NativeTorchNumber(type)).value_or(0);
}

uint64_t NativeBitsOf(const schema::native::TensorMeta& meta) {
  if (meta.quant() == nullptr) return NativeElementBytes(meta.dtype()) * kByteBits;
  const auto* group = meta.quant()->scheme_as_AffineGroup();
  const uint64_t bits = group == nullptr ? 0 : BitsOfRange(group->quant_min(), group->quant_max());
  return bits == kByteBits || bits == kHalfByteBits ? bits : 0;
}

std::vector<uint64_t> NativeScaleSizes(std::vector<uint64_t> sizes, int32_t group_size) {
  if (!sizes.empty()) sizes.back() = group_size <= 0 ? 1 : sizes.back() / static_cast<uint64_t>(group_size);
  return sizes;
}

}  // namespace pteedit
