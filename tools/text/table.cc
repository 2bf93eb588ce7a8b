#include "text/table.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>

namespace pteedit::cli {
namespace {

std::string CsvCell(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char letter : text) quoted += letter == '"' ? std::string("\"\"") : std::string(1, letter);
  return quoted + '"';
}

}  // namespace

// The bytes that begin one.
size_t TextWidth(const std::string& text) {
  return static_cast<size_t>(std::count_if(
      text.begin(), text.end(), [](char letter) { return (static_cast<unsigned char>(letter) & 0xc0) != 0x80; }));
}

std::string Padded(const std::string& text, size_t width, Align align) {
  const std::string blanks(width - std::min(width, TextWidth(text)), ' ');
  return align == Align::kRight ? blanks + text : text + blanks;
}

std::vector<size_t> ColumnWidths(const std::vector<std::vector<std::string>>& rows, std::vector<size_t> least) {
  constexpr size_t kFewBytes = size_t{4} << 20, kMaxTimes = 8, kWidest = 200;
  std::vector<size_t> widths = std::move(least);
  size_t bytes = 0;
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], TextWidth(row[i]));
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

std::string Table::In(Format format) const {
  if (format == Format::kCsv) return Csv();
  return format == Format::kMarkdown ? Markdown() : Text();
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

std::string Table::Text() const {
  const std::vector<size_t> widths = ColumnWidths(rows_, std::vector<size_t>(aligns_.size()));
  std::string text;
  for (const auto& row : rows_) {
    for (size_t i = 0; i < row.size(); ++i) {
      text += Padded(row[i], widths[i], aligns_[i]);
      text += "  ";
    }
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }
  return text;
}

}  // namespace pteedit::cli
