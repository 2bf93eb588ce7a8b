#include "container.h"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "decoders.h"
#include "input_files.h"
#include "looks.h"
#include "opened_file.h"
#include "pteedit/archive_member.h"
#include "pteedit/container.h"
#include "pteedit/delegates.h"
#include "pteedit/describe.h"
#include "pteedit/diff.h"
#include "pteedit/requirements.h"
#include "pteedit/same.h"
#include "pteedit/size_groups.h"
#include "pteedit/sizes.h"
#include "pteedit/source.h"
#include "pteedit/try.h"
#include "pteedit/verify.h"
#include "reports.h"
#include "sources.h"
#include "text.h"
#include "text/reports.h"
#include "threads.h"
#include "views/page.h"
#include "work.h"

namespace pteedit::python {
namespace {

namespace py = pybind11;
using py::literals::operator""_a;
using DataFiles = std::vector<OpenedFile>;

ProgramSet SetOf(const OpenedFile& file, const DataFiles& data) { return {file.container(), ContainersOf(data)}; }

SizeNode Sizes(const OpenedFile& file, bool look_inside, const py::dict& decoders) {
  Failures failures = file.failure();
  const SizeOptions options{
      .look_inside = look_inside, .decoders = DecodersOf(decoders, failures), .pieces = SizePieces::kNone};
  return Work(failures, [&] { return MeasureSizes(file.container(), options); });
}

std::vector<DelegateDescription> DelegatesOf(const OpenedFile& file, const DataFiles& data, const py::dict& decoders) {
  Failures failures = FailuresOf(file, data);
  const std::vector<BlobDecoder> functions = DecodersOf(decoders, failures);
  return Work(failures, [&] { return DescribeDelegates(SetOf(file, data), functions); });
}

// With the offsets of their blobs in the file.
py::list Delegates(const OpenedFile& file, const DataFiles& data, const py::dict& decoders) {
  return ListOf(DelegatesOf(file, data, decoders), [](const DelegateDescription& delegate) {
    return py::make_tuple(ReportToPython(cli::DelegateJson(delegate)), delegate.blob.offset);
  });
}

py::object RequirementsOf(const OpenedFile& file, const DataFiles& data, const py::dict& decoders) {
  const std::vector<DelegateDescription> delegates = DelegatesOf(file, data, decoders);
  return ReportToPython(cli::RequirementsJson(DescribeRequirements(SetOf(file, data), delegates)));
}

// Names on the axes, and bytes.
py::list SizesBy(const OpenedFile& file, const std::vector<std::string>& names, const DataFiles& data,
                 const py::dict& decoders) {
  std::vector<SizeAxis> axes;
  for (const std::string& name : names) {
    for (const SizeAxis axis : AllSizeAxes()) {
      if (name == NameOf(axis)) axes.push_back(axis);
    }
  }
  Failures failures = FailuresOf(file, data);
  const std::vector<BlobDecoder> functions = DecodersOf(decoders, failures);
  return ListOf(Work(failures, [&] { return GroupSizes(SetOf(file, data), axes, functions); }),
                [](const SizeGroup& group) { return py::make_tuple(ToPython(group.names), group.bytes); });
}

// Kind, name, bytes and the bytes of each component.
py::list Retained(const OpenedFile& file, const DataFiles& data, const py::dict& decoders) {
  Failures failures = FailuresOf(file, data);
  const std::vector<BlobDecoder> functions = DecodersOf(decoders, failures);
  return ListOf(Work(failures, [&] { return MeasureRetained(SetOf(file, data), functions); }),
                [](const RetainedSize& one) {
                  return py::make_tuple(NameOf(one.kind), ToPython(one.name), one.bytes, one.components);
                });
}

std::vector<std::string> NamesOf(const OpenedFile& file, const DataFiles& data) {
  std::vector<std::string> names{file.container().name()};
  for (const OpenedFile& other : data) names.push_back(other.container().name());
  return names;
}

// What changed since `before`; each with its data files.
py::object Diff(const OpenedFile& file, const OpenedFile& before, const DataFiles& old_data, const DataFiles& data,
                const py::dict& decoders) {
  Failures failures = FailuresOf(file, data);
  failures.Add(FailuresOf(before, old_data));
  const std::vector<BlobDecoder> functions = DecodersOf(decoders, failures);
  const FileDiff diff = Work(
      failures, [&] { return DiffFiles(SetOf(before, old_data), SetOf(file, data), cli::ThreadCount(), functions); });
  return ReportToPython(cli::DiffJson({NamesOf(before, old_data), NamesOf(file, data)}, diff));
}

// Where and how they differ first, or None.
py::object FirstDifference(const OpenedFile& file, const OpenedFile& other, const DataFiles& data,
                           const DataFiles& other_data, bool stack_traces) {
  Failures failures = FailuresOf(file, data);
  failures.Add(FailuresOf(other, other_data));
  const std::optional<Difference> found =
      Work(failures, [&] { return FindDifference(SetOf(file, data), SetOf(other, other_data), {stack_traces}); });
  if (!found) return py::none();
  return py::make_tuple(ToPython(found->where), ToPython(found->message));
}

// A list for each file, its name in front of its findings.
py::list VerifySources(const PythonSource& file, const std::vector<PythonSource>& data, bool hash_keys) {
  Failures failures = file.failure;
  std::vector<std::shared_ptr<const Source>> sources;
  for (const PythonSource& other : data) {
    failures.Add(other.failure);
    sources.push_back(other.source);
  }
  const auto all = Work(failures, [&] { return Verify(file.source, sources, {hash_keys, cli::ThreadCount()}); });
  return ListOf(all, [](const FileFindings& found) {
    return py::make_tuple(ToPython(found.file), ReportToPython(cli::FindingsJson(found.findings)));
  });
}

// The page of pteinspect --html with these views, or all.
py::str Page(const OpenedFile& file, const DataFiles& data, const py::dict& decoders,
             const std::vector<std::string>& options) {
  Failures failures = FailuresOf(file, data);
  const std::vector<BlobDecoder> functions = DecodersOf(decoders, failures);
  return ToPython(Work(failures, [&] { return cli::PageOf(SetOf(file, data), options, functions, file.is_named()); }));
}

py::bytes ReadBytes(const PythonSource& file, uint64_t offset, uint64_t size) {
  PyObject* made = PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(size));
  if (made == nullptr) throw py::error_already_set();
  const auto bytes = py::reinterpret_steal<py::bytes>(made);
  auto* data = reinterpret_cast<uint8_t*>(PyBytes_AsString(made));
  WorkOnly(file.failure, [&] { return file.source->Read(offset, {data, static_cast<size_t>(size)}); });
  return bytes;
}

// Descriptor and offset, for mapping; None where there is no file.
py::object PlaceOf(const PythonSource& file) {
  const Source::FilePlace place = file.source->file_place();
  if (place.descriptor < 0) return py::none();
  return py::make_tuple(place.descriptor, place.offset);
}

bool IsArchive(const std::filesystem::path& path) {
  const auto file = Work({}, [&] { return cli::OpenWhole(path.string()); });
  return Work({}, [&] { return ProgramOrItself(file); }) != file;
}

PythonSource OpenBytes(py::bytes bytes, std::string name) { return {SourceOfBytes(std::move(name), std::move(bytes))}; }

void AddSources(py::module_& module) {
  py::class_<PythonSource>(module, "Source")
      .def_static("open_file", &SourceOfPath, "path"_a)
      .def_static("open_bytes", &OpenBytes, "data"_a, "name"_a)
      .def_static("open_callback", &SourceOfFunction, "read"_a, "size"_a, "name"_a)
      .def_property_readonly("name", [](const PythonSource& file) { return ToPython(file.source->name()); })
      .def_property_readonly("size", [](const PythonSource& file) { return file.source->size(); })
      .def_property_readonly("content", [](const PythonSource& file) { return BytesBehind(*file.source); })
      .def_property_readonly("place", &PlaceOf)
      .def("read", &ReadBytes, "offset"_a, "size"_a);
  module.def("verify", &VerifySources, "file"_a, "data"_a, "hash_keys"_a);
  module.def("is_archive", &IsArchive, "path"_a);
  module.def(
      "data_inside", [](const std::filesystem::path& path) { return ToPython(cli::WithDataInside(path.string(), {})); },
      "path"_a);
}

}  // namespace

