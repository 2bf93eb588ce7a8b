#include "sources.h"

#include <cstring>
#include <string_view>

namespace pteedit::python {
namespace {

namespace py = pybind11;

Status Fill(const py::function& read, uint64_t offset, MutableByteSpan out) {
  const py::object answer = read(offset, out.size);
  if (!py::isinstance<py::bytes>(answer)) throw py::type_error("the read function did not answer with bytes");
  const auto bytes = static_cast<std::string_view>(py::reinterpret_borrow<py::bytes>(answer));
  if (bytes.size() != out.size) {
    return IoError("the read function gave " + std::to_string(bytes.size()) + " bytes, " + std::to_string(out.size) +
                   " expected");
  }
  if (out.size != 0) std::memcpy(out.data, bytes.data(), out.size);
  return {};
}

}  // namespace

std::shared_ptr<const Source> SourceOfBytes(std::string name, py::bytes bytes) {
  const auto text = static_cast<std::string_view>(bytes);
  const ByteSpan view = {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
  std::shared_ptr<const Source> source = MakeViewSource(std::move(name), view);
  const Source* address = source.get();
  return {address, [source = std::move(source), owner = ReleasedUnderGil(std::move(bytes))](const Source*) {}};
}

std::shared_ptr<const Source> SourceOfBuffer(std::string name, const py::buffer& buffer) {
  py::buffer_info info = buffer.request();
  const ByteSpan view = {static_cast<const uint8_t*>(info.ptr), static_cast<size_t>(info.size * info.itemsize)};
  std::shared_ptr<const Source> source = MakeViewSource(std::move(name), view);
  const Source* address = source.get();
  return {address, [source = std::move(source), owner = ReleasedUnderGil(std::move(info))](const Source*) {}};
}

std::shared_ptr<const Source> SourceOfFunction(std::string name, uint64_t size, py::function read,
                                               std::shared_ptr<ReadFailure> failure) {
  const auto call = [read = ReleasedUnderGil(std::move(read)), failure = std::move(failure)](
                        uint64_t offset, MutableByteSpan out) -> Status {
    const py::gil_scoped_acquire gil;
    try {
      return Fill(*read, offset, out);
    } catch (...) {  // the library is built without exceptions: none may pass through it
      failure->raised = std::current_exception();
      return IoError("the read function raised an exception");
    }
  };
  return MakeCallbackSource(std::move(name), size, call);
}

}  // namespace pteedit::python
