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

std::string FancyGrid(const std::vector<Column>& columns, const std::vector<CellColumn>& cells) {
  std::vector<size_t> widths;
  std::vector<std::string> titles;
  for (const Column& column : columns) {
    titles.push_back(column.title);
    widths.push_back(DisplayWidth(column.title) + kHeaderPadding);
  }
  widths = ColumnWidths(cells, std::move(widths));
  const std::string head = RuleText(kTop, widths) + RowText(columns, titles, widths),
                    between = RuleText(kBetween, widths);
  const size_t rows = cells.empty() ? 0 : cells.front().size();
  std::string text;  // much longer than the cells: without room for all it would be there twice
  text.reserve((rows + 1) * (head.size() + 1));
  text += head;
  text += RuleText(kUnderTitles, widths);
  std::vector<std::string> row(cells.size());
  for (size_t i = 0; i < rows; ++i) {
    if (i != 0) text += between;
    for (size_t k = 0; k < row.size(); ++k) row[k] = cells[k][i];
    text += RowText(columns, row, widths);
  }
  text += RuleText(kBottom, widths);
  return text;
}

}  // namespace pteedit::cli
