#include "delegates/xnnpack_types.h"

#include "base/checked.h"
#include "base/text.h"

namespace pteedit {
namespace {

using Type = XnnpackType;

constexpr uint64_t kInt4PerByte = 2;

// 0 for what is not stored densely.
uint64_t BitsOf(Type type) {
  switch (type) {
    case Type::xnn_datatype_fp32:
    case Type::xnn_datatype_qint32:
    case Type::xnn_datatype_qcint32:
    case Type::xnn_datatype_int32:
    case Type::xnn_datatype_pfp32:
      return 32;
    case Type::xnn_datatype_fp16:
    case Type::xnn_datatype_bf16:
      return 16;
    case Type::xnn_datatype_qint8:
    case Type::xnn_datatype_quint8:
    case Type::xnn_datatype_qcint8:
      return 8;
    case Type::xnn_datatype_qcint4:
    case Type::xnn_datatype_qbint4:
      return 4;
    default:
      return 0;
  }
}

}  // namespace

std::string XnnpackTypeName(XnnpackType type) {
  const std::string_view prefix = "xnn_datatype_";
  const std::string_view name = EnumNameXNNDatatype(type);
  return name.empty() ? Text("datatype ", static_cast<int>(type)) : std::string(name.substr(prefix.size()));
}

std::string XnnpackOperatorName(XnnpackOperator type) {
  const std::string_view name = EnumNameXNodeUnion(type);
  return type == XnnpackOperator::NONE || name.empty() ? Text("op #", static_cast<int>(type)) : std::string(name);
}

std::optional<uint64_t> XnnpackBytesOf(XnnpackType type, const std::vector<uint64_t>& sizes) {
  const uint64_t bits = BitsOf(type);
  std::optional<uint64_t> bytes = bits == 4 ? 1 : bits / 8;
  for (size_t i = 0; i < sizes.size() && bytes; ++i) {
    const bool is_row = bits == 4 && i + 1 == sizes.size();
    bytes = CheckedMultiply(*bytes, is_row ? sizes[i] / kInt4PerByte + sizes[i] % kInt4PerByte : sizes[i]);
  }
  return bytes;
}

}  // namespace pteedit
