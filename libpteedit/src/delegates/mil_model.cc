#include "delegates/mil_model.h"

#include <optional>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "delegates/blob_reader.h"
#include "delegates/mil_fields.h"
#include "delegates/mil_work.h"
#include "formats/protobuf_reader.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

constexpr std::string_view kConstantType = "const";
constexpr std::string_view kConstantItself = "val";

constexpr size_t kMaxValues = 100'000;
constexpr int kMaxMilLevels = 16;
constexpr size_t kMaxFunctions = 1000;

std::string MilNameOf(const ProtobufField& field) { return std::string(field.text().substr(0, kMaxNameBytes)); }

Result<std::vector<uint64_t>> MilSizesOf(ByteSpan value) {
  PTEEDIT_ASSIGN(const ProtobufField type, FindField(value, kValueType));
  PTEEDIT_ASSIGN(const ProtobufField tensor, FindField(type.bytes, kTypeTensor));
  PTEEDIT_ASSIGN(MilShape shape, MilShapeOf(tensor.bytes));
  return std::move(shape.sizes);
}

class FunctionReader {
 public:
  // Counts go on from function to function of a model.
  FunctionReader(size_t& operators, size_t& values, bool measures) : operators_(operators), values_(values) {
    if (measures) work_.emplace();
  }

  Result<MilFunction> Read(ByteSpan entry) && {
    PTEEDIT_ASSIGN(const ProtobufField function, FindField(entry, kMapValue));
    PTEEDIT_ASSIGN(const ProtobufField opset, FindField(function.bytes, kFunctionOpset));
    PTEEDIT_TRY(LearnAll(function.bytes, kFunctionInputs, /*are_constants=*/false));
    PTEEDIT_ASSIGN(const ByteSpan block, BlockFor(function.bytes, opset.text()));
    PTEEDIT_TRY(ReadBlock(block, 1));
    return std::move(function_);
  }

 private:
  // A function may have a block for each of several operator sets, and says which one counts.
  static Result<ByteSpan> BlockFor(ByteSpan function, std::string_view opset) {
    ByteSpan block;
    PTEEDIT_TRY(ForEachField(function, [&](const ProtobufField& field) -> Status {
      if (field.number != kFunctionBlocks) return {};
      PTEEDIT_ASSIGN(const ProtobufField key, FindField(field.bytes, kMapKey));
      PTEEDIT_ASSIGN(const ProtobufField value, FindField(field.bytes, kMapValue));
      if (block.data == nullptr || key.text() == opset) block = value.bytes;
      return {};
    }));
    return block;
  }

  Status ReadBlock(ByteSpan block, int level) {
    if (level > kMaxMilLevels) return Unsupported(Text("program has more than ", kMaxMilLevels, " levels of blocks"));
    PTEEDIT_TRY(LearnAll(block, kBlockInputs, /*are_constants=*/false));
    return ForEachField(block, [&](const ProtobufField& field) -> Status {
      return field.number == kBlockOperations ? ReadOperation(field.bytes, level) : Status();
    });
  }

  Status ReadOperation(ByteSpan operation, int level) {
    if (++operators_ > kMaxOperators) return Unsupported(Text("program has more than ", kMaxOperators, " operators"));
    PTEEDIT_ASSIGN(const ProtobufField type, FindField(operation, kOperationType));
    PTEEDIT_ASSIGN(const ProtobufField output, FindField(operation, kOperationOutputs));
    PTEEDIT_ASSIGN(const ProtobufField name, FindField(output.bytes, kNamedValueName));
    std::string kind = MilNameOf(type);
    const bool is_constant = kind == kConstantType;
    PTEEDIT_TRY(LearnAll(operation, kOperationOutputs, is_constant));
    if (!is_constant) {
      if (work_) PTEEDIT_TRY(Measure(operation, kind));
      function_.operators.push_back(std::move(kind));
    }
    return ForEachField(operation, [&](const ProtobufField& field) -> Status {
      if (field.number == kOperationBlocks) return ReadBlock(field.bytes, level + 1);
      if (field.number == kOperationAttributes) return ReadAttribute(field.bytes, name);
      if (field.number == kOperationInputs) return ReadInput(field.bytes, name);
      return {};
    });
  }

  // The values that a message names and types in its fields `number`.
  Status LearnAll(ByteSpan message, uint32_t number, bool are_constants) {
    if (!work_) return {};
    return ForEachField(message, [&](const ProtobufField& field) -> Status {
      if (field.number != number) return {};
      PTEEDIT_ASSIGN(const ProtobufField name, FindField(field.bytes, kNamedValueName));
      PTEEDIT_ASSIGN(const ProtobufField type, FindField(field.bytes, kNamedValueType));
      return work_->Learn(name.text(), type.bytes, are_constants);
    });
  }

