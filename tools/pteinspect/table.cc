#include "table.h"

#include <algorithm>
#include <utility>

namespace pteedit::inspect {
namespace {

// Characters, not bytes: the bytes that begin one.
size_t Width(const std::string& text) {
  return static_cast<size_t>(std::count_if(
      text.begin(), text.end(), [](char letter) { return (static_cast<unsigned char>(letter) & 0xc0) != 0x80; }));
}

}  // namespace

Table::Table(std::vector<Column> columns) {
  rows_.emplace_back();
  for (Column& column : columns) {
    aligns_.push_back(column.align);
    rows_.front().push_back(std::move(column.title));
  }
}

void Table::AddRow(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

std::string Table::Text() const {
  std::vector<size_t> widths(aligns_.size());
  for (const auto& row : rows_) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], Width(row[i]));
  }
  std::string text;
  for (const auto& row : rows_) {
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string blanks(widths[i] - Width(row[i]), ' ');
      text += aligns_[i] == Align::kRight ? blanks + row[i] : row[i] + blanks;
      text += "  ";
    }
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }
  return text;
}

}  // namespace pteedit::inspect
