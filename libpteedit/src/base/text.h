// Building message and report text: ASCII only, no locale.
#ifndef PTEEDIT_SRC_BASE_TEXT_H_
#define PTEEDIT_SRC_BASE_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pteedit/text.h"

namespace pteedit {

// "0x1a3f".
std::string Hex(uint64_t value);

// The shortest text that reads back as the same number.
std::string NumberText(double number);

// 'name' for messages: control bytes and invalid UTF-8 escaped as \xNN, cut after 200 bytes.
std::string Quoted(std::string_view name);

// With small letters for A to Z.
std::string LowerCase(std::string_view text);

// Joins strings, string views and whole numbers.
inline void AppendText(std::string& out, std::string_view part) { out += part; }
inline void AppendText(std::string& out, char part) { out += part; }
template <class Number, class = decltype(std::to_string(Number{}))>
void AppendText(std::string& out, Number part) {
  out += std::to_string(part);
}
template <class... Parts>
std::string Text(const Parts&... parts) {
  std::string out;
  (AppendText(out, parts), ...);
  return out;
}

// The texts of `items`, "a, b".
template <class Items, class ToText>
std::string Joined(const Items& items, std::string_view between, ToText to_text) {
  std::string out;
  bool is_first = true;
  for (const auto& item : items) {
    if (!is_first) out += between;
    is_first = false;
    AppendText(out, to_text(item));
  }
  return out;
}
template <class Items>
std::string Joined(const Items& items, std::string_view between) {
  return Joined(items, between, [](const auto& item) -> const auto& { return item; });
}

// Each text once, in the order of the first.
std::vector<std::string> WithoutRepeats(std::vector<std::string> texts);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_BASE_TEXT_H_
