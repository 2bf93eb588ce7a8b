// One SharedText for each text: for the names of files, which a report has as often as items.
#ifndef PTEEDIT_SRC_EDIT_SHARED_TEXTS_H_
#define PTEEDIT_SRC_EDIT_SHARED_TEXTS_H_

#include <map>
#include <string>

#include "pteedit/shared_text.h"

namespace pteedit {

class SharedTexts {
 public:
  const SharedText& operator()(const std::string& text) { return texts_.try_emplace(text, text).first->second; }

 private:
  std::map<std::string, SharedText> texts_;
};

}  // namespace pteedit

#endif  // PTEEDIT_SRC_EDIT_SHARED_TEXTS_H_
