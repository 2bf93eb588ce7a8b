#include "text/table.h"

#include <algorithm>
#include <cmath>
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

std::string CsvLine(const std::vector<std::string>& cells) {
  std::string line;
  for (size_t i = 0; i < cells.size(); ++i) line += (i == 0 ? "" : ",") + CsvCell(cells[i]);
  return line + '\n';
}

std::string MarkdownLine(const std::vector<std::string>& cells) {
  std::string line;
  for (const std::string& cell : cells) line += "| " + MarkdownCell(cell) + " ";
  return line + "|\n";
}

constexpr const char *kBold = "\x1b[1m", *kCyan = "\x1b[36m";

std::string Colored(const std::string& text, const char* color, bool wanted) {
  return wanted && !text.empty() ? color + text + "\x1b[0m" : text;
}

std::string Trimmed(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

// One word in a line, the last ones in the last line.
std::vector<std::vector<std::string>> Stacked(const std::vector<std::string>& titles) {
  std::vector<std::vector<std::string>> words(titles.size());
  size_t lines = 1;
  for (size_t i = 0; i < titles.size(); ++i) {
    std::istringstream in(titles[i]);
    for (std::string word; in >> word;) words[i].push_back(word);
    lines = std::max(lines, words[i].size());
  }
  std::vector<std::vector<std::string>> heads(lines, std::vector<std::string>(titles.size()));
  for (size_t i = 0; i < titles.size(); ++i) {
    for (size_t word = 0; word < words[i].size(); ++word) heads[lines - words[i].size() + word][i] = words[i][word];
  }
  return heads;
}

size_t TotalOf(const std::vector<size_t>& widths) {
  return std::accumulate(widths.begin(), widths.end(), kGap * (widths.size() - 1));
}

// In eighths of a column; empty where there is no room for one that says anything.
std::string BarOf(double share, size_t room) {
  constexpr size_t kLeast = 6, kMost = 40, kParts = 8;
  constexpr const char* kPart[kParts] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  if (room < kLeast) return "";
  const auto parts = static_cast<size_t>(std::lround(share * static_cast<double>(std::min(room, kMost) * kParts)));
  std::string bar;
  for (size_t i = 0; i < parts / kParts; ++i) bar += "█";
  return bar + kPart[parts % kParts];
}

}  // namespace

std::string Padded(const std::string& text, size_t width, Align align) {
  const std::string blanks(width - std::min(width, DisplayWidth(text)), ' ');
  return align == Align::kRight ? blanks + text : text + blanks;
}

void ColumnWidths::Add(size_t column, std::string_view cell) {
  widths_[column] = std::max(widths_[column], DisplayWidth(cell));
  bytes_ += cell.size();
}

std::vector<size_t> ColumnWidths::Of(size_t rows) const {
  constexpr size_t kFewBytes = size_t{4} << 20, kMaxTimes = 8, kWidest = 200;
  std::vector<size_t> widths = widths_;
  const size_t width = std::accumulate(widths.begin(), widths.end(), size_t{0});
  if (width * rows <= kFewBytes + kMaxTimes * bytes_) return widths;
  for (size_t& one : widths) one = std::min(one, kWidest);
  return widths;
}

std::vector<size_t> WidthsOf(const std::vector<CellColumn>& cells, std::vector<size_t> least) {
  ColumnWidths widths(std::move(least));
  for (size_t i = 0; i < cells.size(); ++i) {
    for (size_t row = 0; row < cells[i].size(); ++row) widths.Add(i, cells[i][row]);
  }
  return widths.Of(cells.empty() ? 0 : cells.front().size());
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
  for (Column& column : columns) {
    aligns_.push_back(column.align);
    titles_.push_back(std::move(column.title));
  }
  cells_.resize(aligns_.size());
}

void Table::AddRow(const std::vector<std::string>& cells, std::optional<double> share) {
  if (share) {
    shares_.resize(rows());
    shares_.push_back(share);
  }
  for (size_t i = 0; i < cells.size(); ++i) cells_[i].Add(cells[i]);
}

void Table::SetRows(size_t count, std::function<std::vector<std::string>(size_t row)> cells_of) {
  count_ = count;
  cells_of_ = std::move(cells_of);
}

std::vector<std::string> Table::Row(size_t index) const {
  if (cells_of_) return cells_of_(index);
  std::vector<std::string> row;
  for (const CellColumn& column : cells_) row.emplace_back(column[index]);
  return row;
}

std::string Table::In(const Style& style) const {
  std::ostringstream out;
  Print(style, out);
  return std::move(out).str();
}

void Table::Print(const Style& style, std::ostream& out) const {
  switch (style.format) {
    case Format::kText:
      return PrintText(style, out);
    case Format::kCsv:
      return PrintCsv(out);
    case Format::kMarkdown:
      return PrintMarkdown(out);
  }
}

