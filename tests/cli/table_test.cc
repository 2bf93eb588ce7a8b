#include "text/table.h"

#include <gtest/gtest.h>

#include <string>

#include "text/width.h"

namespace pteedit::cli::table_test {
namespace {

TEST(Table, AlignsColumns) {
  Table table({{"Name"}, {"Size", Align::kRight}});
  table.AddRow({"a", "100"});
  table.AddRow({"longer", "1"});
  EXPECT_EQ(table.In({Format::kText}), "Name    Size\na        100\nlonger     1\n");
}

TEST(CellColumn, KeepsCellsApart) {
  Table table({{"x"}, {"y"}});
  table.AddRow({"a", ""});
  EXPECT_FALSE(table.cells()[1].has_text());
  table.AddRow({"", "bc"});
  table.AddRow({"de", "f"});
  const std::vector<CellColumn>& cells = table.cells();
  ASSERT_EQ(cells[0].size(), 3U);
  EXPECT_EQ(cells[0][0], "a");
  EXPECT_EQ(cells[0][1], "");
  EXPECT_EQ(cells[0][2], "de");
  EXPECT_EQ(cells[1][1], "bc");
  EXPECT_TRUE(cells[1].has_text());
}

TEST(Table, KeepsColumns) {
  Table table({{"x"}, {"y"}, {"z"}});
  table.AddRow({"1", "2", "3"});
  EXPECT_EQ(std::move(table).Keeping({0, 2}).In({Format::kText}), "x  z\n1  3\n");
}

TEST(Table, IsNotPaddedForOneLongCellInMany) {
  Table table({{"Name"}, {"Size", Align::kRight}});
  table.AddRow({std::string(50'000, 'k'), "1"});
  for (int i = 0; i < 5000; ++i) table.AddRow({"k", "1"});
  const std::string text = table.In({Format::kText});
  EXPECT_LT(text.size(), size_t{2} << 20);
  EXPECT_EQ(text.find(std::string(50'000, 'k') + "     1\n"), text.find("kkk"));
}

TEST(Table, IsPaddedForLongCellsInFew) {
  Table table({{"Name"}, {"Size", Align::kRight}});
  table.AddRow({std::string(5000, 'k'), "1"});
  table.AddRow({"k", "1"});
  EXPECT_EQ(table.In({Format::kText}).size(), 3U * (5000 + 2 + 4 + 1));
}

std::string FirstLine(const Table& table, size_t width) {
  Style style;
  style.width = width;
  const std::string text = table.In(style);
  return text.substr(text.find('\n') + 1, text.rfind('\n') - text.find('\n') - 1);
}

TEST(Table, MakesRowsWhereItIsToldHow) {
  const std::vector<Column> columns = {{"Name"}, {"Size", Align::kRight}, {"Where"}};
  Table kept(columns), made(columns);
  const auto row = [](size_t i) -> std::vector<std::string> {
    return {"weight " + std::to_string(i * i), std::to_string(1000 * i), "model.pte"};
  };
  for (size_t i = 0; i < 20; ++i) kept.AddRow(row(i));
  made.SetRows(20, row);
  for (const Format format : {Format::kText, Format::kCsv, Format::kMarkdown}) {
    for (const size_t width : {size_t{0}, size_t{25}, size_t{10}}) {  // whole, with names cut, and without the sizes
      Style style;
      style.format = format;
      style.width = width;
      EXPECT_EQ(made.In(style), kept.In(style)) << width;
    }
  }
}

TEST(Table, CutsTheWidestTextsToFitATerminal) {
  Table table({{"Name"}, {"Size", Align::kRight}, {"Where"}});
  table.AddRow({"a.rather.long.name.of.a.weight", "1234567 B", "model.pte"});
  EXPECT_EQ(FirstLine(table, 0), "a.rather.long.name.of.a.weight  1234567 B  model.pte");
  EXPECT_EQ(FirstLine(table, 52), "a.rather.long.name.of.a.weight  1234567 B  model.pte");
  EXPECT_EQ(FirstLine(table, 51), "a.rather.long.…me.of.a.weight  1234567 B  model.pte");
  EXPECT_EQ(FirstLine(table, 40), "a.rather.…a.weight  1234567 B  model.pte");
  EXPECT_EQ(FirstLine(table, 10), "a.r…ht  mod…te\n(no room for: Size)");  // numbers are never cut
}

TEST(Table, HasNoFormulasInCsv) {
  Table table({{"Name"}});
  for (const char* cell : {"=1+1", "@SUM(1)", "+1+cmd", "-2+3", "- x", "+", "-", "-4", "+8.1 %", "x=1"})
    table.AddRow({cell});
  EXPECT_EQ(table.In({Format::kCsv}), "Name\n'=1+1\n'@SUM(1)\n'+1+cmd\n'-2+3\n'- x\n'+\n-\n-4\n+8.1 %\nx=1\n");
}

TEST(Table, CountsTheColumnsThatCharactersTake) {
  Table table({{"Name"}, {"Size", Align::kRight}});
  table.AddRow({"重み", "1"});
  table.AddRow({"abcd", "1"});
  table.AddRow({"e\u0301bcd", "1"});
  EXPECT_EQ(table.In({Format::kText}), "Name  Size\n重み     1\nabcd     1\ne\u0301bcd     1\n");
  EXPECT_EQ(CutTo("重み軽さ", 6), "重…さ");
  EXPECT_EQ(CutTo("重み軽さ", 8), "重み軽さ");
}

}  // namespace
}  // namespace pteedit::cli::table_test
