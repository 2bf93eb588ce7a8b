// Tables as Python's tabulate prints them in its format fancy_grid, which the exporter's own reports use.
#ifndef PTEEDIT_TOOLS_TEXT_FANCY_GRID_H_
#define PTEEDIT_TOOLS_TEXT_FANCY_GRID_H_

#include <cstddef>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "text/table.h"

namespace pteedit::cli {

// Calls `row` for the cells of each of `rows`, as many as there are columns, in UTF-8 without control bytes: first for
// the widths, then to print them. Ends with a line end.
void PrintFancyGrid(const std::vector<Column>& columns, size_t rows,
                    const std::function<std::vector<std::string>(size_t)>& row, std::ostream& out);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_TEXT_FANCY_GRID_H_
