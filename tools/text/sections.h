// Text or Markdown in sections: titles and empty lines between them where there are several.
#ifndef PTEEDIT_TOOLS_TEXT_SECTIONS_H_
#define PTEEDIT_TOOLS_TEXT_SECTIONS_H_

#include <ostream>
#include <string>

#include "text/style.h"

namespace pteedit::cli {

class Sections {
 public:
  Sections(int count, Format format) : has_titles_(count > 1), format_(format) {}
  // What is printed next is a section, of at least one byte. Returns `out`.
  std::ostream& Begin(const char* title, std::ostream& out) {
    if (!is_empty_) out << '\n';
    if (has_titles_ && format_ == Format::kMarkdown) out << "## " << title << "\n\n";
    if (has_titles_ && format_ == Format::kText) out << '[' << title << "]\n";
    is_empty_ = false;
    return out;
  }
  void Add(const char* title, const std::string& section, std::ostream& out) {
    const bool stays_empty = is_empty_ && section.empty() && (!has_titles_ || format_ == Format::kCsv);
    Begin(title, out) << section;
    is_empty_ = stays_empty;
  }

 private:
  bool has_titles_;
  Format format_;
  bool is_empty_ = true;
};

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_TEXT_SECTIONS_H_
