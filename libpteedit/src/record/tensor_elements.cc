#include "record/tensor_elements.h"

#include <algorithm>
#include <cmath>

#include "base/checked.h"
#include "base/text.h"
#include "io/digest.h"
#include "program/layout.h"

namespace pteedit {

std::optional<uint64_t> ReadableSize(int8_t scalar_type) {
  switch (static_cast<ElementType>(scalar_type)) {
    case ElementType::kByte:
    case ElementType::kChar:
    case ElementType::kBool:
      return 1;
    case ElementType::kShort:
    case ElementType::kHalf:
    case ElementType::kBfloat16:
    case ElementType::kBits16:
    case ElementType::kUint16:
      return 2;
    case ElementType::kInt:
    case ElementType::kUint32:
    case ElementType::kFloat:
      return 4;
    case ElementType::kLong:
    case ElementType::kDouble:
      return 8;
  }
  return std::nullopt;
}

Result<uint64_t> CountBytes(int8_t scalar_type, const std::vector<int64_t>& sizes) {
  std::optional<uint64_t> bytes = ReadableSize(scalar_type);
  if (!bytes) return Unsupported(Text("has elements of type ", ScalarTypeName(scalar_type), ", which cannot be read"));
  for (const int64_t size : sizes) {
    if (size < 0) return Malformed(Text("has a size of ", size));
  }
  if (std::count(sizes.begin(), sizes.end(), 0) != 0) return 0;
  for (const int64_t size : sizes) {
    bytes = CheckedMultiply(*bytes, static_cast<uint64_t>(size));
    if (!bytes) return Malformed("has more than 2^64 bytes");
  }
  return *bytes;
}

std::shared_ptr<const Source> DataOf(const TensorValue& tensor) {
  if (tensor.data != nullptr) return tensor.data;
  return MakeCallbackSource("", tensor.bytes, [](uint64_t, MutableByteSpan out) -> Status {
    std::fill_n(out.data, out.size, uint8_t{0});
    return {};
  });
}

double FromHalf(uint16_t bits) {
  constexpr int kFractionBits = 10, kBias = 15, kMaxExponent = 31;
  const int exponent = (bits >> kFractionBits) & kMaxExponent;
  const double fraction = bits & ((1 << kFractionBits) - 1);
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == kMaxExponent) return fraction != 0 ? std::nan("") : sign * HUGE_VAL;
  if (exponent == 0) return sign * std::ldexp(fraction, 1 - kBias - kFractionBits);
  return sign * std::ldexp(fraction + (1 << kFractionBits), exponent - kBias - kFractionBits);
}

Result<TensorElements> ReadElements(const TensorValue& tensor, uint64_t most) {
  const uint64_t count = tensor.bytes / ReadableSize(tensor.scalar_type).value_or(1);
  if (count > most) return InvalidArgument(Text("tensor has ", count, " elements, more than ", most));
  struct Collector {
    void operator()(int64_t number) const { elements->numbers.push_back(number); }
    void operator()(double real) const { elements->reals.push_back(real); }
    TensorElements* elements;
  };
  TensorElements elements;
  PTEEDIT_TRY(ForEachElement(tensor, Collector{&elements}));
  return elements;
}

Result<TensorStatistics> StatisticsOf(const TensorValue& tensor) {
  TensorStatistics statistics;
  statistics.elements = tensor.bytes / ReadableSize(tensor.scalar_type).value_or(1);
  if (statistics.elements == 0) return statistics;
  if (tensor.data == nullptr) {
    statistics.min = statistics.max = statistics.mean = 0;
    return statistics;
  }
  double sum = 0;
  const auto add = [&](auto element) {
    const auto real = static_cast<double>(element);
    statistics.nans += std::isnan(real);
    statistics.infinities += std::isinf(real);
    if (!std::isfinite(real)) return;
    statistics.min = std::min(statistics.min.value_or(real), real);
    statistics.max = std::max(statistics.max.value_or(real), real);
    sum += real;
  };
  PTEEDIT_TRY(ForEachElement(tensor, add));
  const uint64_t finite = statistics.elements - statistics.nans - statistics.infinities;
  if (finite != 0) statistics.mean = sum / static_cast<double>(finite);
  return statistics;
}

Result<std::string> ContentHashOf(const TensorValue& tensor) {
  PTEEDIT_ASSIGN(const Sha256Digest digest, Sha256Of(*DataOf(tensor), {0, tensor.bytes}));
  return digest.Hex();
}

}  // namespace pteedit
