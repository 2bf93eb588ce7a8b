// Text in sections: titles and empty lines between them where there are several.
#ifndef PTEEDIT_TOOLS_PTEINSPECT_SECTIONS_H_
#define PTEEDIT_TOOLS_PTEINSPECT_SECTIONS_H_

#include <string>
#include <utility>

namespace pteedit::inspect {

class Sections {
 public:
  explicit Sections(int count) : has_titles_(count > 1) {}
  void Add(const char* title, const std::string& section) {
    if (!text_.empty()) text_ += '\n';
    if (has_titles_) text_ += std::string("[") + title + "]\n";
    text_ += section;
  }
  std::string Take() && { return std::move(text_); }

 private:
  bool has_titles_;
  std::string text_;
};

}  // namespace pteedit::inspect

#endif  // PTEEDIT_TOOLS_PTEINSPECT_SECTIONS_H_
