// The report as a page: one file that needs neither network nor server.
#ifndef PTEEDIT_TOOLS_TEXT_HTML_H_
#define PTEEDIT_TOOLS_TEXT_HTML_H_

#include <cstddef>
#include <string>

#include "json.h"

namespace pteedit::cli {

inline constexpr size_t kMaxEntries = 10000;  // of a list: what browsers show without a wait

// `tool` is what makes it, `list` what --json prints. Of lists in it the page holds the first 10,000 entries, and says
// how many it leaves out: of list "x" in the member "x_left_out" beside it.
std::string HtmlPage(const std::string& tool, Json list);

// A member of an object of the list as it stands in the page, already bounded: as text it takes a tenth of the memory.
Json ForPage(Json member);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_TEXT_HTML_H_
