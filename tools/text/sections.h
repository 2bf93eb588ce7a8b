// Text or Markdown in sections: titles and empty lines between them where there are several.
#ifndef PTEEDIT_TOOLS_TEXT_SECTIONS_H_
#define PTEEDIT_TOOLS_TEXT_SECTIONS_H_

#include <string>
#include <utility>

#include "text/style.h"

namespace pteedit::cli {

class Sections {
 public:
  Sections(int count, Format format) : has_titles_(count > 1), format_(format) {}
  void Add(const char* title, std::string section) {
    if (!text_.empty()) text_ += '\n';
    if (has_titles_ && format_ == Format::kMarkdown) text_ += std::string("## ") + title + "\n\n";
    if (has_titles_ && format_ == Format::kText) text_ += std::string("[") + title + "]\n";
    text_ = text_.empty() ? std::move(section) : std::move(text_) + section;
  }
  std::string Take() && { return std::move(text_); }

 private:
  bool has_titles_;
  Format format_;
  std::string text_;
};

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_TEXT_SECTIONS_H_
