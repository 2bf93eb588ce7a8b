#include "profile_report.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "fancy_grid.h"
#include "pteedit/container.h"
#include "pteedit/text.h"
#include "python_text.h"
#include "views/format.h"

namespace pteedit::inspect {
namespace {

using cli::Json;
using cli::JsonText;

constexpr size_t kMostOpTypes = 5;                      // in a table
constexpr const char* kOperatorCall = "OPERATOR_CALL";  // an operator once more, with what it takes to call it
const std::set<std::string> kTooWide = {"raw", "delegate_debug_identifier", "stack_traces", "module_hierarchy",
                                        "debug_data"};

// NaN, which JSON has not, is null.
Json NumberJson(double number) { return std::isfinite(number) ? Json(number) : Json(); }

Json TensorJson(const LoggedTensor& tensor) {
  return {{"dtype", ScalarTypeName(tensor.scalar_type)}, {"sizes", tensor.sizes}, {"offset", tensor.offset}};
}

Json ValueJson(const LoggedValue& value) {
  switch (value.kind) {
    case LoggedValue::Kind::kNull:
      return nullptr;
    case LoggedValue::Kind::kInt:
      return value.number;
    case LoggedValue::Kind::kBool:
      return value.number != 0;
    case LoggedValue::Kind::kFloat:
    case LoggedValue::Kind::kDouble:
      return NumberJson(value.real);
    case LoggedValue::Kind::kTensor:
      return TensorJson(value.tensors.front());
    case LoggedValue::Kind::kTensorList:
      return ListOf(value.tensors, TensorJson);
  }
  return nullptr;
}

Json IdentifierJson(const ProfiledEvent& event) {
  if (event.delegate_debug_number) return *event.delegate_debug_number;
  return event.delegate_debug_text.empty() ? Json() : JsonText(event.delegate_debug_text);
}

Json MetadataJson(const ProfiledEvent& event) {
  const bool has_any = std::any_of(event.delegate_debug_metadata.begin(), event.delegate_debug_metadata.end(),
                                   [](const std::string& text) { return !text.empty(); });
  return has_any ? ListOf(event.delegate_debug_metadata, JsonText) : Json::array();
}

// Text of several lines.
Json LinesJson(const std::string& text) {
  std::string lines;
  for (size_t start = 0; start <= text.size();) {
    const size_t end = std::min(text.find('\n', start), text.size());
    lines += (start == 0 ? "" : "\n") + JsonText(text.substr(start, end - start)).get<std::string>();
    start = end + 1;
  }
  return lines;
}

Json StackTracesJson(const ProfiledEvent& event) {
  Json object = Json::object();
  for (const SourceOperator& op : event.operators)
    object[op.name] = op.stack_trace ? LinesJson(*op.stack_trace) : Json();
  return object;
}

Json ModulesJson(const ProfiledEvent& event) {
  Json object = Json::object();
  for (const SourceOperator& op : event.operators) {
    Json& modules = object[op.name];
    if (!op.modules) continue;
    modules = Json::object();
    for (const ModuleLevel& level : *op.modules) modules[level.key] = {JsonText(level.path), JsonText(level.type)};
  }
  return object;
}

// From five on only three of them.
Json OpTypesCell(const ProfiledEvent& event) {
  const std::vector<std::string>& types = event.op_types;
  if (types.size() < kMostOpTypes) return TextsOf(types);
  return JsonText("['" + types[0] + "', '" + types[1] + "' ... '" + types.back() + "'] (" +
                  std::to_string(types.size()) + " total)");
}

Json BackendJson(const ProfiledEvent& event) { return TextOrNull(event.delegate_backend_name); }

// As the record has them.
Json HandlesJson(const ProfiledEvent& event) {
  if (!event.debug_handles) return nullptr;
  if (event.has_handle_list || event.debug_handles->size() != 1) return *event.debug_handles;
  return event.debug_handles->front();
}

std::vector<Json> RowOf(const EventBlock& block, const ProfiledEvent& event) {
  std::vector<Json> row{JsonText(block.name), JsonText(event.name), Json()};
  if (event.perf) row.back() = event.perf->raw;
  for (const auto member :
       {&PerfData::p10, &PerfData::p50, &PerfData::p90, &PerfData::avg, &PerfData::min, &PerfData::max})
    row.push_back(event.perf ? Json((*event.perf).*member) : Json());
  row.push_back(OpTypesCell(event));
  row.push_back(IdentifierJson(event));
  row.push_back(StackTracesJson(event));
  row.push_back(ModulesJson(event));
  row.push_back(event.is_delegated());
  row.push_back(BackendJson(event));
  row.push_back(ListOf(event.debug_data, ValueJson));
  row.push_back(event.start_times);
  return row;
}

bool IsNumber(const Json& cell) { return cell.is_number(); }

// What a cell prints where its column has no numbers.
std::string CellText(const Json& cell) {
  if (cell.is_null()) return "";
  return EscapeControl(cell.is_string() ? cell.get<std::string>() : PythonRepr(cell));
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

// Columns of numbers, and of texts that all look like numbers, are printed as numbers.
GridColumn GridColumnOf(const DataFrame& frame, size_t index) {
  std::vector<Json> cells;
  for (const auto& row : frame.rows) cells.push_back(row[index]);
  const bool has_numbers = std::any_of(cells.begin(), cells.end(), IsNumber);
  const auto all_texts = [&](bool (*test)(std::string_view)) {
    return std::all_of(cells.begin(), cells.end(),
                       [&](const Json& cell) { return cell.is_string() && test(cell.get_ref<const std::string&>()); });
  };
  const bool are_ints = all_texts(IsPythonInt), are_floats = !are_ints && all_texts(IsPythonFloat);
  GridColumn column;
  for (const Json& cell : cells) {
    if (has_numbers && cell.is_null()) {
      column.cells.push_back("nan");
    } else if (cell.is_number_float()) {
      column.cells.push_back(PythonGeneral(cell.get<double>()));
    } else if (are_floats) {
      column.cells.push_back(PythonGeneral(std::strtod(cell.get_ref<const std::string&>().c_str(), nullptr)));
    } else {
      column.cells.push_back(CellText(cell));
    }
  }
  if (!has_numbers && !are_ints && !are_floats) return column;
  column.align = Align::kRight;
  AlignPoints(column.cells);
  return column;
}

// As csv quotes where it has to.
std::string TsvCell(const Json& cell) {
  const std::string text = cell.is_null() ? "" : cell.is_string() ? cell.get<std::string>() : PythonRepr(cell);
  if (text.find_first_of("\t\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

Json PerfJson(const PerfData& perf) {
  return {{"raw", perf.raw}, {"p10", perf.p10}, {"p50", perf.p50}, {"p90", perf.p90},
          {"avg", perf.avg}, {"min", perf.min}, {"max", perf.max}};
}

Json EventJson(const ProfiledEvent& event) {
  Json object;
  object["name"] = JsonText(event.name);
  object["perf"] = event.perf ? PerfJson(*event.perf) : Json();
  object["op_types"] = TextsOf(event.op_types);
  object["delegate_debug_identifier"] = IdentifierJson(event);
  object["debug_handles"] = HandlesJson(event);
  object["num_outputs"] = event.num_outputs;
  object["stack_traces"] = StackTracesJson(event);
  object["module_hierarchy"] = ModulesJson(event);
  object["is_delegated_op"] = event.is_delegated();
  object["delegate_backend_name"] = BackendJson(event);
  object["delegate_debug_metadatas"] = MetadataJson(event);
  object["raw_delegate_debug_metadatas"] = MetadataJson(event);
  object["debug_data"] = ListOf(event.debug_data, ValueJson);
  object["instruction_id"] = event.instruction;
  object["start_time"] = event.start_times;
  return object;
}

}  // namespace

DataFrame ToDataFrame(const std::vector<EventBlock>& blocks, const DataFrameOptions& options) {
  DataFrame frame;
  const std::string unit = options.has_units ? std::string(" (") + NameOf(options.scale) + ")" : "";
  frame.columns = {"event_block_name", "event_name", "raw"};
  for (const char* time : {"p10", "p50", "p90", "avg", "min", "max"}) frame.columns.push_back(time + unit);
  for (const char* name : {"op_types", "delegate_debug_identifier", "stack_traces", "module_hierarchy",
                           "is_delegated_op", "delegate_backend_name", "debug_data", "start_time"})
    frame.columns.push_back(name);
  bool has_metadata = false;
  for (const EventBlock& block : blocks) {
    for (const ProfiledEvent& event : block.events) {
      frame.rows.push_back(RowOf(block, event));
      has_metadata = has_metadata || !MetadataJson(event).empty();
    }
  }
  if (!options.has_delegate_data || !has_metadata) return frame;
  frame.columns.push_back("delegate_debug_metadata");
  size_t row = 0;
  for (const EventBlock& block : blocks) {
    for (const ProfiledEvent& event : block.events) {
      Json metadata = MetadataJson(event);
      frame.rows[row++].push_back(metadata.empty() ? Json() : std::move(metadata));
    }
  }
  return frame;
}

DataFrame ForPrinting(const DataFrame& frame) {
  DataFrame printed;
  std::vector<size_t> kept;
  for (size_t i = 0; i < frame.columns.size(); ++i) {
    if (kTooWide.count(frame.columns[i]) != 0) continue;
    kept.push_back(i);
    printed.columns.push_back(frame.columns[i]);
  }
  for (const auto& row : frame.rows) {
    if (row[1].get_ref<const std::string&>().find(kOperatorCall) != std::string::npos) continue;
    std::vector<Json> cells;
    for (const size_t i : kept) cells.push_back(row[i]);
    printed.rows.push_back(std::move(cells));
  }
  return printed;
}

std::string GridText(const DataFrame& frame) {
  std::vector<Column> columns{{"", Align::kRight}};
  std::vector<std::vector<std::string>> rows(frame.rows.size());
  for (size_t i = 0; i < rows.size(); ++i) rows[i].push_back(std::to_string(i));
  for (size_t i = 0; i < frame.columns.size(); ++i) {
    GridColumn column = GridColumnOf(frame, i);
    columns.push_back({frame.columns[i], column.align});
    for (size_t k = 0; k < rows.size(); ++k) rows[k].push_back(std::move(column.cells[k]));
  }
  return FancyGrid(columns, rows);
}

std::string TsvText(const DataFrame& frame) {
  std::string text;
  for (const std::string& column : frame.columns) text += "\t" + column;
  text += "\n";
  for (size_t i = 0; i < frame.rows.size(); ++i) {
    text += std::to_string(i);
    for (const Json& cell : frame.rows[i]) text += "\t" + TsvCell(cell);
    text += "\n";
  }
  return text;
}

Json DataFrameJson(const DataFrame& frame) {
  Json rows = Json::array();
  for (const auto& row : frame.rows) rows.push_back(row);
  return {{"columns", frame.columns}, {"rows", std::move(rows)}};
}

Json EventBlocksJson(const std::vector<EventBlock>& blocks, const EventScales& scales) {
  return ListOf(blocks, [&](const EventBlock& block) {
    Json object;
    object["name"] = JsonText(block.name);
    object["bundled_input_index"] = block.bundled_input_index;
    object["source_time_scale"] = NameOf(scales.source);
    object["target_time_scale"] = NameOf(scales.target);
    object["run_output"] = ListOf(block.run_output, ValueJson);
    object["reference_output"] = nullptr;
    object["events"] = ListOf(block.events, EventJson);
    object["methods"] = TextsOf(block.methods);
    object["allocations"] = ListOf(block.allocations, [](const Allocation& allocation) {
      return Json({{"allocator", JsonText(allocation.allocator)}, {"bytes", allocation.bytes}});
    });
    return object;
  });
}

}  // namespace pteedit::inspect
