#include "text/table.h"

#include <gtest/gtest.h>

namespace pteedit::cli {
namespace {

TEST(Table, AlignsColumns) {
  Table table({{"Name"}, {"Size", Align::kRight}});
  table.AddRow({"a", "100"});
  table.AddRow({"longer", "1"});
  EXPECT_EQ(table.In(Format::kText), "Name    Size\na        100\nlonger     1\n");
}

TEST(Table, IsNotPaddedForOneLongCellInMany) {
  Table table({{"Name"}, {"Size", Align::kRight}});
  table.AddRow({std::string(50'000, 'k'), "1"});
  for (int i = 0; i < 5000; ++i) table.AddRow({"k", "1"});
  const std::string text = table.In(Format::kText);
  EXPECT_LT(text.size(), size_t{2} << 20);
  EXPECT_EQ(text.find(std::string(50'000, 'k') + "     1\n"), text.find("kkk"));
}

TEST(Table, IsPaddedForLongCellsInFew) {
  Table table({{"Name"}, {"Size", Align::kRight}});
  table.AddRow({std::string(5000, 'k'), "1"});
  table.AddRow({"k", "1"});
  EXPECT_EQ(table.In(Format::kText).size(), 3U * (5000 + 2 + 4 + 1));
}

}  // namespace
}  // namespace pteedit::cli
