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

std::string FancyGrid(const std::vector<Column>& columns, const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths;
  std::vector<std::string> titles;
  for (const Column& column : columns) {
    titles.push_back(column.title);
    widths.push_back(DisplayWidth(column.title) + kHeaderPadding);
  }
  widths = ColumnWidths(rows, std::move(widths));
  std::string text = RuleText(kTop, widths) + RowText(columns, titles, widths) + RuleText(kUnderTitles, widths);
  for (size_t i = 0; i < rows.size(); ++i) {
    text += (i == 0 ? "" : RuleText(kBetween, widths)) + RowText(columns, rows[i], widths);
  }
  return text + RuleText(kBottom, widths);
}

}  // namespace pteedit::cli
