// How views are printed for people and for spreadsheets.
#ifndef PTEEDIT_TOOLS_TEXT_STYLE_H_
#define PTEEDIT_TOOLS_TEXT_STYLE_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "sizes_text.h"

namespace pteedit::cli {

enum class Format { kText, kCsv, kMarkdown };

struct Style {
  Format format = Format::kText;
  bool exact_bytes = false;  // instead of units
  bool compressed = false;   // the size tree has a column more
  size_t width = 0;          // of the terminal, in columns, that tables and trees of text have to fit; 0: no terminal
  bool color = false;        // titles and bars of tables of text

  std::string Size(uint64_t bytes) const { return exact_bytes ? std::to_string(bytes) : HumanSize(bytes); }
};

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_TEXT_STYLE_H_
