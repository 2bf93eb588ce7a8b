// One SharedText for each text: for what is told as often as there are items or rows, such as the names of files, why
// items stay, and element types.
#ifndef PTEEDIT_SRC_BASE_SHARED_TEXTS_H_
#define PTEEDIT_SRC_BASE_SHARED_TEXTS_H_

#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "pteedit/shared_text.h"

namespace pteedit {

class SharedTexts {
 public:
  const SharedText& operator()(std::string_view text) {
    const auto found = texts_.find(text);
    return found != texts_.end() ? *found : *texts_.insert(std::string(text)).first;
  }

 private:
  struct IsBefore : std::less<std::string_view> {
    using is_transparent = void;
  };
  std::set<SharedText, IsBefore> texts_;
};

// `other` where that is the text, which then is there once.
inline SharedText ShareIfEqual(std::string_view text, const SharedText& other) {
  return text == std::string_view(other) ? other : SharedText(std::string(text));
}

}  // namespace pteedit

#endif  // PTEEDIT_SRC_BASE_SHARED_TEXTS_H_
