// A text that many objects have.
#ifndef PTEEDIT_SHARED_TEXT_H_
#define PTEEDIT_SHARED_TEXT_H_

#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace pteedit {

// A std::string of which copies share the characters. An empty one has none.
class SharedText {
 public:
  SharedText() = default;
  SharedText(std::string text) : text_(text.empty() ? nullptr : std::make_shared<const std::string>(std::move(text))) {}

  bool empty() const { return text_ == nullptr; }
  const std::string& str() const {
    static const std::string kEmpty;
    return text_ == nullptr ? kEmpty : *text_;
  }
  operator const std::string&() const { return str(); }
  operator std::string_view() const { return str(); }

  friend bool operator==(const SharedText& a, const SharedText& b) { return a.text_ == b.text_ || a.str() == b.str(); }
  friend bool operator!=(const SharedText& a, const SharedText& b) { return !(a == b); }
  friend bool operator<(const SharedText& a, const SharedText& b) { return a.text_ != b.text_ && a.str() < b.str(); }
  friend bool operator==(const SharedText& a, const std::string& b) { return a.str() == b; }
  friend bool operator!=(const SharedText& a, const std::string& b) { return a.str() != b; }

 private:
  std::shared_ptr<const std::string> text_;  // null: empty
};

}  // namespace pteedit

#endif  // PTEEDIT_SHARED_TEXT_H_
