#include "text/data_frame.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "pteedit/text.h"
#include "text/fancy_grid.h"
#include "text/python_text.h"

namespace pteedit::cli {
namespace {

// What cells are; a column is what the last of its cells is, in this order.
enum class CellKind { kNone, kInt, kFloat, kText };

CellKind KindOf(const Json& cell) {
  if (cell.is_null()) return CellKind::kNone;
  if (cell.is_number()) return cell.is_number_float() ? CellKind::kFloat : CellKind::kInt;
  if (!cell.is_string()) return CellKind::kText;
  const auto& text = cell.get_ref<const std::string&>();
  return IsPythonInt(text) ? CellKind::kInt : IsPythonFloat(text) ? CellKind::kFloat : CellKind::kText;
}

// What a cell prints where its column has no fractions.
std::string CellText(const Json& cell) {
  if (cell.is_null()) return "";
  return EscapeControl(cell.is_string() ? cell.get<std::string>() : PythonRepr(cell));
}

std::string FloatText(const Json& cell) {
  return PythonGeneral(cell.is_string() ? std::strtod(cell.get_ref<const std::string&>().c_str(), nullptr)
                                        : cell.get<double>());
}

// Digits behind the point, or behind the "e" of a number that has none; -1 for whole numbers and what is no number.
int DigitsBehindPoint(const std::string& text) {
  if (!IsPythonFloat(text) || IsPythonInt(text)) return -1;
  size_t place = text.rfind('.');
  if (place == std::string::npos) place = text.rfind('e');
  return place == std::string::npos ? -1 : static_cast<int>(text.size() - place) - 1;
}

struct GridColumn {
  CellKind kind = CellKind::kNone;
  bool has_numbers = false;
  int most_digits = -1;  // behind points

  bool is_numeric() const { return kind == CellKind::kInt || kind == CellKind::kFloat; }

  std::string TextOf(const Json& cell) const {
    if (is_numeric() && has_numbers && cell.is_null()) return "nan";
    return kind == CellKind::kFloat && !cell.is_null() ? FloatText(cell) : CellText(cell);
  }

  // With blanks behind numbers, so that their points are under each other once they are aligned to the right.
  std::string AlignedTextOf(const Json& cell) const {
    const std::string text = TextOf(cell);
    if (!is_numeric()) return text;
    return text + std::string(static_cast<size_t>(most_digits - DigitsBehindPoint(text)), ' ');
  }
};

std::vector<GridColumn> GridColumnsOf(const DataFrame& frame) {
  std::vector<GridColumn> columns(frame.columns.size());
  for (size_t i = 0; i < frame.rows; ++i) {
    const std::vector<Json> row = frame.row(i);
    for (size_t k = 0; k < columns.size(); ++k) {
      columns[k].kind = std::max(columns[k].kind, KindOf(row[k]));
      columns[k].has_numbers = columns[k].has_numbers || row[k].is_number();
    }
  }
  for (size_t i = 0; i < frame.rows; ++i) {
    const std::vector<Json> row = frame.row(i);
    for (size_t k = 0; k < columns.size(); ++k) {
      if (columns[k].is_numeric())
        columns[k].most_digits = std::max(columns[k].most_digits, DigitsBehindPoint(columns[k].TextOf(row[k])));
    }
  }
  return columns;
}

// As csv quotes where it has to; what is missing is empty.
std::string TsvCell(const Json& cell) {
  if (cell.is_null() || (cell.is_number_float() && std::isnan(cell.get<double>()))) return "";
  const std::string text = cell.is_string() ? cell.get<std::string>() : PythonRepr(cell);
  if (text.find_first_of("\t\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

void PrintGrid(const DataFrame& frame, std::ostream& out) {
  const std::vector<GridColumn> grid = GridColumnsOf(frame);
  std::vector<Column> columns{{"", Align::kRight}};
  for (size_t i = 0; i < grid.size(); ++i)
    columns.push_back({EscapeControl(frame.columns[i]), grid[i].is_numeric() ? Align::kRight : Align::kLeft});
  const auto row = [&](size_t i) {
    std::vector<std::string> cells{std::to_string(i)};
    const std::vector<Json> made = frame.row(i);
    for (size_t k = 0; k < grid.size(); ++k) cells.push_back(grid[k].AlignedTextOf(made[k]));
    return cells;
  };
  PrintFancyGrid(columns, frame.rows, row, out);
}

void PrintTsv(const DataFrame& frame, std::ostream& out) {
  for (const std::string& column : frame.columns) out << "\t" << TsvCell(column);
  out << "\n";
  for (size_t i = 0; i < frame.rows; ++i) {
    out << i;
    for (const Json& cell : frame.row(i)) out << "\t" << TsvCell(cell);
    out << "\n";
  }
}

}  // namespace pteedit::cli
