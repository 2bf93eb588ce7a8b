#include "delegates/tosa_work.h"

#include <utility>
#include <vector>

#include "delegates/tosa_schema.h"

namespace pteedit {
namespace {

using schema::tosa::DType;
using schema::tosa::Op;
using schema::tosa::TosaBasicBlock;
using schema::tosa::TosaOperator;
using schema::tosa::TosaTensor;
using Table = FlatTables::Table;

// A size of 0 stands for one that is known only while running.
WorkValue TensorValue(FlatTables& tables, Table tensor) {
  WorkValue value = UntoldValue();
  const bool is_unranked = tables.Get<uint8_t>(tensor, TosaTensor::VT_IS_UNRANKED, 0) != 0;
  std::vector<uint64_t> sizes = tables.GetSizes(tensor, TosaTensor::VT_SHAPE);
  for (const uint64_t size : sizes) value.is_unbound = value.is_unbound || size == 0;
  value.is_unbound = value.is_unbound || is_unranked;
  if (value.is_unbound) return value;
  value.sizes = std::move(sizes);
  if (const uint64_t bits = TosaBitsOf(tables.Get<uint32_t>(tensor, TosaTensor::VT_TYPE, 0)); bits != 0)
    value.bytes = BytesOf(value, bits);
  return value;
}

}  // namespace

std::optional<WorkRule> TosaWorkRule(uint32_t number) {
  switch (const auto op = static_cast<Op>(number); op) {
    case Op::CONV2D:
    case Op::CONV3D:
      return WorkRule{Work::kConvolution};
    case Op::DEPTHWISE_CONV2D:
      return WorkRule{Work::kWindowFirst};
    case Op::TRANSPOSE_CONV2D:
      return WorkRule{Work::kTransposedChannelsLast};
    case Op::MATMUL:
    case Op::MATMUL_T_BLOCK_SCALED:
      return WorkRule{Work::kProduct, 0};
    case Op::SLICE:
    case Op::GATHER:
      return WorkRule{Work::kPart};
    case Op::VARIABLE_WRITE:
    case Op::VARIABLE_READ:
      return WorkRule{Work::kWritten, 0};
    case Op::FFT2D:
    case Op::RFFT2D:
    case Op::CONV2D_BLOCK_SCALED:
    case Op::COND_IF:  // runs another block, which has operators of its own
    case Op::WHILE_LOOP:
      return WorkRule{Work::kUntoldMacs};
    case Op::UNKNOWN:
    case Op::CUSTOM:
      return std::nullopt;
    default:
      if (op > Op::MAX) return std::nullopt;
      if (op == Op::CONST || op == Op::VARIABLE || op == Op::CONST_SHAPE) return WorkRule{Work::kNothing};
      return WorkRule{op >= Op::DIM && op <= Op::ASSERT_EQUAL_SHAPE ? Work::kNothing : Work::kAll};  // sizes
  }
}

uint64_t TosaBitsOf(uint32_t type) {
  switch (static_cast<DType>(type)) {
    case DType::INT4:
    case DType::FP4E2M1:
      return 4;
    case DType::BOOL:
    case DType::INT8:
    case DType::FP8E4M3:
    case DType::FP8E5M2:
    case DType::FP8UE8M0:
    case DType::MXINT8:
      return 8;
    case DType::INT16:
    case DType::FP16:
    case DType::BF16:
      return 16;
    case DType::INT32:
    case DType::FP32:
      return 32;
    case DType::INT48:
      return 48;
    case DType::INT64:
      return 64;
    default:
      return 0;
  }
}

TosaBlockWork::TosaBlockWork(FlatTables& tables, Table block) : tables_(tables) {
  const auto add = [&](std::string name, WorkValue value) {
    const uint64_t id = values_.size();
    values_.emplace(std::move(name), Named{id, std::move(value)});
  };
  for (const Table tensor : tables.GetTables(block, TosaBasicBlock::VT_TENSORS))
    add(tables.GetText(tensor, TosaTensor::VT_NAME), TensorValue(tables, tensor));
  for (const Table shape : tables.GetTables(block, TosaBasicBlock::VT_SHAPES))
    add(tables.GetText(shape, schema::tosa::TosaShape::VT_NAME), {});
}

OperatorWork TosaBlockWork::Of(Table call) {
  const auto rule = TosaWorkRule(tables_.Get<uint32_t>(call, TosaOperator::VT_OP, 0));
  if (!rule) return {{}, {}, false, kUnknownOperator};
  static const WorkValue kMissing = UntoldValue();
  std::vector<WorkArgument> args;
  for (const auto field : {TosaOperator::VT_INPUTS, TosaOperator::VT_OUTPUTS}) {
    for (const std::string& name : tables_.GetTexts(call, field)) {
      const auto found = values_.find(name);
      const bool exists = found != values_.end();
      args.push_back({exists ? found->second.id : values_.size(), exists ? &found->second.value : &kMissing});
    }
  }
  return MeasureOperator(*rule, args);
}

}  // namespace pteedit
