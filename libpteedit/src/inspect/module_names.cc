#include "inspect/module_names.h"

#include <algorithm>

#include "program/content_key.h"

namespace pteedit {
namespace {

constexpr size_t kDeepest = 16;  // modules in modules

bool IsWord(std::string_view word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

}  // namespace

std::string_view ModuleOf(std::string_view name) {
  if (IsContentKey(name) || IsSha256Key(name)) return {};
  size_t end = 0, words = 0;
  for (size_t dot; (dot = name.find('.', end)) != std::string_view::npos; end = dot + 1) {
    if (!IsWord(name.substr(end, dot - end))) return {};
    if (words < kDeepest) ++words;
  }
  if (words == 0 || !IsWord(name.substr(end))) return {};
  size_t last = name.find('.');
  for (size_t i = 1; i < words; ++i) last = name.find('.', last + 1);
  return name.substr(0, last);
}

}  // namespace pteedit
