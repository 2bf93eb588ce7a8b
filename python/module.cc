// The Python module pteedit._pteedit: the library's API under its own names. Nothing is decided here; errors become
// exceptions, and the GIL is let go while the library works.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "decoders.h"
#include "describe.h"
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
#include "reports.h"
#include "sources.h"
#include "text.h"
#include "text/format.h"
#include "text/reports.h"
#include "work.h"

namespace pteedit::python {
namespace {

namespace py = pybind11;

// A container, and what fails in Python while it is read.
class OpenedFile {
 public:
  static OpenedFile OpenPath(const std::filesystem::path& path) {
    return Open(Work(std::make_shared<ReadFailure>(), [&] { return OpenFileSource(path.string()); }));
  }
  static OpenedFile OpenBytes(py::bytes bytes, std::string name) {
    return Open(SourceOfBytes(std::move(name), std::move(bytes)));
  }
  static OpenedFile OpenFunction(py::function read, uint64_t size, std::string name) {
    auto failure = std::make_shared<ReadFailure>();
    return Open(SourceOfFunction(std::move(name), size, std::move(read), failure), failure);
  }

  const Container& container() const { return container_; }
  OpenedFile Named(const ContentNames& names) const {
    Container named =
        Work(failure_, [&] { return names.Name(container_, std::max(1U, std::thread::hardware_concurrency())); });
    return {std::move(named), failure_};
  }
  SizeNode Sizes(bool look_inside, const py::dict& decoders) const {
    const SizeOptions options{look_inside, DecodersOf(decoders, failure_)};
    return Work(failure_, [&] { return MeasureSizes(container_, options); });
  }
  py::object Delegates(const std::vector<OpenedFile>& data, const py::dict& decoders) const {
    const std::vector<Container> containers = ContainersOf(data);
    const std::vector<BlobDecoder> functions = DecodersOf(decoders, failure_);
    return ReportToPython(cli::ListOf(Work(failure_,
                                           [&] {
                                             return DescribeDelegates({container_, containers}, functions);
                                           }),
                                      cli::DelegateJson));
  }
  // What changed since `before`; each with its data files.
  py::object Diff(const OpenedFile& before, const std::vector<OpenedFile>& old_data,
                  const std::vector<OpenedFile>& data, const py::dict& decoders) const {
    const std::vector<Container> old_containers = ContainersOf(old_data), containers = ContainersOf(data);
    const std::vector<BlobDecoder> functions = DecodersOf(decoders, failure_);
    const FileDiff diff = Work(failure_, [&] {
      return DiffFiles({before.container_, old_containers}, {container_, containers}, 1, functions);
    });
    return ReportToPython(cli::DiffJson({before.NamesWith(old_data), NamesWith(data)}, diff));
  }

 private:
  OpenedFile(Container container, std::shared_ptr<ReadFailure> failure)
      : container_(std::move(container)), failure_(std::move(failure)) {}

  static std::vector<Container> ContainersOf(const std::vector<OpenedFile>& files) {
    std::vector<Container> containers;
    for (const OpenedFile& file : files) containers.push_back(file.container_);
    return containers;
  }

  std::vector<std::string> NamesWith(const std::vector<OpenedFile>& data) const {
    std::vector<std::string> names{container_.name()};
    for (const OpenedFile& file : data) names.push_back(file.container_.name());
    return names;
  }

  static OpenedFile Open(std::shared_ptr<const Source> source,
                         std::shared_ptr<ReadFailure> failure = std::make_shared<ReadFailure>()) {
    Container container = Work(failure, [&] { return Container::Open(std::move(source)); });
    return {std::move(container), std::move(failure)};
  }

  Container container_;
  std::shared_ptr<ReadFailure> failure_;
};

// The names in files, and of contents as (name, bytes, SHA-256).
ContentNames NamesOf(const std::vector<std::filesystem::path>& files,
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
      .def(py::init(&NamesOf), py::arg("files") = py::list(), py::arg("contents") = py::list());
  py::class_<OpenedFile>(module, "Container")
      .def_static("open_file", &OpenedFile::OpenPath, py::arg("path"))
      .def_static("open_bytes", &OpenedFile::OpenBytes, py::arg("data"), py::arg("name"))
      .def_static("open_callback", &OpenedFile::OpenFunction, py::arg("read"), py::arg("size"), py::arg("name"))
      .def_property_readonly("kind", [](const OpenedFile& file) { return KindName(file.container().kind()); })
      .def_property_readonly("name", [](const OpenedFile& file) { return ToPython(file.container().name()); })
      .def_property_readonly("size", [](const OpenedFile& file) { return file.container().source()->size(); })
      .def("measure_sizes", &OpenedFile::Sizes, py::arg("look_inside") = false, py::arg("decoders") = py::dict())
      .def("delegates", &OpenedFile::Delegates, py::arg("data") = py::list(), py::arg("decoders") = py::dict())
      .def("diff", &OpenedFile::Diff, py::arg("before"), py::arg("old_data") = py::list(), py::arg("data") = py::list(),
           py::arg("decoders") = py::dict())
      .def("named", &OpenedFile::Named, py::arg("names"))
      .def("describe", [](const OpenedFile& file) { return Describe(file.container()); });
  module.def(
      "escape_control",
      [](const py::bytes& text) { return ToPython(EscapeControl(static_cast<std::string_view>(text))); },
      py::arg("text"));
}

}  // namespace
}  // namespace pteedit::python

PYBIND11_MODULE(_pteedit, module) {
  pteedit::python::AddDescriptions(module);
  pteedit::python::AddContainer(module);
  pteedit::python::AddProfile(module);
  pteedit::python::AddPackage(module);
}
