#include "text/format.h"

#include <cstdio>

namespace pteedit::cli {

std::string HexText(uint64_t value) {
  char text[19] = {};
  std::snprintf(text, sizeof(text), "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

std::string TypeText(const TensorLayout& layout) {
  return ScalarTypeName(layout.scalar_type) + "[" + NumbersText(layout.sizes) + "]";
}

std::string SpecText(const DelegateDescription::CompileSpec& spec) {
  const std::string value = spec.text.empty() ? std::to_string(spec.bytes) + " bytes" : spec.text;
  return EscapeControl(spec.key) + "=" + EscapeControl(value);
}

std::string FactText(const BlobFact& fact) { return EscapeControl(fact.name) + ": " + EscapeControl(fact.value); }

Json CompileSpecJson(const DelegateDescription::CompileSpec& spec) {
  Json object;
  object["key"] = spec.key;
  object["bytes"] = spec.bytes;
  object["text"] = spec.text.empty() ? Json() : Json(spec.text);
  return object;
}

Json TextOrNull(const std::string& text) { return text.empty() ? Json() : Json(text); }

void AddLayout(Json& object, const TensorLayout& layout) {
  object["dtype"] = ScalarTypeName(layout.scalar_type);
  object["sizes"] = layout.sizes;
  object["dim_order"] = Json::array();
  for (const uint8_t dimension : layout.dim_order) object["dim_order"].push_back(dimension);
}

}  // namespace pteedit::cli
