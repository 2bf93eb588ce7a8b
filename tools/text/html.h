// The report as a page: one file that needs neither network nor server.
#ifndef PTEEDIT_TOOLS_TEXT_HTML_H_
#define PTEEDIT_TOOLS_TEXT_HTML_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "json.h"
#include "pteedit/result.h"
#include "pteedit/sizes.h"

namespace pteedit::cli {

inline constexpr size_t kMaxEntries = 10000;  // of a list: what browsers show without a wait

// What a page holds of a file: the object that --json prints of it, cut to what browsers show.
struct PageObject {
  std::optional<std::string> file;                                // nothing: what is told across the files
  std::vector<std::pair<std::string, uint64_t>> components = {};  // and their sizes, shown where no scripts run
  std::vector<std::string> json = {};                             // in pieces, one behind the other
};

// With the members that `print` prints.
Result<PageObject> PrintForPage(PageObject object, const std::function<Status(JsonPrinter&)>& print);

// Of an object with the member "file".
PageObject ForPage(const Json& object);

// Of a file with its sizes, offsets among them, and what `print_more` prints behind: of 10,000 components the largest,
// and one more that stands for the others.
Result<PageObject> SizesForPage(const std::string& file, const char* kind, SizeNode sizes,
                                const std::function<Status(JsonPrinter&)>& print_more);
PageObject SizesForPage(const std::string& file, const char* kind, SizeNode sizes, const Json& more);

// `tool` is what makes it.
std::string HtmlPage(const std::string& tool, std::vector<PageObject> list);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_TEXT_HTML_H_
