// The tags of an XML text, where they lie. No recursion, no allocation but for values with entities.
#ifndef PTEEDIT_SRC_FORMATS_XML_READER_H_
#define PTEEDIT_SRC_FORMATS_XML_READER_H_

#include <optional>
#include <string>
#include <string_view>

#include "pteedit/result.h"

namespace pteedit {

struct XmlTag {
  enum class Kind { kNone, kOpen, kClose, kEmpty };  // kNone: the text is at its end
  Kind kind = Kind::kNone;
  std::string_view name;
  std::string_view attributes;  // as they stand

  // With the five entities and numbered ASCII characters in place; others stay. Cut after 4096 bytes. Nothing where
  // there is none.
  std::optional<std::string> Attribute(std::string_view attribute) const;
};

class XmlReader {
 public:
  explicit XmlReader(std::string_view text) : text_(text) {}

  // Passes over comments, declarations and character data. Fails with kUnsupported where a tag does not end.
  Result<XmlTag> Next();
  // Between the last tag and the next one, as it stands.
  std::string_view TextBehind() const { return text_.substr(at_, text_.find('<', at_) - at_); }

 private:
  Result<size_t> EndOfTag(size_t start) const;

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace pteedit

#endif  // PTEEDIT_SRC_FORMATS_XML_READER_H_
