// The elements of logged tensors, one after the other, as numbers to compute with.
#ifndef PTEEDIT_SRC_RECORD_TENSOR_ELEMENTS_H_
#define PTEEDIT_SRC_RECORD_TENSOR_ELEMENTS_H_

#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "io/streaming.h"
#include "pteedit/bytes.h"
#include "pteedit/profile/tensor_values.h"
#include "pteedit/result.h"
#include "pteedit/try.h"

namespace pteedit {

// PyTorch's numbers of the types that can be read.
enum class ElementType : int8_t {
  kByte = 0,
  kChar = 1,
  kShort = 2,
  kInt = 3,
  kLong = 4,
  kHalf = 5,
  kFloat = 6,
  kDouble = 7,
  kBool = 11,
  kBfloat16 = 15,
  kBits16 = 22,  // read as kUint16
  kFloat8E5m2 = 23,
  kFloat8E4m3fn = 24,
  kFloat8E5m2fnuz = 25,
  kFloat8E4m3fnuz = 26,
  kUint16 = 27,
  kUint32 = 28,
};

// Bytes of an element; nothing for a type that cannot be read.
std::optional<uint64_t> ReadableSize(int8_t scalar_type);

// How many bytes a tensor has. kMalformed where a size is negative or the product needs more than 64 bits, kUnsupported
// for a type that cannot be read. Messages begin with a verb: "has a size of -1".
Result<uint64_t> CountBytes(int8_t scalar_type, const std::vector<int64_t>& sizes);

// The data, or as many zeros.
std::shared_ptr<const Source> DataOf(const TensorValue& tensor);

// The same also of those that are only kept: complex numbers, those of 64 bits without sign.
std::optional<uint64_t> StoredElementSize(int8_t scalar_type);
uint64_t CountElements(const TensorValue& tensor);

// How floats of fewer than 32 bits are built: sign, exponent, fraction.
struct SmallFloat {
  int exponent_bits = 0, fraction_bits = 0, bias = 0;
  enum class Special { kIeee, kAllOnes, kMinusZero };  // what is no number: "fn" has no infinities, "fnuz" one NaN
  Special special = Special::kIeee;
};
double FromSmallFloat(const SmallFloat& format, uint32_t bits);

inline constexpr SmallFloat kHalfFormat = {5, 10, 15, SmallFloat::Special::kIeee};
inline constexpr SmallFloat kE5m2Format = {5, 2, 15, SmallFloat::Special::kIeee};
inline constexpr SmallFloat kE4m3fnFormat = {4, 3, 7, SmallFloat::Special::kAllOnes};
inline constexpr SmallFloat kE5m2fnuzFormat = {5, 2, 16, SmallFloat::Special::kMinusZero};
inline constexpr SmallFloat kE4m3fnuzFormat = {4, 3, 8, SmallFloat::Special::kMinusZero};

template <class Number>
Number LoadElement(const uint8_t* bytes) {
  Number number;
  std::memcpy(&number, bytes, sizeof number);
  return number;
}

template <class Number, class Use>
void UseElements(ByteSpan bytes, Use use) {
  for (size_t i = 0; i + sizeof(Number) <= bytes.size; i += sizeof(Number)) use(LoadElement<Number>(bytes.data + i));
}

// Calls use(int64_t) or use(double) with each element of `bytes`, which hold whole ones.
template <class Use>
void DecodeElements(int8_t scalar_type, ByteSpan bytes, Use use) {
  const auto whole = [&](auto number) { use(static_cast<int64_t>(number)); };
  const auto real = [&](auto number) { use(static_cast<double>(number)); };
  const auto small = [&](const SmallFloat& format) {
    UseElements<uint8_t>(bytes, [&](uint8_t bits) { use(FromSmallFloat(format, bits)); });
  };
  switch (static_cast<ElementType>(scalar_type)) {
    case ElementType::kByte:
      return UseElements<uint8_t>(bytes, whole);
    case ElementType::kChar:
      return UseElements<int8_t>(bytes, whole);
    case ElementType::kBool:
      return UseElements<uint8_t>(bytes, [&](uint8_t bit) { use(int64_t{bit != 0}); });
    case ElementType::kShort:
      return UseElements<int16_t>(bytes, whole);
    case ElementType::kBits16:
    case ElementType::kUint16:
      return UseElements<uint16_t>(bytes, whole);
    case ElementType::kInt:
      return UseElements<int32_t>(bytes, whole);
    case ElementType::kUint32:
      return UseElements<uint32_t>(bytes, whole);
    case ElementType::kLong:
      return UseElements<int64_t>(bytes, whole);
    case ElementType::kHalf:
      return UseElements<uint16_t>(bytes, [&](uint16_t bits) { use(FromSmallFloat(kHalfFormat, bits)); });
    case ElementType::kBfloat16:
      return UseElements<uint16_t>(bytes, [&](uint16_t bits) {
        const uint32_t wide = static_cast<uint32_t>(bits) << 16;
        real(LoadElement<float>(reinterpret_cast<const uint8_t*>(&wide)));
      });
    case ElementType::kFloat:
      return UseElements<float>(bytes, real);
    case ElementType::kDouble:
      return UseElements<double>(bytes, real);
    case ElementType::kFloat8E5m2:
      return small(kE5m2Format);
    case ElementType::kFloat8E4m3fn:
      return small(kE4m3fnFormat);
    case ElementType::kFloat8E5m2fnuz:
      return small(kE5m2fnuzFormat);
    case ElementType::kFloat8E4m3fnuz:
      return small(kE4m3fnuzFormat);
  }
}

// The same for all elements of a tensor, read piece by piece.
template <class Use>
Status ForEachElement(const TensorValue& tensor, Use use) {
  return ForEachPiece(*DataOf(tensor), {0, tensor.bytes}, [&](ByteSpan piece) -> Status {
    DecodeElements(tensor.scalar_type, piece, use);
    return {};
  });
}

}  // namespace pteedit

#endif  // PTEEDIT_SRC_RECORD_TENSOR_ELEMENTS_H_
