#include "inspect/value_words.h"

#include "base/text.h"

namespace pteedit {

using schema::KernelTypes;

const char* TypeName(KernelTypes type) {
  switch (type) {
    case KernelTypes::NONE:
    case KernelTypes::Null:
      return "none";
    case KernelTypes::Int:
      return "int";
    case KernelTypes::Bool:
      return "bool";
    case KernelTypes::Double:
      return "double";
    case KernelTypes::Tensor:
      return "tensor";
    case KernelTypes::String:
      return "string";
    case KernelTypes::IntList:
      return "int_list";
    case KernelTypes::DoubleList:
      return "double_list";
    case KernelTypes::BoolList:
      return "bool_list";
    case KernelTypes::TensorList:
      return "tensor_list";
    case KernelTypes::OptionalTensorList:
      return "optional_tensor_list";
  }
  return "unknown";
}

std::string OperatorName(const schema::Operator& op) {
  const std::string_view overload = ViewOf(op.overload());
  return overload.empty() ? std::string(ViewOf(op.name())) : Text(ViewOf(op.name()), ".", overload);
}

}  // namespace pteedit
