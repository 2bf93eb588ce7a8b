#include "record/record_arguments.h"

#include <string_view>

#include "base/text.h"

namespace pteedit {
namespace {

// {"name": "x"}, or {"as_name": "s"} of a symbol.
std::string_view NameOf(const JsonValue& value) {
  const std::string_view name = value.TextOf("name");
  return name.empty() ? value.TextOf("as_name") : name;
}

// Torch's numbers of a record's enumerations, which are not those of a program.
constexpr std::string_view kDtypes[] = {"unknown",   "uint8",      "int8",    "int16",   "int32",
                                        "int64",     "float16",    "float32", "float64", "complex32",
                                        "complex64", "complex128", "bool",    "bfloat16"};
constexpr std::string_view kLayouts[] = {"unknown",    "sparse_coo", "sparse_csr", "sparse_csc",
                                         "sparse_bsr", "sparse_bsc", "_mkldnn",    "strided"};
constexpr std::string_view kMemoryFormats[] = {"unknown", "contiguous_format", "channels_last", "channels_last_3d",
                                               "preserve_format"};

template <size_t kCount>
std::string NameOfNumber(const std::string_view (&names)[kCount], uint64_t number) {
  return number < kCount ? Text("torch.", names[number]) : std::to_string(number);
}

std::string Repr(std::string_view text) {
  std::string repr = "'";
  for (const char letter : text) repr += letter == '\'' || letter == '\\' ? Text('\\', letter) : std::string(1, letter);
  return repr + "'";
}

class ArgumentWriter {
 public:
  explicit ArgumentWriter(ArgumentStyle style) : is_code_(style == ArgumentStyle::kCode) {}

  std::string TextOfAny(std::string_view type, const JsonValue& value) const {
    if (type == "as_none") return "None";
    switch (value.kind) {
      case JsonValue::Kind::kNull:
        return "None";
      case JsonValue::Kind::kBoolean:
        return value.number != 0 ? "True" : "False";
      case JsonValue::Kind::kNumber:
        if (type == "as_scalar_type") return NameOfNumber(kDtypes, value.number);
        if (type == "as_layout") return NameOfNumber(kLayouts, value.number);
        if (type == "as_memory_format") return NameOfNumber(kMemoryFormats, value.number);
        return value.written;
      case JsonValue::Kind::kText:
        return is_code_ && type == "as_string" ? Repr(value.text) : value.text;
      case JsonValue::Kind::kList:
        return ListText(type, value);
      case JsonValue::Kind::kObject:
        return ObjectText(type, value);
    }
    return {};
  }

 private:
  std::string ListText(std::string_view type, const JsonValue& list) const {
    std::string text = "[";
    for (const JsonValue& item : list.items) text += (text.size() == 1 ? "" : ", ") + TextOfAny(type, item);
    return text + "]";
  }

  std::string ObjectText(std::string_view type, const JsonValue& value) const {
    if (const std::string_view name = NameOf(value); !name.empty()) return Text(is_code_ ? "" : "%", name);
    if (type == "as_device") {
      const std::string_view device = value.TextOf("type");
      return is_code_ ? Text("device(type=", Repr(device), ")") : std::string(device);
    }
    std::string_view inner_type;
    const JsonValue* inner = Chosen(value, inner_type);
    return inner == nullptr ? "?" : TextOfAny(inner_type, *inner);
  }

  bool is_code_;
};

}  // namespace

const JsonValue* Chosen(const JsonValue& argument, std::string_view& type) {
  if (argument.kind != JsonValue::Kind::kObject || argument.items.size() != 1 || argument.names.size() != 1)
    return nullptr;
  type = argument.names.front();
  return &argument.items.front();
}

void AddNames(const JsonValue& argument, std::vector<std::string>& names) {
  std::string_view type;
  const JsonValue* chosen = Chosen(argument, type);
  if (chosen == nullptr) return;
  if (chosen->kind == JsonValue::Kind::kList) {
    for (const JsonValue& item : chosen->items) {
      if (const std::string_view name = NameOf(item); !name.empty()) {
        names.emplace_back(name);
      } else {
        AddNames(item, names);
      }
    }
  }
  if (const std::string_view name = NameOf(*chosen); !name.empty()) names.emplace_back(name);
}

bool IsList(const JsonValue& argument) {
  std::string_view type;
  const JsonValue* chosen = Chosen(argument, type);
  return chosen != nullptr && chosen->kind == JsonValue::Kind::kList;
}

std::string ArgumentText(const JsonValue& argument, ArgumentStyle style) {
  std::string_view type;
  const JsonValue* chosen = Chosen(argument, type);
  return chosen == nullptr ? "?" : ArgumentWriter(style).TextOfAny(type, *chosen);
}

}  // namespace pteedit
