#include "report.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "pteedit/container.h"
#include "pteedit/text.h"
#include "text/format.h"

namespace pteedit::cli {
namespace {

constexpr size_t kMaxOpTypes = 5;                       // in a table
constexpr const char* kOperatorCall = "OPERATOR_CALL";  // an operator once more, with what it takes to call it

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
  return shown != nullptr ? shown->debug_data : ListOf(event.more->debug_data, LoggedJson);
}

Json IdentifierJson(const ProfiledEvent& event) {
  if (event.delegate_debug_number) return *event.delegate_debug_number;
  return event.delegate_debug_text.empty() ? Json() : Json(event.delegate_debug_text);
}

bool HasMetadata(const ProfiledEvent& event) {
  return std::any_of(event.more->delegate_debug_metadata.begin(), event.more->delegate_debug_metadata.end(),
                     [](const std::string& text) { return !text.empty(); });
}

// What a text cannot show as it is, as hex.
Json TextOrHex(const std::string& bytes) {
  if (ReplaceControl(bytes) == bytes) return bytes;
  return {{"hex", HexDigits(bytes)}};
}

Json MetadataJson(const ProfiledEvent& event) {
  return HasMetadata(event) ? ListOf(event.more->delegate_debug_metadata, TextOrHex) : Json::array();
}

// Python's bytes, but a text where a run has none; NaN where no run has any, as pandas fills gaps.
Json MetadataCell(const ProfiledEvent& event) {
  if (!HasMetadata(event)) return std::numeric_limits<double>::quiet_NaN();
  return ListOf(event.more->delegate_debug_metadata, [](const std::string& bytes) {
    return bytes.empty() ? Json("") : Json::binary(std::vector<uint8_t>(bytes.begin(), bytes.end()));
  });
}

Json StackTracesJson(const ProfiledEvent& event) {
  Json object = Json::object();
  for (const SourceOperator& op : event.more->operators)
    object[op.name] = op.stack_trace ? Json(*op.stack_trace) : Json();
  return object;
}

Json ModulesJson(const ProfiledEvent& event) {
  Json object = Json::object();
  for (const SourceOperator& op : event.more->operators) {
    Json& modules = object[op.name];
    if (!op.modules) continue;
    modules = Json::object();
    for (const ModuleLevel& level : *op.modules) modules[level.key] = {level.path, level.type};
  }
  return object;
}

// From five on only three of them.
Json OpTypesCell(const ProfiledEvent& event) {
  const std::vector<std::string>& types = event.more->op_types;
  if (types.size() < kMaxOpTypes) return TextsOf(types);
  return "['" + types[0] + "', '" + types[1] + "' ... '" + types.back() + "'] (" + std::to_string(types.size()) +
         " total)";
}

Json BackendJson(const ProfiledEvent& event) { return TextOrNull(event.delegate_backend_name); }

// As the record has them.
Json HandlesJson(const ProfiledEvent& event) {
  if (!event.more->debug_handles) return nullptr;
  if (event.more->has_handle_list || event.more->debug_handles->size() != 1) return *event.more->debug_handles;
  return event.more->debug_handles->front();
}

Json StartsJson(const ProfiledEvent& event) {
  return ListOf(event.samples, [](const Sample& sample) { return sample.start; });
}

struct FrameColumn {
  const char* name = nullptr;
  bool is_time = false;      // which has a unit
  bool is_too_wide = false;  // for a table
};
constexpr FrameColumn kFrameColumns[] = {{"event_block_name"},
                                         {"event_name"},
                                         {"raw", false, true},
                                         {"p10", true},
                                         {"p50", true},
                                         {"p90", true},
                                         {"avg", true},
                                         {"min", true},
                                         {"max", true},
                                         {"op_types"},
                                         {"delegate_debug_identifier", false, true},
                                         {"stack_traces", false, true},
                                         {"module_hierarchy", false, true},
                                         {"is_delegated_op"},
                                         {"delegate_backend_name"},
                                         {"debug_data", false, true},
                                         {"start_time"}};

// What the data frame has of an event. `shown` is null where there is no debug buffer.
struct FrameRow {
  const EventBlock* block = nullptr;
  const ProfiledEvent* event = nullptr;
  const ShownEvent* shown = nullptr;

