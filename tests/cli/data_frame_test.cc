#include "text/data_frame.h"

#include <gtest/gtest.h>

#include <limits>
#include <sstream>

namespace pteedit::cli::data_frame_test {
namespace {

std::string Printed(void (*print)(const DataFrame&, std::ostream&), const std::vector<Json>& cells) {
  std::ostringstream text;
  print({{"c"}, cells.size(), [&](size_t i) { return std::vector<Json>{cells[i]}; }}, text);
  return std::move(text).str();
}

std::string GridOf(const std::vector<Json>& cells) { return Printed(PrintGrid, cells); }
std::string TsvOf(const Json& cell) { return Printed(PrintTsv, std::vector<Json>{cell}); }

const double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(DataFrame, NumbersAreAlignedByTheirPoints) {
  EXPECT_NE(GridOf({1.5, 10, nullptr}).find("│   1.5 │"), std::string::npos);
  EXPECT_NE(GridOf({1.5, 10, nullptr}).find("│  10   │"), std::string::npos);
  EXPECT_NE(GridOf({1.5, 10, nullptr}).find("│ nan   │"), std::string::npos);
}

TEST(DataFrame, OneTextMakesAColumnOfTexts) {
  EXPECT_NE(GridOf({"a", 10, 0.5}).find("│ 10  │"), std::string::npos);
  EXPECT_NE(GridOf({"a", kNan}).find("│ nan │"), std::string::npos);
  EXPECT_NE(GridOf({"a", nullptr}).find("│     │"), std::string::npos);
}

TEST(DataFrame, TextsOfDigitsAreNumbers) {
  EXPECT_NE(GridOf({"1", "20"}).find("│   1 │"), std::string::npos);
  EXPECT_NE(GridOf({"1", "2.50"}).find("│ 2.5 │"), std::string::npos);
}

TEST(DataFrame, BytesAreThoseOfPython) {
  const Json bytes = Json::binary({'a', '\'', 0, 0xff});
  EXPECT_EQ(TsvOf(Json::array({bytes, ""})), "\tc\n0\t\"[b\"\"a'\\x00\\xff\"\", '']\"\n");
}

TEST(DataFrame, TabsAndQuotesAreQuotedAndGapsEmpty) {
  EXPECT_EQ(TsvOf("a\tb"), "\tc\n0\t\"a\tb\"\n");
  EXPECT_EQ(TsvOf(kNan), "\tc\n0\t\n");
  EXPECT_EQ(TsvOf(nullptr), "\tc\n0\t\n");
  EXPECT_EQ(TsvOf(1e-5), "\tc\n0\t1e-05\n");
}

}  // namespace
}  // namespace pteedit::cli::data_frame_test
