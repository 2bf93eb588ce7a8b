#include "io/converted_source.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>
#include <vector>

#include "base/load.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

constexpr uint64_t kMostAtOnce = uint64_t{1} << 18;  // elements

// `bits` without its last `count` ones, rounded to the nearest, in the middle to an even one.
uint32_t Rounded(uint32_t bits, uint32_t count) {
  const uint32_t half = uint32_t{1} << (count - 1);
  return (bits + half - 1 + ((bits >> count) & 1)) >> count;
}

float HalfToFloat(uint16_t half) {
  const uint32_t sign = uint32_t{half & 0x8000U} << 16;
  const uint32_t exponent = (half >> 10) & 0x1FU, fraction = half & 0x3FFU;
  if (exponent == 0) {
    const float small = static_cast<float>(fraction) * 0x1p-24F;
    return sign == 0 ? small : -small;
  }
  const uint32_t wide = exponent == 0x1F ? 0xFFU : exponent + 112;
  return std::bit_cast<float>(sign | wide << 23 | fraction << 13);
}

uint16_t FloatToHalf(float number) {
  const auto bits = std::bit_cast<uint32_t>(number);
  const uint32_t sign = (bits >> 16) & 0x8000U, rest = bits & 0x7FFFFFFFU;
  constexpr uint32_t kInfinity = 0x7F800000U, kLeastNormal = 113U << 23;  // 2^-14
  if (rest > kInfinity) return static_cast<uint16_t>(sign | 0x7E00U);
  if (rest >= kLeastNormal) {
    const uint32_t half = Rounded(std::min(rest, kInfinity) - (112U << 23), 13);
    return static_cast<uint16_t>(sign | std::min<uint32_t>(half, 0x7C00U));
  }
  const uint32_t shift = 126 - (rest >> 23);  // of the fraction, with the one before it
  if (shift > 25) return static_cast<uint16_t>(sign);
  return static_cast<uint16_t>(sign | Rounded((rest & 0x7FFFFFU) | 0x800000U, shift));
}

uint16_t FloatToBfloat(float number) {
  const auto bits = std::bit_cast<uint32_t>(number);
  return number != number ? uint16_t{0x7FC0} : static_cast<uint16_t>(Rounded(bits, 16));
}

float FloatAt(const uint8_t* bytes, FloatType type) {
  if (type == FloatType::kFloat32) return Load<float>(bytes);
  const auto bits = Load<uint16_t>(bytes);
  return type == FloatType::kFloat16 ? HalfToFloat(bits) : std::bit_cast<float>(uint32_t{bits} << 16);
}

void StoreFloat(float number, FloatType type, uint8_t* bytes) {
  if (type == FloatType::kFloat32) {
    std::memcpy(bytes, &number, sizeof(number));
    return;
  }
  const uint16_t bits = type == FloatType::kFloat16 ? FloatToHalf(number) : FloatToBfloat(number);
  std::memcpy(bytes, &bits, sizeof(bits));
}

}  // namespace

std::shared_ptr<const Source> ConvertFloats(std::shared_ptr<const Source> numbers, FloatType from, FloatType to) {
  const std::string name = numbers->name();
  const uint64_t size = numbers->size() / BytesOf(from) * BytesOf(to);
  return MakeCallbackSource(
      name, size, [numbers = std::move(numbers), from, to](uint64_t offset, MutableByteSpan out) -> Status {
        const uint64_t width = BytesOf(to), in_width = BytesOf(from);
        while (out.size != 0) {
          const uint64_t first = offset / width, skipped = offset % width;
          const uint64_t count = std::min<uint64_t>(kMostAtOnce, (skipped + out.size + width - 1) / width);
          std::vector<uint8_t> in(static_cast<size_t>(count * in_width)), converted(static_cast<size_t>(count * width));
          PTEEDIT_TRY(numbers->Read(first * in_width, {in.data(), in.size()}));
          for (uint64_t i = 0; i < count; ++i) StoreFloat(FloatAt(&in[i * in_width], from), to, &converted[i * width]);
          const size_t step = std::min(out.size, static_cast<size_t>(count * width - skipped));
          std::memcpy(out.data, &converted[skipped], step);
          offset += step;
          out = {out.data + step, out.size - step};
        }
        return {};
      });
}

}  // namespace pteedit
