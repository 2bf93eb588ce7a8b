#include "yaml.h"

#include <cstdint>
#include <cstdio>
#include <regex>
#include <utility>

namespace pteedit::cli {
namespace {

constexpr size_t kWidth = 80;
constexpr size_t kLongestSimpleKey = 122;  // 127 with the tag "!!str", which counts although it is not written
constexpr size_t kLongestNumber = 1024;    // what is longer is never taken for a number; the regex engine recurses

constexpr std::u32string_view kBreaks = U"\n\x85\u2028\u2029";
constexpr std::u32string_view kBlanksAndBreaks(U"\0 \t\r\n\x85\u2028\u2029", 8);  // NUL included

bool IsOneOf(char32_t letter, std::u32string_view set) { return set.find(letter) != std::u32string_view::npos; }
bool IsPrintable(char32_t letter) { return letter >= U' ' && letter <= U'~'; }

// Reads one letter of UTF-8 off the front; nothing but the byte, in the range for such bytes, where it is none.
char32_t TakeLetter(std::string_view& text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t first = byte(0);
  const size_t length = first < 0x80   ? 1
                        : first < 0xC2 ? 0
                        : first < 0xE0 ? 2
                        : first < 0xF0 ? 3
                        : first < 0xF5 ? 4
                                       : 0;
  char32_t letter = length < 2 ? first : first & (0x7FU >> length);
  bool good = length != 0 && length <= text.size();
  for (size_t i = 1; good && i < length; ++i) {
    good = (byte(i) & 0xC0U) == 0x80;
    letter = letter << 6 | (byte(i) & 0x3FU);
  }
  constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  good = good && letter >= kSmallest[length] && letter <= 0x10FFFF && (letter < 0xD800 || letter > 0xDFFF);
  text.remove_prefix(good ? length : 1);
  return good ? letter : 0xDC00 + first;
}

std::u32string Decoded(std::string_view text) {
  std::u32string letters;
  while (!text.empty()) letters.push_back(TakeLetter(text));
  return letters;
}

// What a reader of YAML 1.1 would take for something else than text.
bool LooksLikeAnotherType(std::string_view text) {
  static const std::regex kWords(
      "yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF|~|null|Null|NULL|<<|=");
  static const std::regex kFloats(
      "[-+]?[0-9][0-9_]*\\.[0-9_]*([eE][-+][0-9]+)?|\\.[0-9][0-9_]*([eE][-+][0-9]+)?|"
      "[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+\\.[0-9_]*|[-+]?\\.(inf|Inf|INF)|\\.(nan|NaN|NAN)");
  static const std::regex kIntegers(
      "[-+]?0b[01_]+|[-+]?0[0-7_]+|[-+]?(0|[1-9][0-9_]*)|[-+]?0x[0-9a-fA-F_]+|[-+]?[1-9][0-9_]*(:[0-5]?[0-9])+");
  static const std::regex kTimes(
      "[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{4}-[0-9][0-9]?-[0-9][0-9]?([Tt]|[ \\t]+)[0-9][0-9]?:[0-9]{2}:[0-9]{2}"
      "(\\.[0-9]*)?([ \\t]*(Z|[-+][0-9][0-9]?(:[0-9]{2})?))?");
  if (text.empty()) return true;
  if (text.size() > kLongestNumber) return false;
  const auto is = [&](const std::regex& form) { return std::regex_match(text.begin(), text.end(), form); };
  return is(kWords) || is(kFloats) || is(kIntegers) || is(kTimes);
}

// What is in a text that forbids ways to write it.
struct Contents {
  bool has_break = false;
  bool may_be_plain = true;   // on a line of its own, between nothing but spaces
  bool may_be_quoted = true;  // in single quotes
};

bool IsIndicatorAt(std::u32string_view text, size_t i) {
  const bool ends_word = i + 1 >= text.size() || IsOneOf(text[i + 1], kBlanksAndBreaks);
  if (text[i] == U':') return ends_word;
  if (i == 0) return IsOneOf(text[0], U"#,[]{}&*!|>'\"%@`") || (IsOneOf(text[0], U"?-") && ends_word);
  return text[i] == U'#' && IsOneOf(text[i - 1], kBlanksAndBreaks);
}

Contents Look(std::u32string_view text) {
  Contents contents;
  bool has_indicator = text.substr(0, 3) == U"---" || text.substr(0, 3) == U"...";
  for (size_t i = 0; i < text.size(); ++i) {
    const bool is_break = IsOneOf(text[i], kBreaks);
    const char32_t last = i == 0 ? U'x' : text[i - 1];
    contents.has_break = contents.has_break || is_break;
    has_indicator = has_indicator || IsIndicatorAt(text, i);
    const bool is_special = text[i] != U'\n' && !IsPrintable(text[i]);
    const bool breaks_badly = (is_break && last == U' ') || (text[i] == U' ' && IsOneOf(last, kBreaks));
    if (is_special || breaks_badly) contents.may_be_quoted = false;
  }
  const auto is_blank = [](char32_t letter) { return letter == U' ' || IsOneOf(letter, kBreaks); };
  const bool has_blank_ends = !text.empty() && (is_blank(text.front()) || is_blank(text.back()));
  contents.may_be_plain = contents.may_be_quoted && !contents.has_break && !has_indicator && !has_blank_ends;
  return contents;
}

// Writes one text, which may go on in further lines.
class Writer {
 public:
  Writer(std::u32string text, const YamlPlace& place) : text_(std::move(text)), place_(place), column_(place.column) {}

