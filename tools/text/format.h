// What views have in common: how names, numbers and layouts look as text and as JSON.
#ifndef PTEEDIT_TOOLS_TEXT_FORMAT_H_
#define PTEEDIT_TOOLS_TEXT_FORMAT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "json.h"
#include "pteedit/container.h"
#include "pteedit/delegates.h"
#include "pteedit/text.h"

namespace pteedit::cli {

std::string HexText(uint64_t value);  // "0x1f"

template <class Items, class ToText>
std::string Join(const Items& items, const char* separator, ToText to_text) {
  std::string text;
  const char* before = "";
  for (const auto& item : items) text += std::exchange(before, separator) + to_text(item);
  return text;
}

template <class Number>
std::string NumbersText(const std::vector<Number>& numbers) {
  return Join(numbers, ",", [](Number number) { return std::to_string(number); });
}

// "a, b"
template <class Texts>
std::string EscapedList(const Texts& texts) {
  return Join(texts, ", ", EscapeControl);
}

std::string TypeText(const TensorLayout& layout);  // "float32[2,16]"

template <class Items, class ToJson>
Json ListOf(const Items& items, ToJson to_json) {
  Json list = Json::array();
  for (const auto& item : items) list.push_back(to_json(item));
  return list;
}

std::string SpecText(const DelegateDescription::CompileSpec& spec);  // "key=value"
std::string FactText(const BlobFact& fact);                          // "name: value"
Json CompileSpecJson(const DelegateDescription::CompileSpec& spec);

template <class Texts>
Json TextsOf(const Texts& texts) {
  return ListOf(texts, [](std::string_view text) { return Json(std::string(text)); });
}

// Null rather than an empty text, where there is no name.
Json TextOrNull(const std::string& text);
// Adds the members dtype, sizes and dim_order.
void AddLayout(Json& object, const TensorLayout& layout);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_TEXT_FORMAT_H_
