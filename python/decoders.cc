#include "decoders.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "pteedit/text.h"
#include "pteedit/try.h"
#include "text.h"

namespace pteedit::python {
namespace {

namespace py = pybind11;

using Answer = Result<std::optional<BlobMetadata>>;

Result<py::bytes> BytesOf(const Source& blob) {
  py::bytes bytes(nullptr, blob.size());
  const MutableByteSpan span{reinterpret_cast<uint8_t*>(PyBytes_AsString(bytes.ptr())),
                             static_cast<size_t>(blob.size())};
  PTEEDIT_TRY(blob.Read(0, span));
  return bytes;
}

py::list SpecsOf(const BlobView& view) {
  py::list specs;
  for (const BlobCompileSpec& spec : view.compile_specs) {
    const py::bytes value(reinterpret_cast<const char*>(spec.value.data), spec.value.size);
    specs.append(py::make_tuple(ToPython(spec.key), value));
  }
  return specs;
}

// What the function says, or why the blob is opaque.
Answer Ask(const py::object& function, const BlobView& view, const py::bytes& blob) {
  std::string text;
  try {
    const py::object answer = function(blob, ToPython(view.backend), SpecsOf(view));
    if (answer.is_none()) return std::optional<BlobMetadata>();
    text = py::cast<std::string>(py::module_::import("json").attr("dumps")(answer));
  } catch (py::error_already_set& raised) {
    if (!raised.matches(PyExc_Exception)) throw;
    return Unsupported("the decoder function raised " + EscapeControl(py::cast<std::string>(py::repr(raised.value()))));
  }
  Result<BlobMetadata> metadata = ParseBlobMetadata(text);
  if (!metadata) return Unsupported("the decoder function's answer is wrong: " + metadata.error().message);
  PTEEDIT_TRY(CheckFits(*metadata, view.blob->size()));
  return std::optional(*std::move(metadata));
}

Answer AskAndWarn(const py::dict& functions, const BlobView& view) {
  const py::str backend = ToPython(view.backend);
  if (!functions.contains(backend)) return std::optional<BlobMetadata>();
  PTEEDIT_ASSIGN(const py::bytes blob, BytesOf(*view.blob));
  Answer answer = Ask(functions[backend], view, blob);
  if (answer) return answer;
  const std::string warning = "processed blob of '" + EscapeControl(view.delegate) + "' is taken as opaque: ";
  py::module_::import("pteedit._decoders").attr("warn")(warning + answer.error().message);
  return answer;
}

}  // namespace

std::vector<BlobDecoder> DecodersOf(py::dict functions, Failures& failures) {
  if (functions.empty()) return {};
  auto failure = std::make_shared<ReadFailure>();
  failure->calls_python = true;
  failures.Add(failure);
  const auto call = [functions = ReleasedUnderGil(std::move(functions)), failure](const BlobView& view) -> Answer {
    const py::gil_scoped_acquire gil;
    try {
      return AskAndWarn(*functions, view);
    } catch (...) {  // the library is built without exceptions: none may pass through it
      failure->raised = std::current_exception();
      return IoError("the decoder function was interrupted");
    }
  };
  return {RememberAnswers(call)};
}

}  // namespace pteedit::python
