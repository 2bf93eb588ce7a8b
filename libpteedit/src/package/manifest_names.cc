#include "package/manifest_names.h"

#include <algorithm>
#include <string_view>

#include "pteedit/package/manifest.h"
#include "pteedit/text.h"

namespace pteedit {
namespace {

constexpr size_t kMaxExtensionBytes = 20;

bool IsLowerOrDigit(char letter) { return (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'z'); }

}  // namespace

bool IsExtension(std::string_view text) {
  if (text.empty()) return true;
  const bool has_dot = text.front() == '.' && text.back() != '.' && text.size() <= kMaxExtensionBytes;
  return has_dot && text.find("..") == std::string_view::npos &&
         std::all_of(text.begin(), text.end(), [](char letter) { return letter == '.' || IsLowerOrDigit(letter); });
}

bool IsShownAsItIs(std::string_view name) {
  return !name.empty() && name.size() <= kMaxNameBytes && EscapeControl(name) == name;
}

bool IsPortableName(std::string_view name) {
  const auto is_portable = [](char letter) {
    return IsLowerOrDigit(letter) || (letter >= 'A' && letter <= 'Z') || letter == '.' || letter == '_' ||
           letter == '-';
  };
  return !name.empty() && name.size() <= kMaxNameBytes &&
         std::string_view("._-").find(name.front()) == std::string_view::npos &&
         std::all_of(name.begin(), name.end(), is_portable);
}

}  // namespace pteedit
