// Tables as Python's tabulate prints them in its format fancy_grid, which the exporter's own reports use.
#ifndef PTEEDIT_TOOLS_TEXT_FANCY_GRID_H_
#define PTEEDIT_TOOLS_TEXT_FANCY_GRID_H_

#include <string>
#include <vector>

#include "text/table.h"

namespace pteedit::cli {

// As many columns of cells as there are columns, or none without rows; cells are UTF-8 without control bytes. Ends with
// a line end.
std::string FancyGrid(const std::vector<Column>& columns, const std::vector<CellColumn>& cells);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_TEXT_FANCY_GRID_H_
