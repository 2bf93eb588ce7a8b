#include "delegates/mil_model.h"

#include <string_view>

#include "base/text.h"
#include "delegates/blob_reader.h"
#include "formats/protobuf_reader.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

// Numbers of the fields that are looked at. Maps are lists of messages with a key and a value.
constexpr uint32_t kMapKey = 1, kMapValue = 2;
constexpr uint32_t kModelVersion = 1, kModelProgram = 502;
constexpr uint32_t kProgramFunctions = 2;
constexpr uint32_t kFunctionOpset = 2, kFunctionBlocks = 3;
constexpr uint32_t kBlockOperations = 3;
constexpr uint32_t kOperationType = 1, kOperationInputs = 2, kOperationOutputs = 3, kOperationBlocks = 4,
                   kOperationAttributes = 5;
constexpr uint32_t kNamedValueName = 1;
constexpr uint32_t kArgumentBindings = 1;
constexpr uint32_t kBindingValue = 2;
constexpr uint32_t kValueType = 2, kValueFile = 5;
constexpr uint32_t kFileName = 1, kFileOffset = 2;
constexpr uint32_t kTypeTensor = 1;
constexpr uint32_t kTensorDimensions = 3;
constexpr uint32_t kDimensionConstant = 1;
constexpr uint32_t kConstantSize = 1;
constexpr std::string_view kConstantType = "const";
constexpr std::string_view kConstantItself = "val";

constexpr size_t kMaxValues = 100'000;
constexpr int kMaxMilLevels = 16;
constexpr size_t kMaxFunctions = 1000;

std::string MilNameOf(const ProtobufField& field) { return std::string(field.text().substr(0, kMaxNameBytes)); }

// Calls visit(field), which returns a Status, for each field of the message.
template <class Visit>
Status ForEachField(ByteSpan message, Visit visit) {
  ProtobufReader reader(message);
  while (true) {
    PTEEDIT_ASSIGN(const ProtobufField field, reader.Next());
    if (field.number == 0) return {};
    PTEEDIT_TRY(visit(field));
  }
}

Result<std::vector<uint64_t>> MilSizesOf(ByteSpan value) {
  PTEEDIT_ASSIGN(const ProtobufField type, FindField(value, kValueType));
  PTEEDIT_ASSIGN(const ProtobufField tensor, FindField(type.bytes, kTypeTensor));
  std::vector<uint64_t> sizes;
  PTEEDIT_TRY(ForEachField(tensor.bytes, [&](const ProtobufField& field) -> Status {
    if (field.number != kTensorDimensions) return {};
    if (sizes.size() == kMaxDims) return Unsupported(Text("type has more than ", kMaxDims, " dimensions"));
    PTEEDIT_ASSIGN(const ProtobufField constant, FindField(field.bytes, kDimensionConstant));
    PTEEDIT_ASSIGN(const ProtobufField size, FindField(constant.bytes, kConstantSize));
    sizes.push_back(size.value);
    return {};
  }));
  return sizes;
}

class FunctionReader {
 public:
  // Counts go on from function to function of a model.
  FunctionReader(size_t& operators, size_t& values) : operators_(operators), values_(values) {}

  Result<MilFunction> Read(ByteSpan entry) && {
    PTEEDIT_ASSIGN(const ProtobufField name, FindField(entry, kMapKey));
    PTEEDIT_ASSIGN(const ProtobufField function, FindField(entry, kMapValue));
    PTEEDIT_ASSIGN(const ProtobufField opset, FindField(function.bytes, kFunctionOpset));
    function_.name = MilNameOf(name);
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
    return ForEachField(block, [&](const ProtobufField& field) -> Status {
      return field.number == kBlockOperations ? ReadOperation(field.bytes, level) : Status();
    });
  }

  Status ReadOperation(ByteSpan operation, int level) {
    if (++operators_ > kMaxOperators) return Unsupported(Text("program has more than ", kMaxOperators, " operators"));
    PTEEDIT_ASSIGN(const ProtobufField type, FindField(operation, kOperationType));
    PTEEDIT_ASSIGN(const ProtobufField output, FindField(operation, kOperationOutputs));
    PTEEDIT_ASSIGN(const ProtobufField name, FindField(output.bytes, kNamedValueName));
    if (std::string kind = MilNameOf(type); kind != kConstantType) function_.operators.push_back(std::move(kind));
    return ForEachField(operation, [&](const ProtobufField& field) -> Status {
      if (field.number == kOperationBlocks) return ReadBlock(field.bytes, level + 1);
      if (field.number == kOperationAttributes) return ReadAttribute(field.bytes, name);
      if (field.number == kOperationInputs) return ReadInput(field.bytes, name);
      return {};
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
};

}  // namespace

Result<MilModel> ReadMilModel(ByteSpan message) {
  MilModel model;
  PTEEDIT_ASSIGN(const ProtobufField version, FindField(message, kModelVersion));
  model.specification_version = version.value;
  PTEEDIT_ASSIGN(const ProtobufField program, FindField(message, kModelProgram));
  size_t operators = 0;
  size_t values = 0;
  PTEEDIT_TRY(ForEachField(program.bytes, [&](const ProtobufField& field) -> Status {
    if (field.number != kProgramFunctions) return {};
    if (model.functions.size() == kMaxFunctions) {
      return Unsupported(Text("program has more than ", kMaxFunctions, " functions"));
    }
    PTEEDIT_ASSIGN(MilFunction function, FunctionReader(operators, values).Read(field.bytes));
    model.functions.push_back(std::move(function));
    return {};
  }));
  return model;
}

}  // namespace pteedit
