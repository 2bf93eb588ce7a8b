#include "formats/xml_reader.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/text.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

constexpr std::string_view kSpace = " \t\r\n";
constexpr auto kEnd = std::string_view::npos;
constexpr size_t kMaxValueBytes = 4096;

// What is passed over, with what ends it.
constexpr std::pair<std::string_view, std::string_view> kPassed[] = {
    {"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}, {"<!", ">"}};

constexpr std::pair<std::string_view, char> kEntities[] = {
    {"lt", '<'}, {"gt", '>'}, {"amp", '&'}, {"quot", '"'}, {"apos", '\''}};

std::optional<char> Character(std::string_view entity) {
  for (const auto& [name, character] : kEntities) {
    if (entity == name) return character;
  }
  if (!entity.starts_with('#')) return std::nullopt;
  const bool is_hex = entity.starts_with("#x");
  const std::string_view digits = entity.substr(is_hex ? 2 : 1);
  constexpr unsigned kMaxAscii = 127;
  unsigned number = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number, is_hex ? 16 : 10);
  if (read.ec != std::errc() || read.ptr != digits.data() + digits.size() || number > kMaxAscii) return std::nullopt;
  return static_cast<char>(number);
}

std::string Unescape(std::string_view value) {
  constexpr size_t kMaxEntityBytes = 10;
  std::string text;
  while (!value.empty()) {
    const size_t plain = std::min(value.find('&'), value.size());
    text += value.substr(0, plain);
    value.remove_prefix(plain);
    if (value.empty()) break;
    const size_t end = value.substr(0, kMaxEntityBytes).find(';');
    const std::optional<char> character = end == kEnd ? std::nullopt : Character(value.substr(1, end - 1));
    text += character.value_or('&');
    value.remove_prefix(character ? end + 1 : 1);
  }
  return text;
}

void SkipSpace(std::string_view& text) { text.remove_prefix(std::min(text.find_first_not_of(kSpace), text.size())); }

}  // namespace

std::optional<std::string> XmlTag::Attribute(std::string_view attribute) const {
  std::string_view rest = attributes;
  for (SkipSpace(rest); !rest.empty(); SkipSpace(rest)) {
    const size_t equals = rest.find('=');
    if (equals == kEnd) return std::nullopt;
    std::string_view found = rest.substr(0, equals);
    found = found.substr(0, found.find_last_not_of(kSpace) + 1);
    rest.remove_prefix(equals + 1);
    SkipSpace(rest);
    if (rest.empty() || (rest[0] != '"' && rest[0] != '\'')) return std::nullopt;
    const size_t end = rest.find(rest[0], 1);
    if (end == kEnd) return std::nullopt;
    if (found == attribute) return Unescape(rest.substr(1, std::min(end - 1, kMaxValueBytes)));
    rest.remove_prefix(end + 1);
  }
  return std::nullopt;
}

// The place of the '>' that ends the tag, not one in an attribute's quotes.
Result<size_t> XmlReader::EndOfTag(size_t start) const {
  char quote = 0;
  for (size_t i = start; i < text_.size(); ++i) {
    const char c = text_[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '>') {
      return i;
    }
  }
  return Unsupported(Text("XML tag at byte ", start, " does not end"));
}

Result<XmlTag> XmlReader::Next() {
  while (true) {
    at_ = text_.find('<', at_);
    if (at_ == kEnd) {
      at_ = text_.size();
      return XmlTag();
    }
    const std::string_view rest = text_.substr(at_);
    size_t passed = 0;
    for (const auto& [begin, end] : kPassed) {
      if (!rest.starts_with(begin)) continue;
      const size_t found = rest.find(end, begin.size());
      if (found == kEnd) return Unsupported(Text("XML ", Quoted(begin), " at byte ", at_, " does not end"));
      passed = found + end.size();
      break;
    }
    if (passed == 0) break;
    at_ += passed;
  }
  const size_t start = at_;
  PTEEDIT_ASSIGN(const size_t end, EndOfTag(start));
  std::string_view inside = text_.substr(start + 1, end - start - 1);
  at_ = end + 1;
  XmlTag tag;
  tag.kind = XmlTag::Kind::kOpen;
  if (inside.starts_with('/')) {
    tag.kind = XmlTag::Kind::kClose;
    inside.remove_prefix(1);
  } else if (inside.ends_with('/')) {
    tag.kind = XmlTag::Kind::kEmpty;
    inside.remove_suffix(1);
  }
  tag.name = inside.substr(0, inside.find_first_of(kSpace));
  tag.attributes = inside.substr(tag.name.size());
  return tag;
}

}  // namespace pteedit
