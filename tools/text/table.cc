#include "text/table.h"

#include <algorithm>
#include <numeric>
#include <sstream>
#include <string_view>
#include <utility>

#include "text/width.h"

namespace pteedit::cli {
namespace {

constexpr size_t kGap = 2;  // columns between two of the table

bool IsNumber(std::string_view text) { return text.find_first_not_of("0123456789.", 1) == std::string_view::npos; }

// What spreadsheets compute where a cell begins with it, quoted or not: a name in a file could be a formula.
bool IsFormula(std::string_view text) {
  constexpr std::string_view kSigns = "+-", kNoValue = "-", kPercent = " %";
  if (text.empty() || text == kNoValue) return false;
  if (kSigns.find(text.front()) == std::string_view::npos) return text.front() == '=' || text.front() == '@';
  if (text.ends_with(kPercent)) text.remove_suffix(kPercent.size());
  return text.size() == 1 || !IsNumber(text);
}

// An apostrophe in front says that it is text, as in the spreadsheet itself.
std::string CsvCell(const std::string& cell) {
  const std::string text = (IsFormula(cell) ? "'" : "") + cell;
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char letter : text) quoted += letter == '"' ? std::string("\"\"") : std::string(1, letter);
  return quoted + '"';
}

}  // namespace

std::string Padded(const std::string& text, size_t width, Align align) {
  const std::string blanks(width - std::min(width, DisplayWidth(text)), ' ');
  return align == Align::kRight ? blanks + text : text + blanks;
}

std::vector<size_t> ColumnWidths(const std::vector<std::vector<std::string>>& rows, std::vector<size_t> least) {
  constexpr size_t kFewBytes = size_t{4} << 20, kMaxTimes = 8, kWidest = 200;
  std::vector<size_t> widths = std::move(least);
  size_t bytes = 0;
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], DisplayWidth(row[i]));
      bytes += row[i].size();
    }
  }
  const size_t width = std::accumulate(widths.begin(), widths.end(), size_t{0});
  if (width * rows.size() <= kFewBytes + kMaxTimes * bytes) return widths;
  for (size_t& one : widths) one = std::min(one, kWidest);
  return widths;
}

std::string MarkdownCell(const std::string& text) {
  std::string escaped;
  for (const char letter : text) {
    if (std::string_view("\\`*_{}[]<>|#").find(letter) != std::string_view::npos) escaped += '\\';
    escaped += letter;
  }
  return escaped;
}

Table::Table(std::vector<Column> columns) {
  rows_.emplace_back();
  for (Column& column : columns) {
    aligns_.push_back(column.align);
    rows_.front().push_back(std::move(column.title));
  }
}

void Table::AddRow(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

std::string Table::In(const Style& style) const {
  if (style.format == Format::kCsv) return Csv();
  return style.format == Format::kMarkdown ? Markdown() : Text(style.width);
}

std::string Table::Csv() const {
  std::string text;
  for (const auto& row : rows_) {
    for (size_t i = 0; i < row.size(); ++i) text += (i == 0 ? "" : ",") + CsvCell(row[i]);
    text += '\n';
  }
  return text;
}

std::string Table::Markdown() const {
  std::string text;
  for (size_t i = 0; i < rows_.size(); ++i) {
    for (const std::string& cell : rows_[i]) text += "| " + MarkdownCell(cell) + " ";
    text += "|\n";
    if (i != 0) continue;
    for (const Align align : aligns_) text += align == Align::kRight ? "| ---: " : "| --- ";
    text += "|\n";
  }
  return text;
}

// Takes from the widest column of text, one after the other, down to what is still a name.
void Table::Fit(std::vector<size_t>& widths, size_t width) const {
  constexpr size_t kLeast = 8;
  const auto room = [&](size_t i) { return aligns_[i] == Align::kLeft ? widths[i] : 0; };
  size_t total = std::accumulate(widths.begin(), widths.end(), kGap * (widths.size() - 1));
  for (; width != 0 && total > width; --total) {
    size_t widest = 0;
    for (size_t i = 1; i < widths.size(); ++i) widest = room(i) > room(widest) ? i : widest;
    if (room(widest) <= kLeast) return;
    --widths[widest];
  }
}

std::string Table::Text(size_t width) const {
  std::vector<size_t> widths = ColumnWidths(rows_, std::vector<size_t>(aligns_.size()));
  Fit(widths, width);
  std::string text;
  for (const auto& row : rows_) {
    for (size_t i = 0; i < row.size(); ++i) {
      const bool is_cut = width != 0 && aligns_[i] == Align::kLeft;
      text += Padded(is_cut ? CutTo(row[i], widths[i]) : row[i], widths[i], aligns_[i]);
      text.append(kGap, ' ');
    }
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }
  return text;
}

std::string FieldsIn(const Style& style, const std::string& lines) {
  if (style.format == Format::kText) return lines;
  Table table({{"Field"}, {"Value"}});
  std::istringstream in(lines);
  for (std::string line; std::getline(in, line);) {
    const size_t colon = line.find(": ");
    table.AddRow({line.substr(0, colon), line.substr(colon + 2)});
  }
  return table.In(style);
}

}  // namespace pteedit::cli
