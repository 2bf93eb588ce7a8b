#include "pteedit/tensors.h"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "opened_file.h"
#include "pteedit/container.h"
#include "pteedit/source.h"
#include "pteedit/text.h"
#include "pteedit/try.h"
#include "rewrite.h"
#include "sources.h"
#include "tensors.h"
#include "text.h"
#include "threads.h"
#include "work.h"

namespace pteedit::python {
namespace {

namespace py = pybind11;
using py::literals::operator""_a;
using Path = std::filesystem::path;

// Key, element type, sizes, dim order; None instead of the type where there is no layout. Then the bytes: where they
// are in the file, or a buffer.
using LayoutWords = std::tuple<std::optional<std::string>, std::vector<int32_t>, std::vector<uint8_t>>;
using TensorWords = std::tuple<py::bytes, LayoutWords, py::buffer>;

void CheckIsData(const OpenedFile& file) {
  if (file.container().kind() != FileKind::kData)
    Raise(InvalidArgument("is a ." + std::string(KindName(file.container().kind())) + ", a data file expected")
              .In(file.container().name()));
}

py::list Tensors(const OpenedFile& file) {
  CheckIsData(file);
  py::list tensors;
  for (const StoredTensor& tensor : TensorsOf(file.container())) {
    const TensorLayout layout = tensor.layout.value_or(TensorLayout());
    std::vector<int> order(layout.dim_order.begin(), layout.dim_order.end());
    const py::object dtype = tensor.layout ? py::object(ToPython(ScalarTypeName(layout.scalar_type))) : py::none();
    tensors.append(py::make_tuple(ToPython(tensor.key), py::make_tuple(dtype, layout.sizes, order),
                                  tensor.extent.offset, tensor.extent.size));
  }
  return tensors;
}

std::optional<TensorLayout> LayoutOf(const std::string& key, const LayoutWords& words) {
  const auto& [dtype, sizes, order] = words;
  if (!dtype) return std::nullopt;
  for (int type = 0; type <= std::numeric_limits<int8_t>::max(); ++type) {
    const auto scalar_type = static_cast<int8_t>(type);
    if (ScalarTypeName(scalar_type) == *dtype) return TensorLayout{scalar_type, sizes, order};
  }
  throw py::type_error("tensor '" + EscapeControl(key) + "' has elements of type " + *dtype +
                       ", which data files have not");
}

// Buffers at one place are one content.
std::vector<StoredTensor> TensorsIn(const std::vector<TensorWords>& words) {
  std::map<std::pair<const void*, size_t>, std::shared_ptr<const Source>> sources;
  std::vector<StoredTensor> tensors;
  for (const auto& [key, layout, buffer] : words) {
    const auto name = static_cast<std::string>(key);
    const py::buffer_info info = buffer.request();
    const auto size = static_cast<size_t>(info.size * info.itemsize);
    std::shared_ptr<const Source>& source = sources[{info.ptr, size}];
    if (source == nullptr) source = SourceOfBuffer({}, buffer);
    tensors.push_back({name, LayoutOf(name, layout), source, {0, size}});
  }
  return tensors;
}

// Of these inputs one output.
Rewrite RewriteOf(PlannedTensors planned, const std::string& name, const PythonSource& from = {}) {
  const std::shared_ptr<const Source>& input = from.source;
  Rewrite rewrite;
  rewrite.report.tool = "pteedit.ptd";
  if (input != nullptr) {
    rewrite.report.inputs.push_back({input->name(), input->size(), {}, {}});
    rewrite.inputs.push_back(input->name());
    rewrite.read.insert(input);
    rewrite.failures = from.failure;
  }
  rewrite.Add(name, planned.file, "shared");
  rewrite.report.report = std::move(planned.report);
  return rewrite;
}

Rewrite PlanData(const std::vector<TensorWords>& words, const std::string& name, uint64_t alignment) {
  const std::vector<StoredTensor> tensors = TensorsIn(words);
  return Work({}, [&]() -> Result<Rewrite> {
    PTEEDIT_ASSIGN(PlannedTensors planned, PlanDataFile(tensors, name, alignment, cli::ThreadCount()));
    return RewriteOf(std::move(planned), name);
  });
}

Rewrite ToSafetensors(const OpenedFile& file, const std::string& name) {
  CheckIsData(file);
  return Work(file.failure(), [&]() -> Result<Rewrite> {
    PTEEDIT_ASSIGN(PlannedTensors planned, PlanCheckpoint(TensorsOf(file.container()), name));
    return RewriteOf(std::move(planned), name, {file.container().source(), file.failure()});
  });
}

Rewrite FromSafetensors(const PythonSource& file, const std::string& name, uint64_t alignment) {
  return Work(file.failure, [&]() -> Result<Rewrite> {
    PTEEDIT_ASSIGN(const std::vector<StoredTensor> tensors, ReadCheckpoint(file.source));
    PTEEDIT_ASSIGN(PlannedTensors planned, PlanDataFile(tensors, name, alignment, cli::ThreadCount()));
    return RewriteOf(std::move(planned), name, file);
  });
}

}  // namespace

void AddTensors(py::module_& module) {
  module.def("data_tensors", &Tensors, "file"_a);
  module.def("plan_data", &PlanData, "tensors"_a, "name"_a, "alignment"_a);
  module.def("to_safetensors", &ToSafetensors, "file"_a, "name"_a);
  module.def(
      "from_safetensors",
      [](const py::bytes& file, const std::string& name, uint64_t alignment) {
        return FromSafetensors({SourceOfBytes("<bytes>", file)}, name, alignment);
      },
      "file"_a, "name"_a, "alignment"_a);
  module.def(
      "from_safetensors",
      [](const Path& file, const std::string& name, uint64_t alignment) {
        return FromSafetensors(SourceOfPath(file), name, alignment);
      },
      "file"_a, "name"_a, "alignment"_a);
}

}  // namespace pteedit::python
