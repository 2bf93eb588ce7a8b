#include "text/width.h"

#include <unistd.h>
#if !defined(_WIN32)
#include <sys/ioctl.h>
#endif

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

namespace pteedit::cli {
namespace {

struct Range {
  uint32_t first, last;
};

// Unicode's East_Asian_Width W and F, and marks without a width, rounded to blocks.
constexpr Range kWide[] = {{0x1100, 0x115f},  {0x2e80, 0x303e},   {0x3041, 0xa4cf},   {0xa960, 0xa97f},
                           {0xac00, 0xd7a3},  {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},
                           {0xffe0, 0xffe6},  {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff},
                           {0x20000, 0x3fffd}};
constexpr Range kNoWidth[] = {{0x0300, 0x036f}, {0x200b, 0x200f}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}};

template <size_t N>
bool IsIn(const Range (&ranges)[N], uint32_t point) {
  return std::any_of(std::begin(ranges), std::end(ranges),
                     [point](const Range& range) { return range.first <= point && point <= range.last; });
}

size_t WidthOf(uint32_t point) { return IsIn(kNoWidth, point) ? 0 : IsIn(kWide, point) ? 2 : 1; }

// Takes a code point off the beginning.
uint32_t TakePoint(std::string_view& text) {
  const auto first = static_cast<unsigned char>(text.front());
  const size_t length = first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  uint32_t point = length == 1 ? first : first & (0x7fU >> length);
  for (size_t i = 1; i < std::min(length, text.size()); ++i)
    point = point << 6 | (static_cast<unsigned char>(text[i]) & 0x3f);
  text.remove_prefix(std::min(length, text.size()));
  return point;
}

}  // namespace

size_t DisplayWidth(std::string_view text) {
  size_t width = 0;
  while (!text.empty()) width += WidthOf(TakePoint(text));
  return width;
}

std::string CutTo(const std::string& text, size_t width) {
  if (DisplayWidth(text) <= width || width == 0) return text;
  std::vector<size_t> starts;  // of code points, with the end
  for (std::string_view left = text; !left.empty(); TakePoint(left)) starts.push_back(text.size() - left.size());
  starts.push_back(text.size());
  const auto width_of = [&](size_t i) {
    return DisplayWidth(std::string_view(text).substr(starts[i], starts[i + 1] - starts[i]));
  };
  size_t room = width - 1;  // the ellipsis
  size_t head = 0, tail = starts.size() - 1;
  for (size_t left = room - room / 2; width_of(head) <= left; ++head) left -= width_of(head), room -= width_of(head);
  for (; width_of(tail - 1) <= room; --tail) room -= width_of(tail - 1);
  return text.substr(0, starts[head]) + "…" + text.substr(starts[tail]);
}

#if defined(_WIN32)
size_t TerminalWidth() { return 0; }
#else
size_t TerminalWidth() {
  winsize size{};
  if (isatty(STDOUT_FILENO) != 1 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_col;
}
#endif

}  // namespace pteedit::cli
