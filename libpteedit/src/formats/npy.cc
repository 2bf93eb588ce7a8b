#include "formats/npy.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "base/checked.h"
#include "base/load.h"
#include "base/text.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr uint64_t kMaxNpyHeaderBytes = 10'000;  // numpy.lib.format: max_header_size
constexpr size_t kMaxSizes = 64;                 // NumPy has 64 dimensions at most

struct Type {
  std::string_view code, dtype;
  uint64_t bytes;
};
constexpr Type kNpyTypes[] = {
    {"b1", "bool", 1},      {"i1", "int8", 1},         {"u1", "uint8", 1},   {"i2", "int16", 2},
    {"u2", "uint16", 2},    {"i4", "int32", 4},        {"u4", "uint32", 4},  {"i8", "int64", 8},
    {"u8", "uint64", 8},    {"f2", "float16", 2},      {"f4", "float32", 4}, {"f8", "float64", 8},
    {"c8", "complex64", 8}, {"c16", "complex128", 16}, {"V1", "", 1},        {"V2", "", 2}};

// Reads the header from its start to its end.
class HeaderReader {
 public:
  explicit HeaderReader(std::string_view text) : rest_(text) {}

  Result<NpyArray> Read() {
    if (!Take('{')) return Wrong("'{'");
    while (!Take('}')) {
      PTEEDIT_TRY(ReadMember());
      if (Take(',')) continue;
      if (!Take('}')) return Wrong("',' or '}'");
      break;
    }
    if (rest_.find_first_not_of(" \n") != std::string_view::npos) return Wrong("the end");
    if (!has_type_ || !has_order_ || !has_shape_) return Malformed("header lacks 'descr', 'fortran_order' or 'shape'");
    return std::move(array_);
  }

 private:
  Error Wrong(const char* expected) const {
    constexpr size_t kShown = 20;
    return Malformed(Text("header has ", Quoted(rest_.substr(0, kShown)), " where ", expected, " is expected"));
  }

  void SkipBlanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(' '), rest_.size())); }

  bool Take(char wanted) {
    SkipBlanks();
    if (rest_.empty() || rest_.front() != wanted) return false;
    rest_.remove_prefix(1);
    return true;
  }

  bool Take(std::string_view word) {
    SkipBlanks();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  Status ReadMember() {
    PTEEDIT_ASSIGN(const std::string_view name, ReadText());
    if (!Take(':')) return Wrong("':'");
    bool& known = name == "descr" ? has_type_ : name == "shape" ? has_shape_ : has_order_;
    if (name != "descr" && name != "shape" && name != "fortran_order")
      return Malformed(Text("header has a member ", Quoted(name), ", which NumPy does not write"));
    if (std::exchange(known, true)) return Malformed(Text("header has ", Quoted(name), " twice"));
    return name == "descr" ? ReadType() : name == "shape" ? ReadShape() : ReadOrder();
  }

  Result<std::string_view> ReadText() {
    const char quote = Take('\'') ? '\'' : '"';
    if (quote == '"' && !Take('"')) return Wrong("a text");
    const size_t end = rest_.find(quote);
    if (end == std::string_view::npos) return Wrong("the end of a text");
    const std::string_view text = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return text;
  }

  Status ReadType() {
    if (Take('[')) return Unsupported("has elements with fields, numbers expected");
    PTEEDIT_ASSIGN(const std::string_view text, ReadText());
    const std::string_view code = text.substr(std::min<size_t>(text.size(), 1));
    const auto* type =
        std::find_if(std::begin(kNpyTypes), std::end(kNpyTypes), [&](const Type& t) { return t.code == code; });
    if (type == std::end(kNpyTypes))
      return Unsupported(Text("has elements of type ", Quoted(text), ", which is not known"));
    if (text.front() == '>' && type->bytes != 1)
      return Unsupported("has big-endian elements, little-endian ones expected");
    if (text.front() != '<' && text.front() != '|')
      return Malformed(Text("header has type ", Quoted(text), ", which does not begin with '<' or '|'"));
    array_.dtype = type->dtype;
    array_.element_bytes = type->bytes;
    return {};
  }

  Status ReadOrder() {
    array_.fortran_order = Take("True");
    return array_.fortran_order || Take("False") ? Status() : Wrong("True or False");
  }

  Status ReadShape() {
    if (!Take('(')) return Wrong("'('");
    while (!Take(')')) {
      std::optional<uint64_t> size;
      SkipBlanks();
      for (; !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9'; rest_.remove_prefix(1)) {
        const auto digit = static_cast<uint64_t>(rest_.front() - '0');
        size = CheckedMultiply(size.value_or(0), 10);
        size = size ? CheckedAdd(*size, digit) : size;
        if (!size) return Malformed("header has a size that no 64 bits hold");
      }
      if (!size) return Wrong("a size");
      array_.sizes.push_back(*size);
      if (array_.sizes.size() > kMaxSizes) return Unsupported(Text("has more than ", kMaxSizes, " dimensions"));
      if (Take(',')) continue;
      if (!Take(')')) return Wrong("',' or ')'");
      break;
    }
    return {};
  }

  std::string_view rest_;
  NpyArray array_;
  bool has_type_ = false, has_order_ = false, has_shape_ = false;
};