void AddContainer(py::module_& module) {
  AddSources(module);
  py::class_<OpenedFile> container(
      module, "Container",
      "An opened and checked file, as the C++ library has it: what pteedit.open's views are made of.");
  container.def_static("open", &OpenedFile::Open, "source"_a)
      .def_static("open_to_look", &OpenedFile::OpenToLook, "source"_a)
      .def_static(
          "open_file", [](const std::filesystem::path& path) { return OpenedFile::Open(SourceOfPath(path)); }, "path"_a)
      .def_static(
          "open_bytes",
          [](py::bytes data, std::string name) {
            return OpenedFile::Open(OpenBytes(std::move(data), std::move(name)));
          },
          "data"_a, "name"_a)
      .def_static(
          "open_callback",
          [](py::function read, uint64_t size, std::string name) {
            return OpenedFile::Open(SourceOfFunction(std::move(read), size, std::move(name)));
          },
          "read"_a, "size"_a, "name"_a)
      .def_property_readonly("kind", [](const OpenedFile& file) { return KindName(file.container().kind()); })
      .def_property_readonly("name", [](const OpenedFile& file) { return ToPython(file.container().name()); })
      .def_property_readonly("size", [](const OpenedFile& file) { return file.container().source()->size(); })
      .def_property_readonly("source",
                             [](const OpenedFile& file) {
                               return PythonSource{file.container().source(), file.failure()};
                             })
      .def("measure_sizes", &Sizes, "look_inside"_a = false, "decoders"_a = py::dict())
      .def("delegates", &Delegates, "data"_a, "decoders"_a)
      .def("requirements", &RequirementsOf, "data"_a, "decoders"_a)
      .def("diff", &Diff, "before"_a, "old_data"_a = py::list(), "data"_a = py::list(), "decoders"_a = py::dict())
      .def("first_difference", &FirstDifference, "other"_a, "data"_a, "other_data"_a, "stack_traces"_a)
      .def("sizes_by", &SizesBy, "axes"_a, "data"_a, "decoders"_a)
      .def("retained", &Retained, "data"_a, "decoders"_a)
      .def("page", &Page, "data"_a, "decoders"_a, "options"_a)
      .def("named", &OpenedFile::Named, "names"_a)
      .def(
          "describe", [](const OpenedFile& file) { return Describe(file.container()); },
          py::call_guard<py::gil_scoped_release>());
  AddLooks(container);
}

}  // namespace pteedit::python
