#include "program/value_words.h"

#include <algorithm>

#include "base/text.h"
#include "io/digest.h"

namespace pteedit {
namespace {

template <class Items, class... ToText>
std::string ListWords(const flatbuffers::Vector<Items>* items, ToText... to_text) {
  return "[" + Joined(OrEmpty(items), ",", to_text...) + "]";
}

std::string TensorWords(const schema::Tensor& tensor) {
  const TensorLayout layout = LayoutOf(tensor);
  std::string text = ScalarTypeName(layout.scalar_type) + ListWords(tensor.sizes());
  if (!std::is_sorted(layout.dim_order.begin(), layout.dim_order.end()))
    text += " in dim order " + ListWords(tensor.dim_order());
  if (tensor.shape_dynamism() == schema::TensorShapeDynamism::DYNAMIC_BOUND) text += " dynamic";
  if (tensor.shape_dynamism() == schema::TensorShapeDynamism::DYNAMIC_UNBOUND) text += " dynamic without bound";
  if (tensor.requires_grad()) text += " with gradient";
  if (tensor.storage_offset() != 0) text += Text(" from element ", tensor.storage_offset());
  const schema::ExtraTensorInfo* extra = tensor.extra_tensor_info();
  if (extra != nullptr && extra->device_type() != schema::DeviceType::CPU)
    text += Text(" on device ", +static_cast<int8_t>(extra->device_type()), ":", +extra->device_index());
  return text;
}

// Of a long one the beginning, and a hash of all of it.
std::string TextWords(std::string_view text) {
  constexpr size_t kShownBytes = 100;
  if (text.size() <= kShownBytes) return Quoted(text);
  const ByteSpan bytes{reinterpret_cast<const uint8_t*>(text.data()), text.size()};
  return Text(Quoted(BeginningOf(text, kShownBytes)), "... ", Xxh128Of(bytes).Hex());
}

}  // namespace

std::string_view BeginningOf(std::string_view text, size_t most) {
  if (text.size() <= most) return text;
  while (most != 0 && (static_cast<unsigned char>(text[most]) & 0xc0) == 0x80) --most;
  return text.substr(0, most);
}

std::string ValueWords(const schema::EValue& value) {
  if (const auto* number = value.val_as_Int()) return std::to_string(number->int_val());
  if (const auto* flag = value.val_as_Bool()) return flag->bool_val() ? "true" : "false";
  if (const auto* number = value.val_as_Double()) return NumberText(number->double_val());
  if (const auto* text = value.val_as_String()) return TextWords(ViewOf(text->string_val()));
  if (const auto* tensor = value.val_as_Tensor()) return TensorWords(*tensor);
  return TypeName(value.val_type());
}

const char* TypeName(schema::KernelTypes type) {
  switch (type) {
    case schema::KernelTypes::NONE:
    case schema::KernelTypes::Null:
      return "none";
    case schema::KernelTypes::Int:
      return "int";
    case schema::KernelTypes::Bool:
      return "bool";
    case schema::KernelTypes::Double:
      return "double";
    case schema::KernelTypes::Tensor:
      return "tensor";
    case schema::KernelTypes::String:
      return "string";
    case schema::KernelTypes::IntList:
      return "int_list";
    case schema::KernelTypes::DoubleList:
      return "double_list";
    case schema::KernelTypes::BoolList:
      return "bool_list";
    case schema::KernelTypes::TensorList:
      return "tensor_list";
    case schema::KernelTypes::OptionalTensorList:
      return "optional_tensor_list";
  }
  return "unknown";
}

const char* StoreName(Store store) {
  switch (store) {
    case Store::kPlanned:
      return "planned";
    case Store::kSegment:
      return "segment";
    case Store::kInline:
      return "inline";
    case Store::kMutable:
      return "mutable";
    case Store::kExternal:
      return "external";
  }
  return "";
}

std::string OperatorName(const schema::Operator& op) {
  const std::string_view overload = ViewOf(op.overload());
  return overload.empty() ? std::string(ViewOf(op.name())) : Text(ViewOf(op.name()), ".", overload);
}

}  // namespace pteedit
