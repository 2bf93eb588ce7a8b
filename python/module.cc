// The Python module pteedit._pteedit: the library's API under its own names. Nothing is decided here; errors become
// exceptions, and the GIL is let go while the library works.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "container.h"
#include "describe.h"
#include "errors.h"
#include "file_names.h"
#include "input_files.h"
#include "package.h"
#include "profile.h"
#include "pteedit/names.h"
#include "pteedit/profile/name_files.h"
#include "pteedit/text.h"
#include "pteedit/try.h"
#include "pteedit/version.h"
#include "rewrite.h"
#include "run.h"
#include "sources.h"
#include "tensors.h"
#include "text.h"
#include "work.h"

namespace pteedit::python {
namespace {

namespace py = pybind11;

int Inspect(const std::vector<std::string>& words) {
  std::vector<const char*> arguments{"pteinspect"};
  for (const std::string& word : words) arguments.push_back(word.c_str());
  const py::gil_scoped_release released;
  return cli::RunPteinspect(static_cast<int>(arguments.size()), arguments.data());
}

// The names in files, and of contents as (name, bytes, SHA-256).
ContentNames ReadContentNames(const std::vector<std::filesystem::path>& files,
                              const std::vector<std::tuple<std::string, uint64_t, std::string>>& contents) {
  return Work({}, [&]() -> Result<ContentNames> {
    std::vector<ContentName> all;
    for (const std::filesystem::path& file : files) {
      PTEEDIT_ASSIGN(const std::shared_ptr<const Source> source, cli::OpenWhole(file.string()));
      PTEEDIT_ASSIGN(const std::vector<ContentName> names, ReadNames(source));
      all.insert(all.end(), names.begin(), names.end());
    }
    for (const auto& [name, bytes, hash] : contents) all.push_back({name, bytes, hash, {}});
    return ContentNames(std::move(all));
  });
}

void AddNames(py::module_& module) {
  py::class_<ContentNames>(module, "ContentNames", "What contents are called in checkpoints, records and metadata.")
      .def(py::init(&ReadContentNames), py::arg("files") = py::list(), py::arg("contents") = py::list());
  module.def("inspect", &Inspect, py::arg("words"));
  module.def(
      "parse_set",
      [](const std::string& word) {
        const cli::NamedFiles set = Work({}, [&] { return cli::ParseNamedFiles(word); });
        return py::make_tuple(ToPython(set.name), ToPython(set.paths));
      },
      py::arg("word"));
  module.attr("__version__") = PTEEDIT_VERSION;
  module.def(
      "escape_control",
      [](const py::bytes& text) { return ToPython(EscapeControl(static_cast<std::string_view>(text))); },
      py::arg("text"));
}

}  // namespace
}  // namespace pteedit::python

PYBIND11_MODULE(_pteedit, module) {
  pteedit::cli::OpenUrlsWith(&pteedit::python::OpenUrl);
  pteedit::python::AddErrors(module);
  pteedit::python::AddDescriptions(module);
  pteedit::python::AddNames(module);
  pteedit::python::AddContainer(module);
  pteedit::python::AddProfile(module);
  pteedit::python::AddPackage(module);
  pteedit::python::AddRewrites(module);
  pteedit::python::AddTensors(module);
}
