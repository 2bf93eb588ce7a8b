#include "text/fancy_grid.h"

#include <gtest/gtest.h>

#include <sstream>

namespace pteedit::cli::fancy_grid_test {
namespace {

std::string FancyGrid(const std::vector<Column>& columns, const std::vector<std::vector<std::string>>& rows) {
  std::ostringstream text;
  PrintFancyGrid(
      columns, rows.size(), [&](size_t i) { return rows[i]; }, text);
  return std::move(text).str();
}

// What tabulate 0.9 prints for the same.
TEST(FancyGrid, AlignsAndRulesAsTabulateDoes) {
  EXPECT_EQ(FancyGrid({{"", Align::kRight}, {"op"}, {"n", Align::kRight}}, {{"0", "abcdé", "1"}, {"1", "x", "1234"}}),
            "╒════╤═══════╤══════╕\n"
            "│    │ op    │    n │\n"
            "╞════╪═══════╪══════╡\n"
            "│  0 │ abcdé │    1 │\n"
            "├────┼───────┼──────┤\n"
            "│  1 │ x     │ 1234 │\n"
            "╘════╧═══════╧══════╛\n");
}

TEST(FancyGrid, WidensTheNumbersOfManyRows) {
  const std::vector<std::vector<std::string>> rows(1, {"100"});
  EXPECT_EQ(FancyGrid({{"", Align::kRight}}, rows), "╒═════╕\n│     │\n╞═════╡\n│ 100 │\n╘═════╛\n");
}

TEST(FancyGrid, ClosesTablesWithoutRows) { EXPECT_EQ(FancyGrid({{"a"}}, {}), "╒═════╕\n│ a   │\n╞═════╡\n╘═════╛\n"); }

}  // namespace
}  // namespace pteedit::cli::fancy_grid_test
