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
    case ElementType::kFloat8E5m2:
    case ElementType::kFloat8E4m3fn:
    case ElementType::kFloat8E5m2fnuz:
    case ElementType::kFloat8E4m3fnuz:
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
  const std::optional<uint64_t> element = ReadableSize(scalar_type);
  if (!element)
    return Unsupported(Text("has elements of type ", ScalarTypeName(scalar_type), ", which cannot be read"));
  for (const int64_t size : sizes) {
    if (size < 0) return Malformed(Text("has a size of ", size));
  }
  if (std::count(sizes.begin(), sizes.end(), 0) != 0) return 0;
  const std::optional<uint64_t> bytes = CheckedProduct(*element, sizes);
  if (!bytes) return Malformed("has more than 2^64 bytes");
  return *bytes;
}

std::shared_ptr<const Source> DataOf(const TensorValue& tensor) {
  if (tensor.data != nullptr) return tensor.data;
  return MakeCallbackSource("", tensor.bytes, [](uint64_t, MutableByteSpan out) -> Status {
    std::fill_n(out.data, out.size, uint8_t{0});
    return {};
  });
}

double FromSmallFloat(const SmallFloat& format, uint32_t bits) {
  const uint32_t fractions = uint32_t{1} << format.fraction_bits, exponents = uint32_t{1} << format.exponent_bits;
  const uint32_t fraction = bits % fractions, exponent = bits / fractions % exponents;
  const bool is_negative = bits / fractions >= exponents, is_last = exponent == exponents - 1;
  const double sign = is_negative ? -1 : 1;
  using Special = SmallFloat::Special;
  if (format.special == Special::kIeee && is_last) return fraction != 0 ? std::nan("") : sign * HUGE_VAL;
  if (format.special == Special::kAllOnes && is_last && fraction == fractions - 1) return std::nan("");
  if (format.special == Special::kMinusZero && is_negative && exponent == 0 && fraction == 0) return std::nan("");
  const uint32_t digits = exponent == 0 ? fraction : fraction + fractions;
  const int power = std::max(static_cast<int>(exponent), 1) - format.bias - format.fraction_bits;
  return sign * std::ldexp(static_cast<double>(digits), power);
}

std::optional<uint64_t> StoredElementSize(int8_t scalar_type) {
  constexpr int8_t kComplexHalf = 8, kComplexDouble = 10;  // as PyTorch counts
  if (scalar_type >= kComplexHalf && scalar_type <= kComplexDouble) return uint64_t{4} << (scalar_type - kComplexHalf);
  return ElementSize(scalar_type);
}

uint64_t CountElements(const TensorValue& tensor) {
  return tensor.bytes / StoredElementSize(tensor.scalar_type).value_or(1);
}

Result<TensorElements> ReadElements(const TensorValue& tensor, uint64_t most) {
  const uint64_t count = CountElements(tensor);
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
  statistics.elements = CountElements(tensor);
  if (statistics.elements == 0 || !ReadableSize(tensor.scalar_type)) return statistics;
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
