// Rows in aligned columns under a header row.
#ifndef PTEEDIT_TOOLS_TEXT_TABLE_H_
#define PTEEDIT_TOOLS_TEXT_TABLE_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/style.h"

namespace pteedit::cli {

enum class Align { kLeft, kRight };

struct Column {
  std::string title;
  Align align = Align::kLeft;
};

// The cells of a column, one behind the other in one text: of many rows a string for each takes several times as much.
class CellColumn {
 public:
  void Add(std::string_view cell) {
    text_ += cell;
    ends_.push_back(text_.size());
  }
  std::string_view operator[](size_t row) const {
    const size_t begin = row == 0 ? 0 : ends_[row - 1];
    return std::string_view(text_).substr(begin, ends_[row] - begin);
  }
  size_t size() const { return ends_.size(); }
  bool has_text() const { return !text_.empty(); }  // in any of them

 private:
  std::string text_;
  std::vector<size_t> ends_;
};

// `text` at one side of as many columns; more stays as it is.
std::string Padded(const std::string& text, size_t width, Align align);

// Lets the widest cell of each column set its width; but where a few long cells would make the table far larger than
// what is in it, they stick out.
class ColumnWidths {
 public:
  // Those of columns without cells.
  explicit ColumnWidths(std::vector<size_t> least) : widths_(std::move(least)) {}

  void Add(size_t column, std::string_view cell);
  // Of a table with so many rows.
  std::vector<size_t> Of(size_t rows) const;

 private:
  std::vector<size_t> widths_;
  size_t bytes_ = 0;
};
std::vector<size_t> WidthsOf(const std::vector<CellColumn>& cells, std::vector<size_t> least);

// With everything escaped that means something in Markdown.
std::string MarkdownCell(const std::string& text);

class Table {
 public:
  explicit Table(std::vector<Column> columns);

  // As many cells as there are columns, in UTF-8 without control bytes. On a terminal with room for it, a row with a
  // share, 0 to 1, ends with a bar.
  void AddRow(const std::vector<std::string>& cells, std::optional<double> share = {});
  // All rows of a table that may be long, each made when it is printed rather than kept. `cells_of` may be called for a
  // row more than once.
  void SetRows(size_t count, std::function<std::vector<std::string>(size_t row)> cells_of);

  // As text with two spaces between columns and none at the end of a line, as comma-separated values (RFC 4180, but for
  // the line ends and an apostrophe before text that a spreadsheet would compute), or as a table of GitHub's Markdown.
  // Where text is too wide for `style`, words of titles are put one below the other; if that is not enough, the widest
  // columns of text are cut, and then the last ones of numbers left out, which a line says.
  void Print(const Style& style, std::ostream& out) const;
  std::string In(const Style& style) const;

  const std::vector<CellColumn>& cells() const { return cells_; }
  // These alone, in their order; of rows that are kept.
  Table Keeping(const std::vector<size_t>& columns) &&;

 private:
  size_t rows() const { return cells_of_ ? count_ : cells_.empty() ? 0 : cells_.front().size(); }
  std::vector<std::string> Row(size_t index) const;
  void PrintText(const Style& style, std::ostream& out) const;
  std::vector<size_t> WidthsUnder(const std::vector<std::vector<std::string>>& heads) const;
  bool Fit(std::vector<size_t>& widths, size_t width) const;
  Table Without(size_t column) const;
  void PrintLines(const std::vector<std::vector<std::string>>& heads, const std::vector<size_t>& widths,
                  const Style& style, std::ostream& out) const;
  std::string Line(const std::vector<std::string>& cells, const std::vector<size_t>& widths, bool cuts) const;
  void PrintCsv(std::ostream& out) const;
  void PrintMarkdown(std::ostream& out) const;

  std::vector<Align> aligns_;
  std::vector<std::string> titles_;
  std::vector<CellColumn> cells_;              // empty ones where rows are made
  std::vector<std::optional<double>> shares_;  // up to the last row that has one
  std::function<std::vector<std::string>(size_t row)> cells_of_;
  size_t count_ = 0;  // of rows that it makes
};

// Lines "name: value" as the style wants them: as they are, or as a table.
std::string FieldsIn(const Style& style, const std::string& lines);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_TEXT_TABLE_H_
