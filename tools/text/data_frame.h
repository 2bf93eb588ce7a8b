// A table as pandas holds it, printed as Python's own libraries do. The Python package prints with it too.
#ifndef PTEEDIT_TOOLS_TEXT_DATA_FRAME_H_
#define PTEEDIT_TOOLS_TEXT_DATA_FRAME_H_

#include <string>
#include <vector>

#include "json.h"

namespace pteedit::cli {

// Each row has as many cells as there are columns. A cell is null, a boolean, a number (NaN where pandas fills a gap),
// a text, bytes, or a list of such.
struct DataFrame {
  std::vector<std::string> columns;
  std::vector<std::vector<Json>> rows;
};

// As tabulate prints it, in the format fancy_grid. A column of numbers, or of texts that all look like numbers, is
// aligned by their points.
std::string GridText(const DataFrame& frame);
// As pandas writes it, separated by tabs.
std::string TsvText(const DataFrame& frame);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_TEXT_DATA_FRAME_H_
