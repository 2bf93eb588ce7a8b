// Text or Markdown in sections: titles and empty lines between them where there are several.
#ifndef PTEEDIT_TOOLS_TEXT_SECTIONS_H_
#define PTEEDIT_TOOLS_TEXT_SECTIONS_H_

#include <ostream>
#include <string>

#include "text/style.h"

namespace pteedit::cli {

class Sections {
 public:
  // `out` must outlive it.
  Sections(int count, Format format, std::ostream& out) : has_titles_(count > 1), format_(format), out_(out) {}
  // What is printed next is a section, of at least one byte.
  std::ostream& Begin(const char* title) {
    if (!is_empty_) out_ << '\n';
    if (has_titles_ && format_ == Format::kMarkdown) out_ << "## " << title << "\n\n";
    if (has_titles_ && format_ == Format::kText) out_ << '[' << title << "]\n";
    is_empty_ = false;
    return out_;
  }
  void Add(const char* title, const std::string& section) {
    const bool stays_empty = is_empty_ && section.empty() && (!has_titles_ || format_ == Format::kCsv);
    Begin(title) << section;
    is_empty_ = stays_empty;
  }

 private:
  bool has_titles_;
  Format format_;
  std::ostream& out_;
  bool is_empty_ = true;
};

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_TEXT_SECTIONS_H_
