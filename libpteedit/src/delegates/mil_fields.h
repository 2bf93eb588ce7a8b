// Numbers of the fields of a Core ML model that are looked at (Model.proto, MIL.proto). Maps are lists of messages with
// a key and a value.
#ifndef PTEEDIT_SRC_DELEGATES_MIL_FIELDS_H_
#define PTEEDIT_SRC_DELEGATES_MIL_FIELDS_H_

#include <cstdint>
#include <vector>

#include "delegates/blob_reader.h"
#include "formats/protobuf_reader.h"
#include "pteedit/bytes.h"
#include "pteedit/result.h"
#include "pteedit/try.h"

namespace pteedit {

inline constexpr uint32_t kMapKey = 1, kMapValue = 2;
inline constexpr uint32_t kModelVersion = 1, kModelProgram = 502;
inline constexpr uint32_t kProgramFunctions = 2;
inline constexpr uint32_t kFunctionInputs = 1, kFunctionOpset = 2, kFunctionBlocks = 3;
inline constexpr uint32_t kBlockInputs = 1, kBlockOperations = 3;
inline constexpr uint32_t kOperationType = 1, kOperationInputs = 2, kOperationOutputs = 3, kOperationBlocks = 4,
                          kOperationAttributes = 5;
inline constexpr uint32_t kNamedValueName = 1, kNamedValueType = 2;
inline constexpr uint32_t kArgumentBindings = 1;
inline constexpr uint32_t kBindingName = 1, kBindingValue = 2;
inline constexpr uint32_t kValueType = 2, kValueFile = 5;
inline constexpr uint32_t kFileName = 1, kFileOffset = 2;
inline constexpr uint32_t kTypeTensor = 1, kTypeState = 5;
inline constexpr uint32_t kStateHeld = 1;
inline constexpr uint32_t kTensorElement = 1, kTensorDimensions = 3;
inline constexpr uint32_t kDimensionConstant = 1;
inline constexpr uint32_t kConstantSize = 1;

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

struct MilShape {
  std::vector<uint64_t> sizes;  // 0 for a dimension that is not known
  bool is_known = true;         // all are
};

// Of a TensorType. Fails with kUnsupported where it has more than kMaxDims dimensions.
Result<MilShape> MilShapeOf(ByteSpan tensor);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_DELEGATES_MIL_FIELDS_H_
