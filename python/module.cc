// The Python module pteedit._pteedit: the library's API under its own names. Nothing is decided here; errors become
// exceptions, and the GIL is let go while the library works.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <filesystem>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "decoders.h"
#include "describe.h"
#include "errors.h"
#include "opened_file.h"
#include "package.h"
#include "profile.h"
#include "pteedit/container.h"
#include "pteedit/delegates.h"
#include "pteedit/describe.h"
#include "pteedit/diff.h"
#include "pteedit/names.h"
#include "pteedit/profile/name_files.h"
#include "pteedit/sizes.h"
#include "pteedit/text.h"
#include "pteedit/try.h"
#include "pteedit/version.h"
#include "reports.h"
#include "rewrite.h"
#include "tensors.h"
#include "text.h"
#include "text/format.h"
#include "text/reports.h"
#include "work.h"

namespace pteedit::python {
namespace {

namespace py = pybind11;

SizeNode Sizes(const OpenedFile& file, bool look_inside, const py::dict& decoders) {
  const SizeOptions options{look_inside, DecodersOf(decoders, file.failure())};
  return Work(file.failure(), [&] { return MeasureSizes(file.container(), options); });
}

py::object Delegates(const OpenedFile& file, const std::vector<OpenedFile>& data, const py::dict& decoders) {
  const std::vector<Container> containers = ContainersOf(data);
  const std::vector<BlobDecoder> functions = DecodersOf(decoders, file.failure());
  return ReportToPython(cli::ListOf(Work(file.failure(),
                                         [&] {
                                           return DescribeDelegates({file.container(), containers}, functions);
                                         }),
                                    cli::DelegateJson));
}

std::vector<std::string> NamesOf(const OpenedFile& file, const std::vector<OpenedFile>& data) {
  std::vector<std::string> names{file.container().name()};
  for (const OpenedFile& other : data) names.push_back(other.container().name());
  return names;
}

// What changed since `before`; each with its data files.
py::object Diff(const OpenedFile& file, const OpenedFile& before, const std::vector<OpenedFile>& old_data,
                const std::vector<OpenedFile>& data, const py::dict& decoders) {
  const std::vector<Container> old_containers = ContainersOf(old_data), containers = ContainersOf(data);
  const std::vector<BlobDecoder> functions = DecodersOf(decoders, file.failure());
  const FileDiff diff = Work(file.failure(), [&] {
    return DiffFiles({before.container(), old_containers}, {file.container(), containers}, 1, functions);
  });
  return ReportToPython(cli::DiffJson({NamesOf(before, old_data), NamesOf(file, data)}, diff));
}

// The names in files, and of contents as (name, bytes, SHA-256).
ContentNames ReadContentNames(const std::vector<std::filesystem::path>& files,
                              const std::vector<std::tuple<std::string, uint64_t, std::string>>& contents) {
  return Work(std::make_shared<ReadFailure>(), [&]() -> Result<ContentNames> {
    std::vector<ContentName> all;
    for (const std::filesystem::path& file : files) {
      PTEEDIT_ASSIGN(const std::shared_ptr<const Source> source, OpenFileSource(file.string()));
      PTEEDIT_ASSIGN(const std::vector<ContentName> names, ReadNames(source));
      all.insert(all.end(), names.begin(), names.end());
    }
    for (const auto& [name, bytes, hash] : contents) all.push_back({name, bytes, hash, {}});
    return ContentNames(std::move(all));
  });
}

void AddContainer(py::module_& module) {
  py::class_<ContentNames>(module, "ContentNames")
      .def(py::init(&ReadContentNames), py::arg("files") = py::list(), py::arg("contents") = py::list());
  py::class_<OpenedFile>(module, "Container")
      .def_static("open_file", &OpenedFile::OpenPath, py::arg("path"))
      .def_static("open_bytes", &OpenedFile::OpenBytes, py::arg("data"), py::arg("name"))
      .def_static("open_callback", &OpenedFile::OpenFunction, py::arg("read"), py::arg("size"), py::arg("name"))
      .def_property_readonly("kind", [](const OpenedFile& file) { return KindName(file.container().kind()); })
      .def_property_readonly("name", [](const OpenedFile& file) { return ToPython(file.container().name()); })
      .def_property_readonly("size", [](const OpenedFile& file) { return file.container().source()->size(); })
      .def("measure_sizes", &Sizes, py::arg("look_inside") = false, py::arg("decoders") = py::dict())
      .def("delegates", &Delegates, py::arg("data") = py::list(), py::arg("decoders") = py::dict())
      .def("diff", &Diff, py::arg("before"), py::arg("old_data") = py::list(), py::arg("data") = py::list(),
           py::arg("decoders") = py::dict())
      .def("named", &OpenedFile::Named, py::arg("names"))
      .def("describe", [](const OpenedFile& file) { return Describe(file.container()); });
  module.attr("__version__") = PTEEDIT_VERSION;
  module.def(
      "escape_control",
      [](const py::bytes& text) { return ToPython(EscapeControl(static_cast<std::string_view>(text))); },
      py::arg("text"));
}

}  // namespace
}  // namespace pteedit::python

PYBIND11_MODULE(_pteedit, module) {
  pteedit::python::AddErrors(module);
  pteedit::python::AddDescriptions(module);
  pteedit::python::AddContainer(module);
  pteedit::python::AddProfile(module);
  pteedit::python::AddPackage(module);
  pteedit::python::AddRewrites(module);
  pteedit::python::AddTensors(module);
}