  std::string Plain() {
    WriteFolded(/*is_quoted=*/false);
    return std::move(out_);
  }

  std::string SingleQuoted() {
    Put("'");
    WriteFolded(/*is_quoted=*/true);
    Put("'");
    return std::move(out_);
  }

  std::string DoubleQuoted() {
    Put("\"");
    for (size_t end = 0; end <= text_.size(); ++end) {
      const bool at_end = end == text_.size();
      const bool is_escaped = !at_end && (!IsPrintable(text_[end]) || IsOneOf(text_[end], U"\"\\"));
      if (at_end || is_escaped) PutUpTo(end);
      if (is_escaped) {
        Put(Escaped(text_[end]));
        start_ = end + 1;
      }
      if (!at_end) FoldEscaped(end);
    }
    Put("\"");
    return std::move(out_);
  }

 private:
  static std::string Escaped(char32_t letter) {
    static const std::pair<char32_t, char> kShort[] = {
        {0, '0'},  {7, 'a'},    {8, 'b'},      {9, 't'},    {10, 'n'},   {11, 'v'},     {12, 'f'},    {13, 'r'},
        {27, 'e'}, {U'"', '"'}, {U'\\', '\\'}, {0x85, 'N'}, {0xA0, '_'}, {0x2028, 'L'}, {0x2029, 'P'}};
    for (const auto& [from, to] : kShort) {
      if (letter == from) return {'\\', to};
    }
    char text[16];
    const char* form = letter <= 0xFF ? "\\x%02X" : letter <= 0xFFFF ? "\\u%04X" : "\\U%08X";
    return {text, static_cast<size_t>(std::snprintf(text, sizeof text, form, static_cast<unsigned>(letter)))};
  }

  void Put(std::string_view ascii) {
    out_ += ascii;
    column_ += ascii.size();
  }

  void PutUpTo(size_t end) {
    for (; start_ < end; ++start_) Put(std::string(1, static_cast<char>(text_[start_])));
  }

  void BreakLine() {
    out_ += "\n" + std::string(place_.indent, ' ');
    column_ = place_.indent;
  }

  // Runs of spaces, of line breaks, and of what is neither. A single space behind the last column becomes a line break.
  void WriteFolded(bool is_quoted) {
    while (start_ < text_.size()) {
      const auto kind = [&](size_t i) { return text_[i] == U' ' ? 1 : text_[i] == U'\n' ? 2 : 0; };
      size_t end = start_ + 1;
      while (end < text_.size() && kind(end) == kind(start_)) ++end;
      if (kind(start_) == 2) {
        out_.append(end - start_, '\n');
        start_ = end;
        BreakLine();
      } else if (kind(start_) == 1 && end - start_ == 1 && start_ != 0 && end != text_.size() && column_ > kWidth &&
                 !place_.is_simple_key) {
        start_ = end;
        BreakLine();
      } else {
        PutRun(end, is_quoted);
      }
    }
  }

  void PutRun(size_t end, bool is_quoted) {
    for (; start_ < end; ++start_) {
      if (is_quoted && text_[start_] == U'\'') Put("'");
      Put(std::string(1, static_cast<char>(text_[start_])));
    }
  }

  // A backslash ends a line that goes on; a second one keeps the space that the next begins with.
  void FoldEscaped(size_t end) {
    const bool may_break = end > 0 && end + 1 < text_.size() && (text_[end] == U' ' || start_ >= end);
    const size_t pending = start_ < end ? end - start_ : 0;
    const size_t ahead = start_ > end ? start_ - end : 0;  // what was escaped is behind us
    if (!may_break || column_ + pending <= kWidth + ahead || place_.is_simple_key) return;
    PutUpTo(end);
    Put("\\");
    BreakLine();
    if (text_[start_] == U' ') Put("\\");
  }

  std::u32string text_;
  YamlPlace place_;
  size_t column_;
  size_t start_ = 0;  // of what is not written yet
  std::string out_;
};

}  // namespace

std::string YamlText(std::string_view text, const YamlPlace& place) {
  std::u32string letters = Decoded(text);
  const Contents contents = Look(letters);
  const bool fits_a_key = !place.is_simple_key || (!letters.empty() && !contents.has_break);
  const bool is_plain = contents.may_be_plain && fits_a_key && !LooksLikeAnotherType(text);
  const bool is_single = contents.may_be_quoted && !(place.is_simple_key && contents.has_break);
  Writer writer(std::move(letters), place);
  return is_plain ? writer.Plain() : is_single ? writer.SingleQuoted() : writer.DoubleQuoted();
}

bool IsSimpleYamlKey(std::string_view text) {
  const std::u32string letters = Decoded(text);
  return !letters.empty() && letters.size() <= kLongestSimpleKey && !Look(letters).has_break;
}

}  // namespace pteedit::cli
