#include "report.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "pteedit/container.h"
#include "pteedit/text.h"
#include "text/format.h"

namespace pteedit::cli {
namespace {

constexpr size_t kMaxOpTypes = 5;                       // in a table
constexpr const char* kOperatorCall = "OPERATOR_CALL";  // an operator once more, with what it takes to call it
const std::set<std::string> kTooWide = {"raw", "delegate_debug_identifier", "stack_traces", "module_hierarchy",
                                        "debug_data"};

// Without the debug buffer nothing is known of its elements.
Json LoggedTensorJson(const LoggedTensor& tensor) {
  Json object{{"dtype", ScalarTypeName(tensor.scalar_type)}, {"shape", tensor.sizes}};
  for (const char* unknown : {"sha256", "values", "statistics"}) object[unknown] = nullptr;
  return object;
}

Json LoggedJson(const LoggedValue& value) {
  switch (value.kind) {
    case LoggedValue::Kind::kNull:
      return nullptr;
    case LoggedValue::Kind::kInt:
      return value.number;
    case LoggedValue::Kind::kBool:
      return value.number != 0;
    case LoggedValue::Kind::kFloat:
    case LoggedValue::Kind::kDouble:
      return RealJson(value.real);
    case LoggedValue::Kind::kTensor:
      return LoggedTensorJson(value.tensors.front());
    case LoggedValue::Kind::kTensorList:
      return ListOf(value.tensors, LoggedTensorJson);
  }
  return nullptr;
}

// `shown` is null where there is no debug buffer.
Json DebugDataJson(const ProfiledEvent& event, const ShownEvent* shown) {
  return shown != nullptr ? shown->debug_data : ListOf(event.debug_data, LoggedJson);
}

Json IdentifierJson(const ProfiledEvent& event) {
  if (event.delegate_debug_number) return *event.delegate_debug_number;
  return event.delegate_debug_text.empty() ? Json() : Json(event.delegate_debug_text);
}

bool HasMetadata(const ProfiledEvent& event) {
  return std::any_of(event.delegate_debug_metadata.begin(), event.delegate_debug_metadata.end(),
                     [](const std::string& text) { return !text.empty(); });
}

// What a text cannot show as it is, as hex.
Json TextOrHex(const std::string& bytes) {
  if (ReplaceControl(bytes) == bytes) return bytes;
  return {{"hex", HexDigits(bytes)}};
}

Json MetadataJson(const ProfiledEvent& event) {
  return HasMetadata(event) ? ListOf(event.delegate_debug_metadata, TextOrHex) : Json::array();
}

// Python's bytes, but a text where a run has none; NaN where no run has any, as pandas fills gaps.
Json MetadataCell(const ProfiledEvent& event) {
  if (!HasMetadata(event)) return std::numeric_limits<double>::quiet_NaN();
  return ListOf(event.delegate_debug_metadata, [](const std::string& bytes) {
    return bytes.empty() ? Json("") : Json::binary(std::vector<uint8_t>(bytes.begin(), bytes.end()));
  });
}

Json StackTracesJson(const ProfiledEvent& event) {
  Json object = Json::object();
  for (const SourceOperator& op : event.operators) object[op.name] = op.stack_trace ? Json(*op.stack_trace) : Json();
  return object;
}

Json ModulesJson(const ProfiledEvent& event) {
  Json object = Json::object();
  for (const SourceOperator& op : event.operators) {
    Json& modules = object[op.name];
    if (!op.modules) continue;
    modules = Json::object();
    for (const ModuleLevel& level : *op.modules) modules[level.key] = {level.path, level.type};
  }
  return object;
}

// From five on only three of them.
Json OpTypesCell(const ProfiledEvent& event) {
  const std::vector<std::string>& types = event.op_types;
  if (types.size() < kMaxOpTypes) return TextsOf(types);
  return "['" + types[0] + "', '" + types[1] + "' ... '" + types.back() + "'] (" + std::to_string(types.size()) +
         " total)";
}

Json BackendJson(const ProfiledEvent& event) { return TextOrNull(event.delegate_backend_name); }

// As the record has them.
Json HandlesJson(const ProfiledEvent& event) {
  if (!event.debug_handles) return nullptr;
  if (event.has_handle_list || event.debug_handles->size() != 1) return *event.debug_handles;
  return event.debug_handles->front();
}

std::vector<Json> RowOf(const EventBlock& block, const ProfiledEvent& event, Json debug_data) {
  std::vector<Json> row{block.name, event.name, Json()};
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
  row.push_back(std::move(debug_data));
  row.push_back(event.start_times);
  return row;
}

// JSON has no bytes, and no NaN.
Json WithoutBytes(const Json& cell) {
  if (cell.is_number_float() && !std::isfinite(cell.get<double>())) return nullptr;
  if (!cell.is_array()) return cell;
  return ListOf(cell, [](const Json& item) {
    if (!item.is_binary()) return item;
    const Json::binary_t& bytes = item.get_binary();
    return TextOrHex({bytes.begin(), bytes.end()});
  });
}

Json PerfJson(const PerfData& perf) {
  return {{"raw", perf.raw}, {"p10", perf.p10}, {"p50", perf.p50}, {"p90", perf.p90},
          {"avg", perf.avg}, {"min", perf.min}, {"max", perf.max}};
}

Json EventJson(const ProfiledEvent& event, const ShownEvent* shown, bool has_traces) {
  Json object;
  object["name"] = event.name;
  object["perf"] = event.perf ? PerfJson(*event.perf) : Json();
  object["op_types"] = TextsOf(event.op_types);
  object["delegate_debug_identifier"] = IdentifierJson(event);
  object["debug_handles"] = HandlesJson(event);
  object["num_outputs"] = event.num_outputs;
  if (has_traces) object["stack_traces"] = StackTracesJson(event);
  object["module_hierarchy"] = ModulesJson(event);
  object["is_delegated_op"] = event.is_delegated();
  object["delegate_backend_name"] = BackendJson(event);
  object["delegate_debug_metadatas"] = MetadataJson(event);
  object["raw_delegate_debug_metadatas"] = MetadataJson(event);
  object["debug_data"] = DebugDataJson(event, shown);
  if (shown != nullptr) object["runs_with_other_data"] = shown->other_runs;
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
  for (size_t i = 0; i < blocks.size(); ++i) {
    for (size_t k = 0; k < blocks[i].events.size(); ++k) {
      const ProfiledEvent& event = blocks[i].events[k];
      const ShownEvent* shown = options.values != nullptr ? &(*options.values)[i].events[k] : nullptr;
      std::vector<Json> row = RowOf(blocks[i], event, DebugDataJson(event, shown));
      for (size_t cell = 0; cell < row.size(); ++cell) MakePrintable(row[cell], frame.columns[cell] == "stack_traces");
      frame.rows.push_back(std::move(row));
      has_metadata = has_metadata || HasMetadata(event);
    }
  }
  if (!options.has_delegate_data || !has_metadata) return frame;
  frame.columns.push_back("delegate_debug_metadata");
  size_t row = 0;
  for (const EventBlock& block : blocks) {
    for (const ProfiledEvent& event : block.events) frame.rows[row++].push_back(MetadataCell(event));
  }
  return frame;
}

DataFrame ForPrinting(DataFrame frame) {
  DataFrame printed;
  std::vector<size_t> kept;
  for (size_t i = 0; i < frame.columns.size(); ++i) {
    if (kTooWide.count(frame.columns[i]) != 0) continue;
    kept.push_back(i);
    printed.columns.push_back(frame.columns[i]);
  }
  for (auto& row : frame.rows) {
    const std::vector<Json> all = std::move(row);  // which goes with this row: the others are many
    if (all[1].get_ref<const std::string&>().find(kOperatorCall) != std::string::npos) continue;
    std::vector<Json> cells;
    cells.reserve(kept.size());
    for (const size_t i : kept) cells.push_back(all[i]);
    printed.rows.push_back(std::move(cells));
  }
  return printed;
}

void PrintDataFrame(const DataFrame& frame, JsonPrinter& printer) {
  printer.BeginObject();
  printer.AddMember("columns", frame.columns);
  printer.Name("rows");
  printer.AddList(frame.rows, [](const std::vector<Json>& row) { return ListOf(row, WithoutBytes); });
  printer.EndObject();
}

void PrintEventBlocks(const std::vector<EventBlock>& blocks, const EventScales& scales, const BlockValues& values,
                      bool has_traces, JsonPrinter& printer) {
  printer.AddRows(blocks.size(), [&](size_t i) {
    const EventBlock& block = blocks[i];
    const ShownBlock* shown = values.shown.empty() ? nullptr : &values.shown[i];
    printer.BeginObject();
    printer.AddMember("name", block.name);
    printer.AddMember("bundled_input_index", block.bundled_input_index);
    printer.AddMember("source_time_scale", NameOf(scales.source));
    printer.AddMember("target_time_scale", NameOf(scales.target));
    printer.AddMember("run_output", shown != nullptr ? shown->run_output : ListOf(block.run_output, LoggedJson));
    if (shown != nullptr) printer.AddMember("runs_with_other_output", shown->other_runs);
    printer.AddMember("reference_output", values.references[i]);
    printer.Name("events");
    printer.AddRows(block.events.size(), [&](size_t k) {
      printer.Add(EventJson(block.events[k], shown != nullptr ? &shown->events[k] : nullptr, has_traces));
    });
    printer.AddMember("methods", TextsOf(block.methods));
    printer.Name("allocations");
    printer.AddList(block.allocations, [](const Allocation& allocation) {
      return Json({{"allocator", allocation.allocator}, {"bytes", allocation.bytes}});
    });
    if (!values.gaps[i].is_null()) printer.AddMember("reference_gap", values.gaps[i]);
    printer.EndObject();
  });
}

}  // namespace pteedit::cli
