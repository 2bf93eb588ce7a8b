// Logged tensors lie in the debug buffer one after the other, contiguous whatever their strides say.
#include "pteedit/profile/debug_values.h"

#include <bit>

#include "base/checked.h"
#include "base/text.h"
#include "io/digest.h"
#include "pteedit/try.h"
#include "record/tensor_elements.h"

namespace pteedit {
namespace {

using Values = std::vector<DebugValue>;
using LoggedValues = std::vector<LoggedValue>;

// Runtimes put each tensor into a place of its own; kernels and their calls share one.
constexpr uint64_t kMaxRepeats = 64, kFewBytes = uint64_t{4} << 20;

class ValueReader {
 public:
  explicit ValueReader(std::shared_ptr<const Source> buffer) : buffer_(std::move(buffer)) {}

  // Messages begin with `where`.
  Result<Values> Read(const LoggedValues& logged, const std::string& where) const {
    Values values;
    for (const LoggedValue& one : logged) {
      Result<DebugValue> value = ReadOne(one);
      if (!value) return Located(value.error(), where, values.size());
      values.push_back(*std::move(value));
    }
    return values;
  }

 private:
  static Error Located(Error error, const std::string& where, size_t index) {
    if (error.code != ErrorCode::kIo) error.message = Text("value ", index, " of ", where, " ", error.message);
    return error;
  }

  Result<DebugValue> ReadOne(const LoggedValue& logged) const {
    using Kind = DebugValue::Kind;
    DebugValue value;
    value.number = logged.number;
    value.real = logged.real;
    switch (logged.kind) {
      case LoggedValue::Kind::kNull:
        return value;
      case LoggedValue::Kind::kInt:
        value.kind = Kind::kInt;
        return value;
      case LoggedValue::Kind::kBool:
        value.kind = Kind::kBool;
        return value;
      case LoggedValue::Kind::kFloat:
      case LoggedValue::Kind::kDouble:
        value.kind = Kind::kDouble;
        return value;
      case LoggedValue::Kind::kTensor:
        return ReadTensor(logged.tensors.front());
      case LoggedValue::Kind::kTensorList:
        value.kind = Kind::kList;
        break;
    }
    for (const LoggedTensor& tensor : logged.tensors) {
      PTEEDIT_ASSIGN(DebugValue item, ReadTensor(tensor));
      value.items.push_back(std::move(item));
    }
    return value;
  }

  Result<DebugValue> ReadTensor(const LoggedTensor& logged) const {
    DebugValue value;
    value.kind = DebugValue::Kind::kTensor;
    TensorValue& tensor = value.tensor;
    const bool are_bits = logged.scalar_type == static_cast<int8_t>(ElementType::kBits16);
    tensor.scalar_type = are_bits ? static_cast<int8_t>(ElementType::kUint16) : logged.scalar_type;
    tensor.sizes = logged.sizes;
    if (!IsLogged(tensor.scalar_type)) {
      return Unsupported(
          Text("has elements of type ", ScalarTypeName(logged.scalar_type), ", which the Inspector cannot read"));
    }
    PTEEDIT_ASSIGN(tensor.bytes, CountBytes(tensor.scalar_type, tensor.sizes));
    if (buffer_ == nullptr || tensor.bytes == 0) return value;
    const auto offset = static_cast<uint64_t>(logged.offset);
    if (logged.offset < 0 || !Fits(offset, tensor.bytes, buffer_->size())) {
      return Malformed(Text("has ", tensor.bytes, " bytes at offset ", logged.offset,
                            ", which are not inside the debug buffer (", buffer_->size(), " bytes)"));
    }
    bytes_ += tensor.bytes;
    if (bytes_ / kMaxRepeats > buffer_->size() + kFewBytes) {
      return Unsupported(Text("is one of tensors that have the debug buffer more than ", kMaxRepeats, " times"));
    }
    PTEEDIT_ASSIGN(tensor.data, MakeWindowSource(buffer_, {offset, tensor.bytes}));
    return value;
  }

  // The types that the exporter's Inspector reads.
  static bool IsLogged(int8_t scalar_type) {
    const auto type = static_cast<ElementType>(scalar_type);
    return ReadableSize(scalar_type) && (type <= ElementType::kBool || type == ElementType::kUint16);
  }

  std::shared_ptr<const Source> buffer_;
  mutable uint64_t bytes_ = 0;  // of all tensors so far
};

Result<bool> AreSame(const DebugValue& a, const DebugValue& b);

Result<bool> AreSame(const Values& a, const Values& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    PTEEDIT_ASSIGN(const bool same, AreSame(a[i], b[i]));
    if (!same) return false;
  }
  return true;
}

Result<bool> AreSame(const DebugValue& a, const DebugValue& b) {
  if (a.kind != b.kind || a.number != b.number || a.text != b.text) return false;
  if (std::bit_cast<uint64_t>(a.real) != std::bit_cast<uint64_t>(b.real)) return false;
  const TensorValue &one = a.tensor, &other = b.tensor;
  if (one.scalar_type != other.scalar_type || one.sizes != other.sizes) return false;
  if (one.data != nullptr) {
    PTEEDIT_ASSIGN(const bool same, SameBytes(*one.data, {0, one.bytes}, *other.data, {0, other.bytes}));
    if (!same) return false;
  }
  return AreSame(a.items, b.items);
}

struct ComparedValues {
  Values first;
  uint64_t others = 0;
};

Result<ComparedValues> ReadRuns(const ValueReader& reader, const LoggedValues& first,
                                const std::vector<LoggedValues>& later, const std::string& where) {
  ComparedValues compared;
  PTEEDIT_ASSIGN(compared.first, reader.Read(first, where));
  for (const LoggedValues& run : later) {
    PTEEDIT_ASSIGN(const Values values, reader.Read(run, where));
    PTEEDIT_ASSIGN(const bool same, AreSame(compared.first, values));
    compared.others += !same;
  }
  return compared;
}

Result<BlockValues> ReadBlock(const ValueReader& reader, const EventBlock& block) {
  BlockValues values;
  const std::string name = Text("block ", Quoted(block.name));
  PTEEDIT_ASSIGN(ComparedValues outputs,
                 ReadRuns(reader, block.run_output, block.later_run_outputs, Text("the outputs of ", name)));
  values.run_output = std::move(outputs.first);
  values.other_runs = outputs.others;
  for (const ProfiledEvent& event : block.events) {
    const std::string where = Text("event ", Quoted(event.name), " of ", name);
    PTEEDIT_ASSIGN(ComparedValues data, ReadRuns(reader, event.more->debug_data, event.more->later_debug_data, where));
    values.events.push_back({std::move(data.first), data.others});
  }
  return values;
}

}  // namespace

Result<std::vector<BlockValues>> ReadDebugValues(const std::vector<EventBlock>& blocks,
                                                 const std::shared_ptr<const Source>& debug_buffer) {
  const ValueReader reader(debug_buffer);
  std::vector<BlockValues> values;
  for (const EventBlock& block : blocks) {
    PTEEDIT_ASSIGN(BlockValues read, ReadBlock(reader, block));
    values.push_back(std::move(read));
  }
  return values;
}

}  // namespace pteedit
