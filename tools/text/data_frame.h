// A table as pandas holds it, printed as Python's own libraries do. The Python package prints with it too.
#ifndef PTEEDIT_TOOLS_TEXT_DATA_FRAME_H_
#define PTEEDIT_TOOLS_TEXT_DATA_FRAME_H_

#include <cstddef>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "json.h"

namespace pteedit::cli {

// A row has as many cells as there are columns. A cell is null, a boolean, a number (NaN where pandas fills a gap), a
// text, bytes, or a list of such.
struct DataFrame {
  std::vector<std::string> columns;
  size_t rows = 0;
  std::function<std::vector<Json>(size_t)> row;  // makes it anew: of many, one is in memory
};

// As tabulate prints it, in the format fancy_grid. A column of numbers, or of texts that all look like numbers, is
// aligned by their points.
void PrintGrid(const DataFrame& frame, std::ostream& out);
// As pandas writes it, separated by tabs.
void PrintTsv(const DataFrame& frame, std::ostream& out);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_TEXT_DATA_FRAME_H_
