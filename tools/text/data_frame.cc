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

// Blanks behind numbers, so that their points are under each other once they are aligned to the right.
void AlignPoints(std::vector<std::string>& cells) {
  int most = -1;
  for (const std::string& cell : cells) most = std::max(most, DigitsBehindPoint(cell));
  for (std::string& cell : cells) cell += std::string(static_cast<size_t>(most - DigitsBehindPoint(cell)), ' ');
}

struct GridColumn {
  std::vector<std::string> cells;
  Align align = Align::kLeft;
};

GridColumn GridColumnOf(const DataFrame& frame, size_t index) {
  CellKind kind = CellKind::kNone;
  bool has_numbers = false;
  for (const auto& row : frame.rows) {
    kind = std::max(kind, KindOf(row[index]));
    has_numbers = has_numbers || row[index].is_number();
  }
  const bool is_numeric = kind == CellKind::kInt || kind == CellKind::kFloat;
  GridColumn column;
  for (const auto& row : frame.rows) {
    const Json& cell = row[index];
    if (is_numeric && has_numbers && cell.is_null()) {
      column.cells.push_back("nan");
    } else {
      column.cells.push_back(kind == CellKind::kFloat && !cell.is_null() ? FloatText(cell) : CellText(cell));
    }
  }
  if (!is_numeric) return column;
  column.align = Align::kRight;
  AlignPoints(column.cells);
  return column;
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

std::string GridText(const DataFrame& frame) {
  std::vector<Column> columns{{"", Align::kRight}};
  std::vector<CellColumn> cells(1);
  for (size_t i = 0; i < frame.rows.size(); ++i) cells[0].Add(std::to_string(i));
  for (size_t i = 0; i < frame.columns.size(); ++i) {
    const GridColumn column = GridColumnOf(frame, i);
    columns.push_back({EscapeControl(frame.columns[i]), column.align});
    cells.emplace_back();
    for (const std::string& cell : column.cells) cells.back().Add(cell);
  }
  return FancyGrid(columns, cells);
}

std::string TsvText(const DataFrame& frame) {
  std::string text;
  for (const std::string& column : frame.columns) text += "\t" + TsvCell(column);
  text += "\n";
  for (size_t i = 0; i < frame.rows.size(); ++i) {
    text += std::to_string(i);
    for (const Json& cell : frame.rows[i]) text += "\t" + TsvCell(cell);
    text += "\n";
  }
  return text;
}

}  // namespace pteedit::cli