  // In the order of the columns.
  std::vector<Json> Cells(bool has_wide) const {
    const std::optional<PerfData> perf = event->perf();
    std::vector<Json> cells{block->name, event->name};
    if (has_wide) cells.push_back(perf ? Json(perf->raw) : Json());
    for (const auto member :
         {&PerfData::p10, &PerfData::p50, &PerfData::p90, &PerfData::avg, &PerfData::min, &PerfData::max})
      cells.push_back(perf ? Json((*perf).*member) : Json());
    cells.push_back(OpTypesCell(*event));
    if (has_wide) {
      cells.push_back(IdentifierJson(*event));
      cells.push_back(StackTracesJson(*event));
      MakePrintable(cells.back(), /*has_lines=*/true);
      cells.push_back(ModulesJson(*event));
    }
    cells.push_back(event->is_delegated());
    cells.push_back(BackendJson(*event));
    if (has_wide) cells.push_back(DebugDataJson(*event, shown));
    cells.push_back(StartsJson(*event));
    return cells;
  }
};

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
  const std::optional<PerfData> perf = event.perf();
  object["perf"] = perf ? PerfJson(*perf) : Json();
  object["op_types"] = TextsOf(event.more->op_types);
  object["delegate_debug_identifier"] = IdentifierJson(event);
  object["debug_handles"] = HandlesJson(event);
  object["num_outputs"] = event.more->num_outputs;
  if (has_traces) object["stack_traces"] = StackTracesJson(event);
  object["module_hierarchy"] = ModulesJson(event);
  object["is_delegated_op"] = event.is_delegated();
  object["delegate_backend_name"] = BackendJson(event);
  object["delegate_debug_metadatas"] = MetadataJson(event);
  object["raw_delegate_debug_metadatas"] = MetadataJson(event);
  object["debug_data"] = DebugDataJson(event, shown);
  if (shown != nullptr) object["runs_with_other_data"] = shown->other_runs;
  object["instruction_id"] = event.instruction;
  object["start_time"] = StartsJson(event);
  return object;
}

}  // namespace

DataFrame ToDataFrame(const std::vector<EventBlock>& blocks, const DataFrameOptions& options) {
  DataFrame frame;
  const std::string unit = options.has_units ? std::string(" (") + NameOf(options.scale) + ")" : "";
  for (const FrameColumn& column : kFrameColumns) {
    if (column.is_too_wide && options.for_table) continue;
    frame.columns.push_back(column.name + (column.is_time ? unit : ""));
  }
  std::vector<FrameRow> rows;
  bool has_metadata = false;
  for (size_t i = 0; i < blocks.size(); ++i) {
    for (size_t k = 0; k < blocks[i].events.size(); ++k) {
      const ProfiledEvent& event = blocks[i].events[k];
      has_metadata = has_metadata || HasMetadata(event);
      if (options.for_table && event.name.find(kOperatorCall) != std::string::npos) continue;
      rows.push_back({&blocks[i], &event, options.values != nullptr ? &(*options.values)[i].events[k] : nullptr});
    }
  }
  has_metadata = has_metadata && options.has_delegate_data;
  if (has_metadata) frame.columns.push_back("delegate_debug_metadata");
  frame.rows = rows.size();
  frame.row = [rows = std::move(rows), has_metadata, has_wide = !options.for_table](size_t i) {
    std::vector<Json> cells = rows[i].Cells(has_wide);
    for (Json& cell : cells) MakePrintable(cell);
    if (has_metadata) cells.push_back(MetadataCell(*rows[i].event));
    return cells;
  };
  return frame;
}

void PrintDataFrame(const DataFrame& frame, JsonPrinter& printer) {
  printer.BeginObject();
  printer.AddMember("columns", frame.columns);
  printer.Name("rows");
  printer.AddRows(frame.rows, [&](size_t i) { printer.Add(ListOf(frame.row(i), WithoutBytes)); });
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
