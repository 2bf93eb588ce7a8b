// How much room text takes on a terminal.
#ifndef PTEEDIT_TOOLS_TEXT_WIDTH_H_
#define PTEEDIT_TOOLS_TEXT_WIDTH_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace pteedit::cli {

// In columns: characters of East Asian scripts and emoji take two, combining marks none. `text` is UTF-8.
size_t DisplayWidth(std::string_view text);

// Beginning and end of `text` with an ellipsis between them, in at most `width` columns; as it is where it fits.
std::string CutTo(const std::string& text, size_t width);

// Of the terminal that standard output is; 0 where it is none.
size_t TerminalWidth();

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_TEXT_WIDTH_H_
