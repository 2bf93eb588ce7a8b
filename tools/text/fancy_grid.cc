#include "text/fancy_grid.h"

#include "text/width.h"

namespace pteedit::cli {
namespace {

constexpr size_t kHeaderPadding = 2;  // a column is at least so much wider than its title

struct Rule {
  const char *left, *line, *crossing, *right;
};
constexpr Rule kTop{"╒", "═", "╤", "╕"}, kUnderTitles{"╞", "═", "╪", "╡"}, kBetween{"├", "─", "┼", "┤"},
    kBottom{"╘", "═", "╧", "╛"};

std::string RuleText(const Rule& rule, const std::vector<size_t>& widths) {
  std::string text = rule.left;
  for (size_t i = 0; i < widths.size(); ++i) {
    if (i != 0) text += rule.crossing;
    for (size_t k = 0; k < widths[i] + 2; ++k) text += rule.line;
  }
  return text + rule.right + "\n";
}

std::string RowText(const std::vector<Column>& columns, const std::vector<std::string>& cells,
                    const std::vector<size_t>& widths) {
  std::string text = "│";
  for (size_t i = 0; i < cells.size(); ++i) {
    text += " " + Padded(cells[i], widths[i], columns[i].align) + " │";
  }
  return text + "\n";
}

}  // namespace

void PrintFancyGrid(const std::vector<Column>& columns, size_t rows,
                    const std::function<std::vector<std::string>(size_t)>& row, std::ostream& out) {
  std::vector<size_t> least;
  std::vector<std::string> titles;
  for (const Column& column : columns) {
    titles.push_back(column.title);
    least.push_back(DisplayWidth(column.title) + kHeaderPadding);
  }
  ColumnWidths all(std::move(least));
  for (size_t i = 0; i < rows; ++i) {
    const std::vector<std::string> cells = row(i);
    for (size_t k = 0; k < cells.size(); ++k) all.Add(k, cells[k]);
  }
  const std::vector<size_t> widths = all.Of(rows);
  const std::string between = RuleText(kBetween, widths);
  out << RuleText(kTop, widths) << RowText(columns, titles, widths) << RuleText(kUnderTitles, widths);
  for (size_t i = 0; i < rows; ++i) {
    if (i != 0) out << between;
    out << RowText(columns, row(i), widths);
  }
  out << RuleText(kBottom, widths);
}

}  // namespace pteedit::cli
