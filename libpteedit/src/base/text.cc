#include "base/text.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <numeric>

#include "base/renumber.h"

namespace pteedit {
namespace {

constexpr size_t kMaxQuotedBytes = 200;
constexpr char kHexDigits[] = "0123456789abcdef";

struct Unit {
  std::string_view name;
  uint64_t bytes;
};
constexpr Unit kUnits[] = {{"GB", 1'000'000'000}, {"MB", 1'000'000}, {"KB", 1'000}};

// Length of the well-formed UTF-8 sequence at the front of `text`, 0 where there is none.
size_t Utf8Length(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t lead = byte(0);
  if (lead < 0x80) return 1;
  const size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  if ((lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xed && byte(1) > 0x9f)) return 0;  // overlong, surrogates
  if ((lead == 0xf0 && byte(1) < 0x90) || (lead == 0xf4 && byte(1) > 0x8f)) return 0;  // overlong, above U+10FFFF
  return length;
}

// `text` with write(out, byte) for each byte that is control or no UTF-8.
template <class Write>
std::string WithoutControl(std::string_view text, Write write) {
  std::string out;
  while (!text.empty()) {
    const size_t length = Utf8Length(text);
    const auto byte = static_cast<uint8_t>(text.front());
    const bool c1_control = length == 2 && byte == 0xc2 && static_cast<uint8_t>(text[1]) < 0xa0;
    const bool is_good = length != 0 && byte >= 0x20 && byte != 0x7f && !c1_control;
    if (is_good) {
      out += text.substr(0, length);
    } else {
      write(out, byte);
    }
    text.remove_prefix(is_good ? length : 1);
  }
  return out;
}

}  // namespace

std::string HumanSize(uint64_t bytes) {
  for (const Unit& unit : kUnits) {
    if (bytes < unit.bytes) continue;
    char text[32];
    std::snprintf(text, sizeof(text), "%.2f", static_cast<double>(bytes) / static_cast<double>(unit.bytes));
    return Text(text, ' ', unit.name);
  }
  return std::to_string(bytes) + " B";
}

std::string NumberText(double number) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof(text), number);
  return {text, end.ptr};
}

std::string Hex(uint64_t value) {
  std::string digits;
  do {
    digits.insert(digits.begin(), kHexDigits[value & 15]);
    value >>= 4;
  } while (value != 0);
  return "0x" + digits;
}

std::string EscapeControl(std::string_view text) {
  return WithoutControl(text, [](std::string& out, uint8_t byte) {
    out += {'\\', 'x', kHexDigits[byte >> 4], kHexDigits[byte & 15]};
  });
}

std::string ReplaceControl(std::string_view text) {
  return WithoutControl(text, [](std::string& out, uint8_t) { out += "\xef\xbf\xbd"; });
}

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  for (char& letter : lower) letter = letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  return lower;
}

std::string Quoted(std::string_view name) {
  const bool cut = name.size() > kMaxQuotedBytes;
  return "'" + EscapeControl(name.substr(0, kMaxQuotedBytes)) + (cut ? "…'" : "'");
}

std::string HexDigits(std::string_view bytes) {
  std::string digits;
  digits.reserve(2 * bytes.size());
  for (const char letter : bytes) {
    const auto byte = static_cast<uint8_t>(letter);
    digits += {kHexDigits[byte >> 4], kHexDigits[byte & 15]};
  }
  return digits;
}

std::vector<std::string> WithoutRepeats(std::vector<std::string> texts) {
  std::vector<size_t> order(texts.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const int compared = texts[a].compare(texts[b]);
    return compared != 0 ? compared < 0 : a < b;
  });
  std::vector<bool> is_first(texts.size(), true);
  for (size_t i = 1; i < order.size(); ++i) is_first[order[i]] = texts[order[i]] != texts[order[i - 1]];
  Keep(texts, is_first);
  return texts;
}

}  // namespace pteedit
