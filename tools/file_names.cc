#include "file_names.h"

#include "pteedit/text.h"

namespace pteedit::cli {

Result<std::vector<std::string>> SplitFileNames(const std::string& text) {
  std::vector<std::string> names(1);
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 2, "\\,") == 0) {
      names.back() += text[++i];
    } else if (text[i] == ',') {
      names.emplace_back();
    } else {
      names.back() += text[i];
    }
  }
  for (const std::string& name : names) {
    if (name.empty()) return InvalidArgument("'" + EscapeControl(text) + "' has an empty file name");
  }
  return names;
}

}  // namespace pteedit::cli
