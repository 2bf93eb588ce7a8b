#include "profile.h"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "data_frame.h"
#include "pteedit/container.h"
#include "pteedit/event_blocks.h"
#include "sources.h"
#include "text.h"
#include "work.h"

namespace pteedit::python {
namespace {

namespace py = pybind11;
using namespace py::literals;  // NOLINT: "name"_a
using cli::Json;

template <class Items, class ToObject>
py::list ListOf(const Items& items, ToObject to_object) {
  py::list list;
  for (const auto& item : items) list.append(to_object(item));
  return list;
}

// A tensor is its type, sizes and place in the debug buffer.
py::tuple TensorTuple(const LoggedTensor& tensor) {
  return py::make_tuple(ScalarTypeName(tensor.scalar_type), tensor.sizes, tensor.offset);
}

py::object ValueObject(const LoggedValue& value) {
  switch (value.kind) {
    case LoggedValue::Kind::kNull:
      return py::none();
    case LoggedValue::Kind::kInt:
      return py::int_(value.number);
    case LoggedValue::Kind::kBool:
      return py::bool_(value.number != 0);
    case LoggedValue::Kind::kFloat:
    case LoggedValue::Kind::kDouble:
      return py::float_(value.real);
    case LoggedValue::Kind::kTensor:
      return TensorTuple(value.tensors.front());
    case LoggedValue::Kind::kTensorList:
      return ListOf(value.tensors, TensorTuple);
  }
  return py::none();
}

py::object IdentifierOf(const ProfiledEvent& event) {
  if (event.delegate_debug_number) return py::int_(*event.delegate_debug_number);
  return event.delegate_debug_text.empty() ? py::object(py::none()) : ToPython(event.delegate_debug_text);
}

// A number where the record has one.
py::object HandlesOf(const ProfiledEvent& event) {
  if (!event.debug_handles) return py::none();
  if (event.has_handle_list || event.debug_handles->size() != 1) return py::cast(*event.debug_handles);
  return py::int_(event.debug_handles->front());
}

py::dict StackTracesOf(const ProfiledEvent& event) {
  py::dict traces;
  for (const SourceOperator& op : event.operators)
    traces[ToPython(op.name)] = op.stack_trace ? py::object(ToPython(*op.stack_trace)) : py::none();
  return traces;
}

py::dict ModulesOf(const ProfiledEvent& event) {
  py::dict hierarchy;
  for (const SourceOperator& op : event.operators) {
    if (!op.modules) {
      hierarchy[ToPython(op.name)] = py::none();
      continue;
    }
    py::dict levels;
    for (const ModuleLevel& level : *op.modules)
      levels[ToPython(level.key)] = py::make_tuple(ToPython(level.path), ToPython(level.type));
    hierarchy[ToPython(op.name)] = levels;
  }
  return hierarchy;
}

py::dict EventDict(const ProfiledEvent& event) {
  py::dict dict("name"_a = ToPython(event.name), "op_types"_a = ToPython(event.op_types),
                "delegate_debug_identifier"_a = IdentifierOf(event), "debug_handles"_a = HandlesOf(event),
                "num_outputs"_a = event.num_outputs, "stack_traces"_a = StackTracesOf(event),
                "module_hierarchy"_a = ModulesOf(event), "is_delegated_op"_a = event.is_delegated(),
                "instruction"_a = event.instruction, "debug_data"_a = ListOf(event.debug_data, ValueObject));
  dict["backend"] =
      event.delegate_backend_name.empty() ? py::object(py::none()) : ToPython(event.delegate_backend_name);
  dict["raw"] = event.perf ? py::cast(event.perf->raw) : py::none();
  dict["starts"] = event.start_times;
  dict["ends"] = event.end_times;
  dict["metadata"] = ListOf(event.delegate_debug_metadata, [](const std::string& bytes) { return py::bytes(bytes); });
  return dict;
}

py::dict BlockDict(const EventBlock& block) {
  return py::dict("name"_a = ToPython(block.name), "bundled_input_index"_a = block.bundled_input_index,
                  "run_output"_a = ListOf(block.run_output, ValueObject), "events"_a = ListOf(block.events, EventDict),
                  "methods"_a = ToPython(block.methods));
}

TimeScale ScaleCalled(const std::string& name) {
  const std::optional<TimeScale> scale = TimeScaleCalled(name);
  if (!scale) throw py::value_error("'" + name + "' is no time scale");
  return *scale;
}

// A file, or its bytes.
using Input = std::variant<py::bytes, std::filesystem::path>;

Result<std::shared_ptr<const Source>> Open(const std::variant<std::shared_ptr<const Source>, std::string>& input) {
  if (const auto* source = std::get_if<std::shared_ptr<const Source>>(&input)) return *source;
  return OpenFileSource(std::get<std::string>(input));
}

Result<std::vector<EventBlock>> ReadJoined(const std::variant<std::shared_ptr<const Source>, std::string>& input,
                                           const EventScales& scales, const std::optional<std::string>& record) {
  const Result<std::shared_ptr<const Source>> dump = Open(input);
  if (!dump) return dump.error();
  Result<std::vector<EventBlock>> blocks = ReadEventBlocks(*dump, scales);
  if (!blocks) return Error(blocks.error()).In((*dump)->name());
  if (!record) return blocks;
  const Result<std::shared_ptr<const Source>> source = OpenFileSource(*record);
  if (!source) return source.error();
  if (const Status joined = JoinRecord(*blocks, *source); !joined) return Error(joined.error()).In(*record);
  return blocks;
}

py::list ReadBlocks(const Input& dump, const std::string& source_scale, const std::string& target_scale,
                    const std::optional<std::filesystem::path>& record) {
  const EventScales scales{ScaleCalled(source_scale), ScaleCalled(target_scale)};
  std::variant<std::shared_ptr<const Source>, std::string> input;
  if (const auto* bytes = std::get_if<py::bytes>(&dump)) {
    input = SourceOfBytes("<etdump_data>", *bytes);
  } else {
    input = std::get<std::filesystem::path>(dump).string();
  }
  std::optional<std::string> record_path;
  if (record) record_path = record->string();
  const auto blocks = Work(std::make_shared<ReadFailure>(), [&] { return ReadJoined(input, scales, record_path); });
  return ListOf(blocks, BlockDict);
}

py::dict Statistics(std::vector<double> raw) {
  if (raw.empty()) throw py::value_error("there are no samples");
  const PerfData perf = PerfDataOf(std::move(raw));
  return py::dict("p10"_a = perf.p10, "p50"_a = perf.p50, "p90"_a = perf.p90, "avg"_a = perf.avg);
}

Json CellOf(const py::handle& cell) {
  if (cell.is_none()) return nullptr;
  if (py::isinstance<py::bool_>(cell)) return cell.cast<bool>();
  if (py::isinstance<py::float_>(cell)) return cell.cast<double>();
  if (py::isinstance<py::int_>(cell)) {
    int overflow = 0;
    const long long number = PyLong_AsLongLongAndOverflow(cell.ptr(), &overflow);
    if (overflow == 0) return number;
  }
  return static_cast<std::string>(py::str(cell).attr("encode")("utf-8", "surrogateescape").cast<py::bytes>());
}

inspect::DataFrame FrameOf(std::vector<std::string> columns, const py::list& rows) {
  inspect::DataFrame frame;
  frame.columns = std::move(columns);
  for (const py::handle& row : rows) {
    std::vector<Json> cells;
    for (const py::handle& cell : row) cells.push_back(CellOf(cell));
    if (cells.size() != frame.columns.size()) throw py::value_error("a row has not one cell a column");
    frame.rows.push_back(std::move(cells));
  }
  return frame;
}

}  // namespace

void AddProfile(py::module_& module) {
  module.def("read_event_blocks", &ReadBlocks, "dump"_a, "source_scale"_a, "target_scale"_a, "record"_a = py::none());
  module.def("statistics", &Statistics, "raw"_a);
  module.def(
      "grid_text",
      [](std::vector<std::string> columns, const py::list& rows) {
        return ToPython(inspect::GridText(FrameOf(std::move(columns), rows)));
      },
      "columns"_a, "rows"_a);
  module.def(
      "tsv_text",
      [](std::vector<std::string> columns, const py::list& rows) {
        return ToPython(inspect::TsvText(FrameOf(std::move(columns), rows)));
      },
      "columns"_a, "rows"_a);
}

}  // namespace pteedit::python
