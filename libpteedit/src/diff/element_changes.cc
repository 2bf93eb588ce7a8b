#include "diff/element_changes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "program/layout.h"
#include "program/schema.h"
#include "pteedit/dtypes.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

using schema::ScalarType;

constexpr size_t kPieceElements = size_t{1} << 17;
constexpr size_t kSamples = 3;

double HalfToDouble(uint16_t bits) {
  constexpr int kFractionBits = 10, kExponentMask = 31, kBias = 15;
  const int exponent = (bits >> kFractionBits) & kExponentMask;
  const double fraction = bits & ((1 << kFractionBits) - 1);
  const double sign = (bits >> 15) != 0 ? -1 : 1;
  if (exponent == kExponentMask) {
    return fraction == 0 ? sign * std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  }
  if (exponent == 0) return sign * std::ldexp(fraction, 1 - kBias - kFractionBits);
  return sign * std::ldexp(fraction + (1 << kFractionBits), exponent - kBias - kFractionBits);
}

double BfloatToDouble(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

using Decode = void (*)(const uint8_t* bytes, size_t count, double* numbers);

template <class Stored, class ToDouble>
void DecodeWith(const uint8_t* bytes, size_t count, double* numbers, ToDouble to_double) {
  for (size_t i = 0; i < count; ++i) {
    Stored stored;
    std::memcpy(&stored, bytes + i * sizeof(Stored), sizeof(Stored));
    numbers[i] = to_double(stored);
  }
}

template <class Number>
void DecodeNumbers(const uint8_t* bytes, size_t count, double* numbers) {
  DecodeWith<Number>(bytes, count, numbers, [](Number number) { return static_cast<double>(number); });
}

// Null where elements are no numbers of whole bytes that we can read.
Decode DecoderOf(int8_t scalar_type) {
  static const std::map<ScalarType, Decode> kDecoders = {
      {ScalarType::BYTE, DecodeNumbers<uint8_t>},
      {ScalarType::CHAR, DecodeNumbers<int8_t>},
      {ScalarType::SHORT, DecodeNumbers<int16_t>},
      {ScalarType::INT, DecodeNumbers<int32_t>},
      {ScalarType::LONG, DecodeNumbers<int64_t>},
      {ScalarType::FLOAT, DecodeNumbers<float>},
      {ScalarType::DOUBLE, DecodeNumbers<double>},
      {ScalarType::BOOL, DecodeNumbers<uint8_t>},
      {ScalarType::QINT8, DecodeNumbers<int8_t>},
      {ScalarType::QUINT8, DecodeNumbers<uint8_t>},
      {ScalarType::QINT32, DecodeNumbers<int32_t>},
      {ScalarType::UINT16, DecodeNumbers<uint16_t>},
      {ScalarType::UINT32, DecodeNumbers<uint32_t>},
      {ScalarType::UINT64, DecodeNumbers<uint64_t>},
      {ScalarType::HALF, [](const uint8_t* bytes, size_t count,
                            double* numbers) { DecodeWith<uint16_t>(bytes, count, numbers, HalfToDouble); }},
      {ScalarType::BFLOAT16, [](const uint8_t* bytes, size_t count,
                                double* numbers) { DecodeWith<uint16_t>(bytes, count, numbers, BfloatToDouble); }},
  };
  const auto found = kDecoders.find(static_cast<ScalarType>(scalar_type));
  return found == kDecoders.end() ? nullptr : found->second;
}

bool IsFloat(int8_t scalar_type) {
  const ScalarType type = static_cast<ScalarType>(scalar_type);
  return type == ScalarType::FLOAT || type == ScalarType::DOUBLE || type == ScalarType::HALF ||
         type == ScalarType::BFLOAT16;
}

// Of which a double does not hold all.
bool IsWideInteger(int8_t scalar_type) {
  const ScalarType type = static_cast<ScalarType>(scalar_type);
  return type == ScalarType::LONG || type == ScalarType::UINT64;
}

// Whether numbers of both can be told apart as numbers: those of a quantized type mean nothing beside floats.
bool AreComparable(const TypedContent& before, const TypedContent& after) {
  if (!before.scalar_type || !after.scalar_type) return false;
  for (const TypedContent* side : {&before, &after}) {
    if (DecoderOf(*side->scalar_type) == nullptr) return false;
    if (side->place.extent.size % ElementSize(*side->scalar_type).value_or(1) != 0) return false;
  }
  if (before.scalar_type == after.scalar_type) return true;
  if (IsWideInteger(*before.scalar_type) || IsWideInteger(*after.scalar_type)) return false;
  return IsFloat(*before.scalar_type) == IsFloat(*after.scalar_type);
}

// One side, piece by piece.
class ElementReader {
 public:
  explicit ElementReader(const TypedContent& content)
      : content_(content),
        decode_(DecoderOf(*content.scalar_type)),
        element_bytes_(static_cast<size_t>(ElementSize(*content.scalar_type).value_or(1))) {}

  uint64_t count() const { return content_.place.extent.size / element_bytes_; }

  Status Read(uint64_t first, size_t count) {
    bytes_.resize(count * element_bytes_);
    numbers_.resize(count);
    const uint64_t offset = content_.place.extent.offset + first * element_bytes_;
    PTEEDIT_TRY(content_.place.source->Read(offset, {bytes_.data(), bytes_.size()}));
    decode_(bytes_.data(), count, numbers_.data());
    return {};
  }

  double number(size_t i) const { return numbers_[i]; }
  bool HasBitsOf(const ElementReader& other, size_t i) const {
    return std::memcmp(&bytes_[i * element_bytes_], &other.bytes_[i * element_bytes_], element_bytes_) == 0;
  }

 private:
  const TypedContent& content_;
  Decode decode_;
  size_t element_bytes_;
  std::vector<uint8_t> bytes_;
  std::vector<double> numbers_;
};

// What is known of the elements that differ so far.
class Differences {
 public:
  explicit Differences(uint64_t elements) { change_.elements = elements; }

  void Add(uint64_t index, double before, double after) {
    ++change_.differing;
    const double amount = std::abs(before - after);
    are_finite_ = are_finite_ && std::isfinite(amount) && (amount != 0 || before == 0);
    largest_ = std::max(largest_, amount);
    sum_ += amount;
    if (first_.size() < kSamples) first_.push_back({index, before, after});
  }

  ElementChange Take() {
    const double mean = change_.differing == 0 ? 0 : sum_ / static_cast<double>(change_.differing);
    ElementChange::Numbers& numbers = change_.numbers.Edit();
    if (are_finite_ && std::isfinite(mean)) numbers.largest = largest_, numbers.mean = mean;
    numbers.first = std::move(first_);
    return std::move(change_);
  }

 private:
  ElementChange change_;
  std::vector<ElementChange::Sample> first_;
  double largest_ = 0, sum_ = 0;
  bool are_finite_ = true;
};

Result<ElementChange> CompareNumbers(ElementReader before, ElementReader after, bool one_type) {
  const uint64_t count = before.count();
  Differences differences(count);
  for (uint64_t done = 0; done < count;) {
    const size_t step = static_cast<size_t>(std::min<uint64_t>(count - done, kPieceElements));
    PTEEDIT_TRY(before.Read(done, step));
    PTEEDIT_TRY(after.Read(done, step));
    for (size_t i = 0; i < step; ++i) {
      const double a = before.number(i), b = after.number(i);
      const bool same = one_type ? before.HasBitsOf(after, i) : a == b || (std::isnan(a) && std::isnan(b));
      if (!same) differences.Add(done + i, a, b);
    }
    done += step;
  }
  return differences.Take();
}

Result<ElementChange> CompareBytes(const ContentPlace& before, const ContentPlace& after) {
  ElementChange change;
  change.are_bytes = true;
  change.elements = before.extent.size;
  std::vector<uint8_t> a, b;
  for (uint64_t done = 0; done < before.extent.size;) {
    const size_t step = static_cast<size_t>(std::min<uint64_t>(before.extent.size - done, kPieceElements));
    a.resize(step), b.resize(step);
    PTEEDIT_TRY(before.source->Read(before.extent.offset + done, {a.data(), step}));
    PTEEDIT_TRY(after.source->Read(after.extent.offset + done, {b.data(), step}));
    for (size_t i = 0; i < step; ++i) change.differing += a[i] != b[i];
    done += step;
  }
  return change;
}

}  // namespace

std::optional<int8_t> ScalarTypeOf(std::string_view dtype) {
  const std::string common = CommonDtype(dtype);
  for (const ScalarType type : schema::EnumValuesScalarType()) {
    if (ScalarTypeName(static_cast<int8_t>(type)) == common) return static_cast<int8_t>(type);
  }
  return std::nullopt;
}

Result<std::optional<ElementChange>> CompareElements(const TypedContent& before, const TypedContent& after) {
  if (AreComparable(before, after)) {
    ElementReader old_elements(before), new_elements(after);
    if (old_elements.count() == new_elements.count()) {
      const bool one_type = before.scalar_type == after.scalar_type;
      PTEEDIT_ASSIGN(ElementChange change, CompareNumbers(std::move(old_elements), std::move(new_elements), one_type));
      return std::optional(std::move(change));
    }
  }
  if (before.place.extent.size != after.place.extent.size) return std::optional<ElementChange>();
  PTEEDIT_ASSIGN(ElementChange change, CompareBytes(before.place, after.place));
  return std::optional(std::move(change));
}

}  // namespace pteedit
