#include "record/lowered_bytes.h"

#include <algorithm>
#include <array>
#include <optional>

namespace pteedit {
namespace {

constexpr std::string_view kModuleKey = "as_string";    // of arguments that are texts
constexpr std::string_view kBackendKey = "backend_id";  // which all modules have
constexpr std::string_view kProgramKey = "original_module";
constexpr std::string_view kStoreKey = "named_data_store";  // JSON in a text, or null
constexpr std::array<std::string_view, 3> kBytesKeys = {"processed_bytes", "original_state_dict", "original_constants"};
constexpr std::string_view kSpaces = " \t\r\n";
constexpr std::string_view kEscaped = "\"\\/bfnrt", kMeant = "\"\\/\b\f\n\r\t";

// Behind the text that begins with the quote at `at`; npos where it has no end.
size_t EndOfText(std::string_view json, size_t at) {
  for (++at; at < json.size(); ++at) {
    if (json[at] == '"') return at + 1;
    if (json[at] == '\\') ++at;
  }
  return json.npos;
}

// Behind the value that begins at `at`; npos where it has no end.
size_t EndOfValue(std::string_view json, size_t at) {
  size_t depth = 0;
  while (at < json.size()) {
    const char c = json[at];
    if (depth == 0 && (c == ',' || c == '}' || c == ']')) return at;
    if (c == '"') {
      at = EndOfText(json, at);
      if (at == json.npos || depth == 0) return at;
      continue;
    }
    if (c == '{' || c == '[') ++depth;
    if ((c == '}' || c == ']') && --depth == 0) return at + 1;
    ++at;
  }
  return json.npos;
}

size_t SkipSpaces(std::string_view json, size_t at) {
  return std::min(json.find_first_not_of(kSpaces, at), json.size());
}

std::string_view Part(std::string_view json, size_t begin, size_t end) { return json.substr(begin, end - begin); }

// What a text means; nothing where it has escapes of code points, which modules have not.
std::optional<std::string> Unescape(std::string_view text) {
  std::string meant;
  text = text.substr(1, text.size() - 2);
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      meant += text[i];
      continue;
    }
    const size_t which = ++i < text.size() ? kEscaped.find(text[i]) : kEscaped.npos;
    if (which == kEscaped.npos) return std::nullopt;
    meant += kMeant[which];
  }
  return meant;
}

std::string Escape(std::string_view meant) {
  std::string text = "\"";
  for (const char c : meant) {
    const size_t which = c == '/' ? kMeant.npos : kMeant.find(c);
    if (which == kMeant.npos) {
      text += c;
    } else {
      text += {'\\', kEscaped[which]};
    }
  }
  return text + "\"";
}

// What takes the place of a member's value in a module.
std::string ValueInModule(std::string_view key, std::string_view value) {
  const bool is_text = value.starts_with('"');
  if (is_text && std::find(kBytesKeys.begin(), kBytesKeys.end(), key) != kBytesKeys.end()) return "\"\"";
  if (is_text && key == kStoreKey) return "null";
  return key == kProgramKey ? WithoutLoweredBytes(value) : std::string(value);
}

// Nothing where it is no module.
std::optional<std::string> SlimModule(std::string_view json) {
  if (!json.starts_with('{')) return std::nullopt;
  std::string slim = "{";
  bool is_module = false;
  for (size_t at = SkipSpaces(json, 1); at < json.size() && json[at] == '"';) {
    const size_t key_end = EndOfText(json, at);
    const size_t colon = key_end == json.npos ? json.size() : SkipSpaces(json, key_end);
    if (colon == json.size() || json[colon] != ':') return std::nullopt;
    const size_t begin = SkipSpaces(json, colon + 1);
    const size_t end = EndOfValue(json, begin);
    if (end == json.npos) return std::nullopt;
    const std::string_view key = Part(json, at + 1, key_end - 1);
    is_module = is_module || key == kBackendKey;
    slim.append(Part(json, at, begin)).append(ValueInModule(key, Part(json, begin, end)));
    const size_t next = SkipSpaces(json, end);
    const bool is_last = next == json.size() || json[next] != ',';
    if (is_last) return is_module ? std::optional(slim.append(json.substr(end))) : std::nullopt;
    at = SkipSpaces(json, next + 1);
    slim.append(Part(json, end, at));
  }
  return std::nullopt;
}

// Of a text that may be a module, which is then a text again.
std::optional<std::string> SlimText(std::string_view text) {
  const std::optional<std::string> meant = Unescape(text);
  if (!meant) return std::nullopt;
  const std::optional<std::string> slim = SlimModule(*meant);
  if (!slim || *slim == *meant) return std::nullopt;
  return Escape(*slim);
}

}  // namespace

std::string WithoutLoweredBytes(std::string_view program) {
  std::string slim;
  size_t copied = 0;
  bool is_module = false;  // the text that comes next may be one
  for (size_t at = program.find('"'); at < program.size(); at = program.find('"', at)) {
    const size_t end = EndOfText(program, at);
    if (end == program.npos) return std::string(program);
    const std::string_view text = Part(program, at, end);
    const size_t next = SkipSpaces(program, end);
    const bool is_key = next < program.size() && program[next] == ':';
    if (is_module && !is_key && text.starts_with("\"{")) {
      if (const std::optional<std::string> module = SlimText(text)) {
        slim.append(Part(program, copied, at)).append(*module);
        copied = end;
      }
    }
    is_module = is_key && Part(text, 1, text.size() - 1) == kModuleKey;
    at = end;
  }
  return slim.append(program.substr(copied));
}

}  // namespace pteedit