  Status Measure(ByteSpan operation, std::string_view kind) {
    std::vector<std::string_view> outputs;
    PTEEDIT_TRY(ForEachField(operation, [&](const ProtobufField& field) -> Status {
      if (field.number == kOperationInputs) return Take(field.bytes);
      if (field.number != kOperationOutputs) return {};
      PTEEDIT_ASSIGN(const ProtobufField name, FindField(field.bytes, kNamedValueName));
      outputs.push_back(name.text());
      return {};
    }));
    function_.work.push_back(work_->Of(kind, outputs));
    return {};
  }

  Status Take(ByteSpan entry) {
    PTEEDIT_ASSIGN(const ProtobufField key, FindField(entry, kMapKey));
    PTEEDIT_ASSIGN(const ProtobufField argument, FindField(entry, kMapValue));
    return ForEachField(argument.bytes, [&](const ProtobufField& binding) -> Status {
      if (binding.number != kArgumentBindings) return {};
      PTEEDIT_ASSIGN(const ProtobufField value, FindField(binding.bytes, kBindingValue));
      PTEEDIT_ASSIGN(const ProtobufField name, FindField(binding.bytes, kBindingName));
      if (value.number == 0) {
        work_->Take(key.text(), name.text());
        return {};
      }
      PTEEDIT_ASSIGN(const ProtobufField type, FindField(value.bytes, kValueType));
      return work_->TakeConstant(key.text(), type.bytes);
    });
  }

  Status ReadAttribute(ByteSpan entry, const ProtobufField& output) {
    PTEEDIT_ASSIGN(const ProtobufField key, FindField(entry, kMapKey));
    PTEEDIT_ASSIGN(const ProtobufField value, FindField(entry, kMapValue));
    return ReadValue(value.bytes, output, key);
  }

  Status ReadInput(ByteSpan entry, const ProtobufField& output) {
    PTEEDIT_ASSIGN(const ProtobufField key, FindField(entry, kMapKey));
    PTEEDIT_ASSIGN(const ProtobufField argument, FindField(entry, kMapValue));
    return ForEachField(argument.bytes, [&](const ProtobufField& binding) -> Status {
      if (binding.number != kArgumentBindings) return {};
      PTEEDIT_ASSIGN(const ProtobufField value, FindField(binding.bytes, kBindingValue));
      return ReadValue(value.bytes, output, key);
    });
  }

  Status ReadValue(ByteSpan value, const ProtobufField& output, const ProtobufField& argument) {
    PTEEDIT_ASSIGN(const ProtobufField file, FindField(value, kValueFile));
    if (file.number == 0) return {};
    if (++values_ > kMaxValues) return Unsupported(Text("program has more than ", kMaxValues, " values in files"));
    PTEEDIT_ASSIGN(const ProtobufField name, FindField(file.bytes, kFileName));
    PTEEDIT_ASSIGN(const ProtobufField offset, FindField(file.bytes, kFileOffset));
    PTEEDIT_ASSIGN(std::vector<uint64_t> sizes, MilSizesOf(value));
    const bool is_constant = argument.text() == kConstantItself;
    function_.values.push_back({is_constant ? MilNameOf(output) : Text(MilNameOf(output), '.', MilNameOf(argument)),
                                MilNameOf(name), offset.value, std::move(sizes)});
    return {};
  }

  size_t& operators_;
  size_t& values_;
  MilFunction function_;
  std::optional<MilWork> work_;
};

}  // namespace

Result<MilShape> MilShapeOf(ByteSpan tensor) {
  MilShape shape;
  PTEEDIT_TRY(ForEachField(tensor, [&](const ProtobufField& field) -> Status {
    if (field.number != kTensorDimensions) return {};
    if (shape.sizes.size() == kMaxDims) return Unsupported(Text("type has more than ", kMaxDims, " dimensions"));
    PTEEDIT_ASSIGN(const ProtobufField constant, FindField(field.bytes, kDimensionConstant));
    PTEEDIT_ASSIGN(const ProtobufField size, FindField(constant.bytes, kConstantSize));
    shape.sizes.push_back(size.value);
    shape.is_known = shape.is_known && constant.number != 0;
    return {};
  }));
  return shape;
}

Result<MilModel> ReadMilModel(ByteSpan message, const MilOptions& options) {
  MilModel model;
  PTEEDIT_ASSIGN(const ProtobufField version, FindField(message, kModelVersion));
  model.specification_version = version.value;
  PTEEDIT_ASSIGN(const ProtobufField program, FindField(message, kModelProgram));
  size_t operators = 0;
  size_t values = 0;
  PTEEDIT_TRY(ForEachField(program.bytes, [&](const ProtobufField& field) -> Status {
    if (field.number != kProgramFunctions) return {};
    PTEEDIT_ASSIGN(const ProtobufField key, FindField(field.bytes, kMapKey));
    std::string name = MilNameOf(key);
    if (!options.function.empty() && name != options.function) return {};
    if (model.functions.size() == kMaxFunctions) {
      return Unsupported(Text("program has more than ", kMaxFunctions, " functions"));
    }
    PTEEDIT_ASSIGN(MilFunction function, FunctionReader(operators, values, options.measures).Read(field.bytes));
    function.name = std::move(name);
    model.functions.push_back(std::move(function));
    return {};
  }));
  return model;
}

}  // namespace pteedit
