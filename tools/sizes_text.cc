#include "sizes_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string_view>

#include "pteedit/text.h"

namespace pteedit::cli {
namespace {

struct Unit {
  std::string_view name;
  uint64_t bytes;
};

constexpr Unit kTaken[] = {{"", 1},       {"K", 1 << 10},    {"M", 1 << 20},       {"G", 1 << 30},
                           {"KB", 1'000}, {"MB", 1'000'000}, {"GB", 1'000'000'000}};

}  // namespace

std::string ShareText(double share) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f %%", 100 * share);
  return text.data();
}

Result<uint64_t> ParseSize(const std::string& text) {
  const std::string quoted = "size '" + EscapeControl(text) + "'";
  uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, status] = std::from_chars(text.data(), end, number);
  for (const Unit& unit : kTaken) {
    if (rest == text.data() || unit.name != std::string_view(rest, static_cast<size_t>(end - rest))) continue;
    const bool fits = status == std::errc() && number <= std::numeric_limits<uint64_t>::max() / unit.bytes;
    if (!fits) return InvalidArgument(quoted + " is too large");
    return number * unit.bytes;
  }
  return InvalidArgument(quoted +
                         " is not a number of bytes, with K, M or G (powers of 1024) or KB, MB or GB (powers of 1000)");
}

Result<double> ParsePercent(const std::string& text) {
  double percent = 0;
  const char* end = text.data() + text.size() - (text.ends_with('%') ? 1 : 0);
  const auto [rest, status] = std::from_chars(text.data(), end, percent);
  const bool is_number = rest == end && rest != text.data() && status == std::errc() && std::isfinite(percent);
  if (!text.ends_with('%') || !is_number || percent < 0)
    return InvalidArgument("'" + EscapeControl(text) + "' is no share such as 1.5%");
  return percent;
}

}  // namespace pteedit::cli
