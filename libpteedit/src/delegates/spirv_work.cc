#include "delegates/spirv_work.h"

#include <algorithm>
#include <vector>

#include "delegates/blob_reader.h"
#include "delegates/tosa_schema.h"
#include "delegates/tosa_work.h"

namespace pteedit {
namespace {

using schema::tosa::Op;

// As Khronos numbers them. Where there is a result, its type and id are the first two operands; types have an id alone.
enum class Code : uint32_t {
  kExtInst = 12,
  kBoolType = 20,
  kIntType = 21,
  kFloatType = 22,
  kConstant = 43,
  kConstantComposite = 44,
  kConstantNull = 46,
  kTensorType = 4163,
  kGraphConstant = 4181,
  kGraphInput = 4184,
  kConstantCompositeReplicate = 4461
};

constexpr uint32_t kAllOperands = ~uint32_t{0};

// Which operands are tensors that move, bit by bit from the first: attributes come first, and shapes are none.
uint32_t TensorOperands(Op op) {
  switch (op) {
    case Op::RESHAPE:
    case Op::SLICE:
    case Op::TILE:
      return 0b1;
    case Op::RESIZE:
      return 0b10;
    case Op::PAD:
      return 0b101;
    case Op::ARITHMETIC_RIGHT_SHIFT:
    case Op::CONCAT:
    case Op::MAXIMUM:
    case Op::MINIMUM:
    case Op::REDUCE_ALL:
    case Op::REDUCE_ANY:
    case Op::REDUCE_PRODUCT:
    case Op::REDUCE_SUM:
    case Op::REVERSE:
    case Op::RFFT2D:
    case Op::TRANSPOSE:
      return kAllOperands << 1;
    case Op::ARGMAX:
    case Op::FFT2D:
    case Op::REDUCE_MAX:
    case Op::REDUCE_MIN:
      return kAllOperands << 2;
    case Op::CLAMP:
      return kAllOperands << 3;
    case Op::AVG_POOL2D:
    case Op::MAX_POOL2D:
    case Op::TRANSPOSE_CONV2D:
      return kAllOperands << 4;
    case Op::CONV2D:
    case Op::CONV3D:
    case Op::DEPTHWISE_CONV2D:
    case Op::RESCALE:
      return kAllOperands << 5;
    default:
      return kAllOperands;
  }
}

}  // namespace

void SpirVWork::Learn(Words instruction) {
  const size_t size = instruction.size();
  switch (static_cast<Code>(instruction[0] & 0xFFFF)) {
    case Code::kBoolType:
      if (size > 1) bits_[instruction[1]] = 8;
      break;
    case Code::kIntType:
    case Code::kFloatType:
      if (size > 2) bits_[instruction[1]] = instruction[2];
      break;
    case Code::kTensorType:
      if (size > 2) tensors_[instruction[1]] = TensorOf(instruction);
      break;
    case Code::kConstant:
      if (size == 4) numbers_[instruction[2]] = instruction[3];
      break;
    case Code::kConstantComposite:
    case Code::kConstantCompositeReplicate:
      if (size > 3) composites_[instruction[2]] = instruction.subspan(3);
      [[fallthrough]];
    case Code::kConstantNull:
    case Code::kGraphConstant:
    case Code::kGraphInput:
    case Code::kExtInst:
      if (size > 2) types_[instruction[2]] = instruction[1];
      break;
    default:
      break;
  }
}

// Without a shape it is not known before it runs. A shape that does not make sense is not known either.
WorkValue SpirVWork::TensorOf(Words type) const {
  WorkValue value = UntoldValue();
  constexpr size_t kRank = 3, kShape = 4;
  value.is_unbound = type.size() <= kShape;
  if (value.is_unbound) return value;
  const auto rank = numbers_.find(type[kRank]);
  const auto shape = composites_.find(type[kShape]);
  if (rank == numbers_.end() || rank->second > kMaxDims || shape == composites_.end()) return value;
  const bool is_replicated = shape->second.size() == 1;
  if (!is_replicated && shape->second.size() != rank->second) return value;
  std::vector<uint64_t> sizes;
  for (uint32_t dim = 0; dim < rank->second; ++dim) {
    const auto number = numbers_.find(shape->second[is_replicated ? 0 : dim]);
    if (number == numbers_.end()) return value;
    sizes.push_back(number->second);
  }
  value.sizes = std::move(sizes);
  if (const auto bits = bits_.find(type[2]); bits != bits_.end()) value.bytes = BytesOf(value, bits->second);
  return value;
}

const WorkValue& SpirVWork::ValueOf(uint32_t id) const {
  static const WorkValue kNone = UntoldValue();
  const auto type = types_.find(id);
  if (type == types_.end()) return kNone;
  const auto tensor = tensors_.find(type->second);
  return tensor == tensors_.end() ? kNone : tensor->second;
}

OperatorWork SpirVWork::Of(Words instruction, uint32_t number) const {
  const std::optional<WorkRule> rule = TosaWorkRule(number);
  if (!rule) return {{}, {}, false, kUnknownOperator};
  constexpr size_t kFirstOperand = 5, kBits = 32;
  const uint32_t tensors = TensorOperands(static_cast<Op>(number));
  std::vector<WorkArgument> args;
  for (size_t i = kFirstOperand; i < instruction.size(); ++i) {
    const size_t bit = std::min(i - kFirstOperand, kBits - 1);  // of many, all behind the first are tensors
    if ((tensors >> bit & 1) != 0) args.push_back({instruction[i], &ValueOf(instruction[i])});
  }
  args.push_back({instruction[2], &ValueOf(instruction[2])});
  return MeasureOperator(*rule, args);
}

}  // namespace pteedit
