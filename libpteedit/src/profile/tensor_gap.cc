#include <algorithm>
#include <cmath>
#include <limits>

#include "pteedit/profile/numeric_gap.h"
#include "pteedit/try.h"
#include "record/tensor_elements.h"

namespace pteedit {
namespace {

constexpr uint64_t kPieceElements = uint64_t{1} << 16;
constexpr double kLargest = std::numeric_limits<double>::max();

// A tensor, or a number as one.
struct Operand {
  std::optional<TensorValue> tensor;
  double number = 0;
  uint64_t elements = 1, element_bytes = 0;
  bool has_nan = false;

  // As torch's nan_to_num().
  double Clean(double real) const {
    if (!has_nan) return real;
    return std::isnan(real) ? 0 : std::clamp(real, -kLargest, kLargest);
  }

  Result<std::vector<double>> Read(uint64_t begin, uint64_t count) const {
    std::vector<double> reals;
    if (!tensor) return std::vector<double>{Clean(number)};
    std::vector<uint8_t> bytes(static_cast<size_t>(count * element_bytes));
    PTEEDIT_TRY(DataOf(*tensor)->Read(begin * element_bytes, {bytes.data(), bytes.size()}));
    DecodeElements(tensor->scalar_type, {bytes.data(), bytes.size()},
                   [&](auto element) { reals.push_back(Clean(static_cast<double>(element))); });
    return reals;
  }
};

std::vector<int64_t> ShapeOf(const DebugValue& value) {
  return value.kind == DebugValue::Kind::kTensor ? value.tensor.sizes : std::vector<int64_t>();
}

// Nothing where there are no numbers in it.
Result<std::optional<Operand>> OperandOf(const DebugValue& value) {
  using Kind = DebugValue::Kind;
  Operand operand;
  if (value.kind == Kind::kInt || value.kind == Kind::kBool || value.kind == Kind::kDouble) {
    operand.number = value.kind == Kind::kDouble ? value.real : static_cast<double>(value.number);
    operand.has_nan = std::isnan(operand.number);
    return std::optional<Operand>(std::move(operand));
  }
  const std::optional<uint64_t> element_bytes = ReadableSize(value.tensor.scalar_type);
  if (value.kind != Kind::kTensor || !element_bytes) return std::optional<Operand>();
  PTEEDIT_ASSIGN(const TensorStatistics statistics, StatisticsOf(value.tensor));
  operand.tensor = value.tensor;
  operand.elements = statistics.elements;
  operand.element_bytes = *element_bytes;
  operand.has_nan = statistics.nans != 0;
  return std::optional<Operand>(std::move(operand));
}

struct Sums {
  double squares = 0, power = 0;
  TensorGap gap;

  void Add(double reference, double value) {
    const double difference = reference - value;
    squares += difference * difference;
    power += reference * reference;
    gap.l1 += std::abs(difference);
    // Where it is no number, neither is the largest one.
    if (!(std::abs(difference) <= gap.max_difference) && !std::isnan(gap.max_difference))
      gap.max_difference = std::abs(difference);
  }
};

}  // namespace

Result<std::optional<TensorGap>> GapBetween(const DebugValue& reference, const DebugValue& value) {
  PTEEDIT_ASSIGN(const std::optional<Operand> a, OperandOf(reference));
  PTEEDIT_ASSIGN(const std::optional<Operand> b, OperandOf(value));
  if (!a || !b || ShapeOf(reference) != ShapeOf(value)) return std::optional<TensorGap>();
  Sums sums;
  for (uint64_t done = 0; done < a->elements; done += kPieceElements) {
    const uint64_t count = std::min(kPieceElements, a->elements - done);
    PTEEDIT_ASSIGN(const std::vector<double> ones, a->Read(done, count));
    PTEEDIT_ASSIGN(const std::vector<double> others, b->Read(done, count));
    for (size_t i = 0; i < ones.size(); ++i) sums.Add(ones[i], others[i]);
  }
  const auto elements = static_cast<double>(std::max<uint64_t>(a->elements, 1));
  TensorGap gap = sums.gap;
  gap.mse = sums.squares / elements;
  gap.snr = gap.mse == 0 ? HUGE_VAL : 10 * std::log10(sums.power / elements / gap.mse);
  return std::optional<TensorGap>(gap);
}

}  // namespace pteedit
