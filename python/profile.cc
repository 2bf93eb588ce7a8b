#include "profile.h"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "pteedit/container.h"
#include "pteedit/profile/debug_values.h"
#include "pteedit/profile/event_blocks.h"
#include "pteedit/profile/profile.h"
#include "pteedit/profile/program_listing.h"
#include "pteedit/try.h"
#include "sources.h"
#include "text.h"
#include "text/data_frame.h"
#include "work.h"

namespace pteedit::python {
namespace {

namespace py = pybind11;
using namespace py::literals;  // NOLINT: "name"_a
using cli::Json;

// A tensor is its type, sizes and place in the debug buffer.
py::tuple LoggedTuple(const LoggedTensor& tensor) {
  return py::make_tuple(ScalarTypeName(tensor.scalar_type), tensor.sizes, tensor.offset);
}

py::object LoggedObject(const LoggedValue& value) {
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
      return LoggedTuple(value.tensors.front());
    case LoggedValue::Kind::kTensorList:
      return ListOf(value.tensors, LoggedTuple);
  }
  return py::none();
}

py::object IdentifierOf(const ProfiledEvent& event) {
  if (event.delegate_debug_number) return py::int_(*event.delegate_debug_number);
  return event.delegate_debug_text.empty() ? py::object(py::none()) : ToPython(event.delegate_debug_text);
}

// A number where the record has one.
py::object HandlesOf(const ProfiledEvent& event) {
  if (!event.more->debug_handles) return py::none();
  if (event.more->has_handle_list || event.more->debug_handles->size() != 1)
    return py::cast(*event.more->debug_handles);
  return py::int_(event.more->debug_handles->front());
}

py::dict StackTracesOf(const ProfiledEvent& event) {
  py::dict traces;
  for (const SourceOperator& op : event.more->operators)
    traces[ToPython(op.name)] = op.stack_trace ? py::object(ToPython(*op.stack_trace)) : py::none();
  return traces;
}

py::dict ModulesOf(const ProfiledEvent& event) {
  py::dict hierarchy;
  for (const SourceOperator& op : event.more->operators) {
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

py::dict EventDict(const ProfiledEvent& event, const EventValues& values) {
  py::dict dict("name"_a = ToPython(event.name), "op_types"_a = ToPython(event.more->op_types),
                "delegate_debug_identifier"_a = IdentifierOf(event), "debug_handles"_a = HandlesOf(event),
                "num_outputs"_a = event.more->num_outputs, "stack_traces"_a = StackTracesOf(event),
                "module_hierarchy"_a = ModulesOf(event), "is_delegated_op"_a = event.is_delegated(),
                "instruction"_a = event.instruction, "debug_data"_a = ListOf(event.more->debug_data, LoggedObject));
  dict["backend"] =
      event.delegate_backend_name.empty() ? py::object(py::none()) : ToPython(event.delegate_backend_name);
  dict["raw"] = event.samples.empty()
                    ? py::none()
                    : py::object(ListOf(event.samples, [](const Sample& sample) { return sample.elapsed; }));
  dict["starts"] = ListOf(event.samples, [](const Sample& sample) { return sample.start; });
  dict["ends"] = ListOf(event.samples, [](const Sample& sample) { return sample.end; });
  dict["other_runs"] = values.other_runs;
  dict["metadata"] =
      ListOf(event.more->delegate_debug_metadata, [](const std::string& bytes) { return py::bytes(bytes); });
  return dict;
}

// A tensor is its type, sizes and bytes; None are zeros.
py::tuple TensorTuple(const TensorValue& tensor) {
  py::object bytes = py::none();
  if (tensor.data != nullptr) {
    py::bytearray read(nullptr, tensor.data->size());
    const MutableByteSpan span{reinterpret_cast<uint8_t*>(PyByteArray_AsString(read.ptr())),
                               static_cast<size_t>(tensor.data->size())};
    if (const Status status = tensor.data->Read(0, span); !status) Raise(status.error());
    bytes = std::move(read);
  }
  return py::make_tuple(ScalarTypeName(tensor.scalar_type), tensor.sizes, bytes);
}

py::object ValueObject(const DebugValue& value) {  // NOLINT(misc-no-recursion): as deep as the library lets values be
  switch (value.kind) {
    case DebugValue::Kind::kNone:
      return py::none();
    case DebugValue::Kind::kInt:
      return py::int_(value.number);
    case DebugValue::Kind::kBool:
      return py::bool_(value.number != 0);
    case DebugValue::Kind::kDouble:
      return py::float_(value.real);
    case DebugValue::Kind::kText:
      return ToPython(value.text);
    case DebugValue::Kind::kTensor:
      return TensorTuple(value.tensor);
    case DebugValue::Kind::kList:
      return ListOf(value.items, [](const DebugValue& item) { return ValueObject(item); });
    case DebugValue::Kind::kDict:
      break;
  }
  py::dict dict;
  for (size_t i = 0; i < value.items.size(); ++i) dict[ToPython(value.keys[i])] = ValueObject(value.items[i]);
  return dict;
}

struct Dump {
  Profile profile;
  std::vector<BlockValues> values;  // without a debug buffer all elements are zero
};

py::dict BlockDict(const EventBlock& block, const BlockValues& values) {
  py::list events;
  for (size_t i = 0; i < block.events.size(); ++i) events.append(EventDict(block.events[i], values.events[i]));
  return py::dict("name"_a = ToPython(block.name), "bundled_input_index"_a = block.bundled_input_index,
                  "run_output"_a = ListOf(block.run_output, LoggedObject), "other_runs"_a = values.other_runs,
                  "events"_a = events, "methods"_a = ToPython(block.methods));
}

TimeScale ScaleCalled(const std::string& name) {
  const std::optional<TimeScale> scale = TimeScaleCalled(name);
  if (!scale) throw py::value_error("'" + name + "' is no time scale");
  return *scale;
}

struct Inputs {
  std::variant<std::shared_ptr<const Source>, std::string> dump;  // or its path
  EventScales scales;
  std::optional<std::string> record, debug_buffer;
  std::string graph;  // of the record
};

Result<std::shared_ptr<const Source>> OpenDump(const Inputs& inputs) {
  if (const auto* source = std::get_if<std::shared_ptr<const Source>>(&inputs.dump)) return *source;
  return OpenFileSource(std::get<std::string>(inputs.dump));
}

Result<std::shared_ptr<const Source>> OpenIfGiven(const std::optional<std::string>& file) {
  return file ? OpenFileSource(*file) : std::shared_ptr<const Source>();
}

Result<Dump> ReadDump(const Inputs& inputs) {
  PTEEDIT_ASSIGN(const std::shared_ptr<const Source> dump, OpenDump(inputs));
  PTEEDIT_ASSIGN(const std::shared_ptr<const Source> record, OpenIfGiven(inputs.record));
  PTEEDIT_ASSIGN(const std::shared_ptr<const Source> buffer, OpenIfGiven(inputs.debug_buffer));
  PTEEDIT_ASSIGN(Profile profile, Profile::Read({dump, {}, record, buffer, inputs.graph}, inputs.scales));
  if (profile.values()) return Dump{profile, *profile.values()};
  Result<std::vector<BlockValues>> values = ReadDebugValues(profile.blocks(), nullptr);
  if (!values) return Error(values.error()).In(dump->name());
  return Dump{std::move(profile), *std::move(values)};
}

using Path = std::filesystem::path;

// The blocks, and why expected outputs are not there.
py::tuple ReadBlocks(const std::variant<py::bytes, Path>& dump, const std::string& source_scale,
                     const std::string& target_scale, const std::optional<Path>& record,
                     const std::optional<Path>& debug_buffer, const std::string& graph) {
  Inputs inputs;
  inputs.scales = {ScaleCalled(source_scale), ScaleCalled(target_scale)};
  if (const auto* bytes = std::get_if<py::bytes>(&dump)) {
    inputs.dump = SourceOfBytes("<etdump_data>", *bytes);
  } else {
    inputs.dump = std::get<Path>(dump).string();
  }
  if (record) inputs.record = record->string();
  if (debug_buffer) inputs.debug_buffer = debug_buffer->string();
  inputs.graph = graph;
  const Dump read = Work({}, [&] { return ReadDump(inputs); });
  py::list blocks;
  const std::optional<ReferenceOutputs>& references = read.profile.references();
  for (size_t i = 0; i < read.values.size(); ++i) {
    py::dict block = BlockDict(read.profile.blocks()[i], read.values[i]);
    const bool has_reference = references && (*references)[i];
    const auto to_object = [](const DebugValue& value) { return ValueObject(value); };
    block["reference_output"] = has_reference ? py::object(ListOf(*(*references)[i], to_object)) : py::none();
    blocks.append(block);
  }
  return py::make_tuple(blocks, ToPython(read.profile.unread_references()));
}

py::dict Statistics(std::vector<double> raw) {
  if (raw.empty()) throw py::value_error("there are no samples");
  const PerfData perf = PerfDataOf(std::move(raw));
  return py::dict("p10"_a = perf.p10, "p50"_a = perf.p50, "p90"_a = perf.p90, "avg"_a = perf.avg);
}

// The texts of the programs called `graph`, by the names of their entries.
py::dict ListingsOf(const Path& record, const std::string& graph) {
  const std::string path = record.string();
  const auto read = [&]() -> Result<std::vector<ProgramListing>> {
    PTEEDIT_ASSIGN(const std::shared_ptr<const Source> source, OpenFileSource(path));
    auto programs = ListPrograms(source, graph);
    if (!programs) return Error(programs.error()).In(path);
    return programs;
  };
  py::dict texts;
  for (const ProgramListing& program : Work({}, read))
    texts[ToPython(program.graph)] = ToPython(TextOfListing(program));
  return texts;
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

py::str PrintedFrame(void (*print)(const cli::DataFrame&, std::ostream&), std::vector<std::string> columns,
                     const py::list& rows) {
  for (const py::handle& row : rows) {
    if (py::len(row) != columns.size()) throw py::value_error("a row has not one cell a column");
  }
  const auto row = [&](size_t i) {
    std::vector<Json> cells;
    for (const py::handle& cell : rows[i]) cells.push_back(CellOf(cell));
    return cells;
  };
  std::ostringstream text;
  print({std::move(columns), rows.size(), row}, text);
  return ToPython(std::move(text).str());
}

}  // namespace

void AddProfile(py::module_& module) {
  module.def("read_event_blocks", &ReadBlocks, "dump"_a, "source_scale"_a, "target_scale"_a, "record"_a = py::none(),
             "debug_buffer"_a = py::none(), "graph"_a = "");
  module.def("list_programs", &ListingsOf, "record"_a, "graph"_a);
  module.def("statistics", &Statistics, "raw"_a);
  module.def(
      "grid_text",
      [](std::vector<std::string> columns, const py::list& rows) {
        return PrintedFrame(cli::PrintGrid, std::move(columns), rows);
      },
      "columns"_a, "rows"_a);
  module.def(
      "tsv_text",
      [](std::vector<std::string> columns, const py::list& rows) {
        return PrintedFrame(cli::PrintTsv, std::move(columns), rows);
      },
      "columns"_a, "rows"_a);
}

}  // namespace pteedit::python