void Table::PrintCsv(std::ostream& out) const {
  out << CsvLine(titles_);
  for (size_t i = 0; i < rows(); ++i) out << CsvLine(Row(i));
}

void Table::PrintMarkdown(std::ostream& out) const {
  out << MarkdownLine(titles_);
  for (const Align align : aligns_) out << (align == Align::kRight ? "| ---: " : "| --- ");
  out << "|\n";
  for (size_t i = 0; i < rows(); ++i) out << MarkdownLine(Row(i));
}

Table Table::Keeping(const std::vector<size_t>& columns) && {
  Table kept({});
  for (const size_t i : columns) {
    kept.aligns_.push_back(aligns_[i]);
    kept.titles_.push_back(std::move(titles_[i]));
    kept.cells_.push_back(std::move(cells_[i]));
  }
  kept.shares_ = std::move(shares_);
  return kept;
}

std::vector<size_t> Table::WidthsUnder(const std::vector<std::vector<std::string>>& heads) const {
  std::vector<size_t> least(aligns_.size());
  for (const std::vector<std::string>& head : heads) {
    for (size_t i = 0; i < head.size(); ++i) least[i] = std::max(least[i], DisplayWidth(head[i]));
  }
  ColumnWidths widths(std::move(least));
  for (size_t row = 0; row < rows(); ++row) {
    const std::vector<std::string> cells = Row(row);
    for (size_t i = 0; i < cells.size(); ++i) widths.Add(i, cells[i]);
  }
  return widths.Of(rows());
}

// Takes from the widest column of text, one after the other, down to what is still a name.
bool Table::Fit(std::vector<size_t>& widths, size_t width) const {
  constexpr size_t kReadable = 6;
  const auto room = [&](size_t i) { return aligns_[i] == Align::kLeft && widths[i] > kReadable ? widths[i] : 0; };
  for (size_t total = TotalOf(widths); total > width; --total) {
    size_t widest = 0;
    for (size_t i = 1; i < widths.size(); ++i) widest = room(i) > room(widest) ? i : widest;
    if (room(widest) == 0) return false;
    --widths[widest];
  }
  return true;
}

Table Table::Without(size_t column) const {
  Table narrow = *this;
  const auto at = static_cast<std::ptrdiff_t>(column);
  narrow.aligns_.erase(narrow.aligns_.begin() + at);
  narrow.titles_.erase(narrow.titles_.begin() + at);
  narrow.cells_.erase(narrow.cells_.begin() + at);
  if (cells_of_) {
    narrow.cells_of_ = [all = cells_of_, at](size_t row) {
      std::vector<std::string> cells = all(row);
      cells.erase(cells.begin() + at);
      return cells;
    };
  }
  return narrow;
}

std::string Table::Line(const std::vector<std::string>& cells, const std::vector<size_t>& widths, bool cuts) const {
  std::string line;
  for (size_t i = 0; i < cells.size(); ++i) {
    line += Padded(cuts && aligns_[i] == Align::kLeft ? CutTo(cells[i], widths[i]) : cells[i], widths[i], aligns_[i]);
    line.append(kGap, ' ');
  }
  return line;
}

void Table::PrintText(const Style& style, std::ostream& out) const {
  std::vector<std::vector<std::string>> heads = {titles_};
  std::vector<size_t> widths = WidthsUnder(heads);
  if (style.width == 0 || TotalOf(widths) <= style.width) return PrintLines(heads, widths, style, out);
  heads = Stacked(titles_);
  widths = WidthsUnder(heads);
  const auto last = std::find(aligns_.rbegin(), aligns_.rend(), Align::kRight);
  if (Fit(widths, style.width) || last == aligns_.rend()) return PrintLines(heads, widths, style, out);
  const auto column = static_cast<size_t>(aligns_.rend() - last) - 1;
  Without(column).PrintText(style, out);
  out << "(no room for: " << titles_[column] << ")\n";
}

void Table::PrintLines(const std::vector<std::vector<std::string>>& heads, const std::vector<size_t>& widths,
                       const Style& style, std::ostream& out) const {
  const bool cuts = style.width != 0;
  const size_t room = cuts ? style.width - std::min(style.width, TotalOf(widths) + kGap) : 0;
  for (const auto& head : heads) out << Colored(Trimmed(Line(head, widths, cuts)), kBold, style.color) << "\n";
  for (size_t i = 0; i < rows(); ++i) {
    const std::string line = Line(Row(i), widths, cuts),
                      bar = i < shares_.size() && shares_[i] ? BarOf(*shares_[i], room) : "";
    out << (bar.empty() ? Trimmed(line) : line + Colored(bar, kCyan, style.color)) << "\n";
  }
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
