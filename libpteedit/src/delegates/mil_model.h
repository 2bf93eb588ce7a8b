// What a Core ML model.mlmodel says of its program: a protobuf message, see the numbers in mil_fields.h.
#ifndef PTEEDIT_SRC_DELEGATES_MIL_MODEL_H_
#define PTEEDIT_SRC_DELEGATES_MIL_MODEL_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pteedit/bytes.h"
#include "pteedit/operator_work.h"
#include "pteedit/result.h"

namespace pteedit {

// A value whose bytes are in a file beside the model.
struct MilFileValue {
  std::string name;     // of the value that the operator gives; "<that>.<argument>" where it is not the constant itself
  std::string file;     // "@model_path/weights/weight.bin"
  uint64_t offset = 0;  // of the description of the bytes in that file
  std::vector<uint64_t> sizes;  // 0 for a dimension that is not known
};

struct MilFunction {
  std::string name;
  std::vector<std::string>
      operators;  // their types, in the order of the model; those of inner blocks behind their operator
  std::vector<MilFileValue> values;
  std::vector<OperatorWork> work;  // by operator, where it is asked for
};

struct MilModel {
  uint64_t specification_version = 0;
  std::vector<MilFunction> functions;  // as the model lists them; none where it is no program
};

struct MilOptions {
  std::string_view function;  // the only one that is read; all where it is empty
  bool measures = false;      // see MilFunction::work
};

// Fails with kUnsupported where the message is damaged, or what is read of it has more than 200,000 operators, 100,000
// values in files or 16 levels of blocks.
Result<MilModel> ReadMilModel(ByteSpan message, const MilOptions& options);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_DELEGATES_MIL_MODEL_H_