Result<std::string> ReadHeaderText(const Source& source, Extent header) {
  if (header.size > kMaxNpyHeaderBytes)
    return Unsupported(Text("header has ", header.size, " bytes, NumPy reads at most ", kMaxNpyHeaderBytes));
  if (!Fits(header, source.size()))
    return Malformed(Text("header ends at byte ", header.offset + header.size, ", after the end of the file (",
                          source.size(), " bytes)"));
  std::string text(static_cast<size_t>(header.size), '\0');
  PTEEDIT_TRY(source.Read(header.offset, {reinterpret_cast<uint8_t*>(text.data()), text.size()}));
  return text;
}

}  // namespace

Result<bool> IsNpy(const Source& source) {
  std::array<uint8_t, kMagic.size()> head{};
  if (source.size() < head.size()) return false;
  PTEEDIT_TRY(source.Read(0, {head.data(), head.size()}));
  return std::equal(head.begin(), head.end(), kMagic.begin(),
                    [](uint8_t byte, char letter) { return byte == static_cast<uint8_t>(letter); });
}

Result<NpyArray> ReadNpyHeader(const Source& source) {
  PTEEDIT_ASSIGN(const bool is_npy, IsNpy(source));
  std::array<uint8_t, kMagic.size() + 6> head{};  // with a zero where version 1 is one that short
  const auto size = static_cast<size_t>(std::min<uint64_t>(head.size(), source.size()));
  if (!is_npy || size < kMagic.size() + 4) return Malformed("is no .npy file");
  PTEEDIT_TRY(source.Read(0, {head.data(), size}));
  const uint8_t version = head[kMagic.size()];
  if (version < 1 || version > 3)
    return Unsupported(Text("is of version ", int{version}, " of .npy, at most 3 is known"));
  const uint8_t* length = head.data() + kMagic.size() + 2;
  const Extent header = version == 1 ? Extent{kMagic.size() + 4, Load<uint16_t>(length)}
                                     : Extent{kMagic.size() + 6, Load<uint32_t>(length)};
  PTEEDIT_ASSIGN(const std::string text, ReadHeaderText(source, header));
  PTEEDIT_ASSIGN(NpyArray array, HeaderReader(text).Read());
  array.place = {header.offset + header.size, source.size() - header.offset - header.size};
  if (CheckedProduct(array.element_bytes, array.sizes) != array.place.size)
    return Malformed(Text("has ", array.place.size, " bytes of elements, which are not what its shape and type take"));
  return array;
}

}  // namespace pteedit
