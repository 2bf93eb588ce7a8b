// A text that many objects have.
#ifndef PTEEDIT_SHARED_TEXT_H_
#define PTEEDIT_SHARED_TEXT_H_

#include <string>
#include <string_view>
#include <utility>

#include "pteedit/rare.h"

namespace pteedit {

// A std::string of which copies share the characters. An empty one has none.
class SharedText {
 public:
  SharedText() = default;
  SharedText(std::string text) {
    if (!text.empty()) text_ = std::move(text);
  }

  bool empty() const { return !text_.has_value(); }
  const std::string& str() const {
    static const std::string kEmpty;
    return empty() ? kEmpty : *text_;
  }
  operator const std::string&() const { return str(); }
  operator std::string_view() const { return str(); }

  friend bool operator==(const SharedText& a, const SharedText& b) { return a.text_ == b.text_; }
  friend bool operator!=(const SharedText& a, const SharedText& b) { return !(a == b); }
  friend bool operator<(const SharedText& a, const SharedText& b) {
    return a.text_.get() != b.text_.get() && a.str() < b.str();
  }
  friend bool operator==(const SharedText& a, const std::string& b) { return a.str() == b; }
  friend bool operator!=(const SharedText& a, const std::string& b) { return a.str() != b; }

 private:
  SharedOptional<std::string> text_;  // none: empty
};

}  // namespace pteedit

#endif  // PTEEDIT_SHARED_TEXT_H_
