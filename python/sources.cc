#include "sources.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <string_view>

#include "input_files.h"
#include "text.h"
#include "work.h"

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

// What Python raised about a URL; needs the GIL.
Error ErrorOf(const py::error_already_set& raised) {
  const py::object value = raised.value();
  const bool is_io = raised.matches(PyExc_OSError);
  const py::object words = is_io ? value.attr("strerror") : py::object(py::none());
  Error error = is_io ? IoError("") : Unsupported("");
  error.message = py::cast<std::string>(py::str(words.is_none() ? value : words));
  if (is_io && !value.attr("errno").is_none()) error.system_error = py::cast<int>(value.attr("errno"));
  return error;
}

// Looks at a bytes object.
class BytesSource : public Source {
 public:
  BytesSource(std::string name, py::bytes bytes)
      : view_(MakeViewSource(std::move(name), ViewOf(bytes))), bytes_(ReleasedUnderGil(std::move(bytes))) {}

  const std::string& name() const override { return view_->name(); }
  uint64_t size() const override { return view_->size(); }
  Status Read(uint64_t offset, MutableByteSpan out) const override { return view_->Read(offset, out); }
  const py::bytes& bytes() const { return *bytes_; }

 private:
  static ByteSpan ViewOf(const py::bytes& bytes) {
    const auto text = static_cast<std::string_view>(bytes);
    return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
  }

  const std::shared_ptr<const Source> view_;
  const std::shared_ptr<py::bytes> bytes_;
};

// Another source until Ctrl-C.
class StoppableSource : public Source {
 public:
  StoppableSource(std::shared_ptr<const Source> source, std::shared_ptr<ReadFailure> failure)
      : source_(std::move(source)), failure_(std::move(failure)) {}

  const std::string& name() const override { return source_->name(); }
  uint64_t size() const override { return source_->size(); }
  Status Read(uint64_t offset, MutableByteSpan out) const override {
    if (failure_->stopped) return IoError("reading was interrupted");
    return source_->Read(offset, out);
  }
  FilePlace file_place() const override { return source_->file_place(); }
  std::optional<Sha256Bytes> known_sha256(Extent part) const override { return source_->known_sha256(part); }

 private:
  const std::shared_ptr<const Source> source_;
  const std::shared_ptr<ReadFailure> failure_;
};

}  // namespace

bool Failures::call_python() const {
  return std::any_of(all_.begin(), all_.end(), [](const auto& one) { return one->calls_python; });
}

void Failures::Stop(bool stopped) const {
  for (const auto& one : all_) one->stopped = stopped;
}

void Failures::RaiseOn() const {
  std::exception_ptr first;
  for (const auto& one : all_) {
    std::exception_ptr raised = std::exchange(one->raised, nullptr);
    if (first == nullptr) first = std::move(raised);
  }
  if (first != nullptr) std::rethrow_exception(first);
}

Result<std::shared_ptr<const Source>> OpenUrl(const std::string& url) {
  const py::gil_scoped_acquire gil;
  try {
    const py::object file = py::module_::import("pteedit._remote").attr("open_url")(ToPython(url));
    const auto read = ReleasedUnderGil(py::function(file.attr("read")));
    const auto call = [read](uint64_t offset, MutableByteSpan out) -> Status {
      const py::gil_scoped_acquire held;
      try {
        return Fill(*read, offset, out);
      } catch (const py::error_already_set& raised) {
        return ErrorOf(raised);
      }
    };
    return MakeCallbackSource(url, py::cast<uint64_t>(file.attr("size")), call);
  } catch (const py::error_already_set& raised) {
    return ErrorOf(raised).In(url);
  }
}

PythonSource Stoppable(std::shared_ptr<const Source> source) {
  auto failure = std::make_shared<ReadFailure>();
  return {std::make_shared<StoppableSource>(std::move(source), failure), failure};
}

PythonSource SourceOfPath(const std::filesystem::path& path) {
  return Stoppable(Work({}, [&] { return cli::OpenPath(path.string()); }));
}

std::shared_ptr<const Source> SourceOfBytes(std::string name, py::bytes bytes) {
  return std::make_shared<BytesSource>(std::move(name), std::move(bytes));
}

py::object BytesBehind(const Source& source) {
  const auto* bytes = dynamic_cast<const BytesSource*>(&source);
  return bytes == nullptr ? py::object(py::none()) : py::object(bytes->bytes());
}

std::shared_ptr<const Source> SourceOfBuffer(std::string name, const py::buffer& buffer) {
  py::buffer_info info = buffer.request();
  const ByteSpan view = {static_cast<const uint8_t*>(info.ptr), static_cast<size_t>(info.size * info.itemsize)};
  std::shared_ptr<const Source> source = MakeViewSource(std::move(name), view);
  const Source* address = source.get();
  return {address, [source = std::move(source), owner = ReleasedUnderGil(std::move(info))](const Source*) {}};
}

PythonSource SourceOfFunction(py::function read, uint64_t size, std::string name) {
  auto failure = std::make_shared<ReadFailure>();
  failure->calls_python = true;
  const auto call = [read = ReleasedUnderGil(std::move(read)), failure](uint64_t offset,
                                                                        MutableByteSpan out) -> Status {
    const py::gil_scoped_acquire gil;
    try {
      return Fill(*read, offset, out);
    } catch (...) {  // the library is built without exceptions: none may pass through it
      failure->raised = std::current_exception();
      return IoError("the read function raised an exception");
    }
  };
  return {MakeCallbackSource(std::move(name), size, call), failure};
}

}  // namespace pteedit::python
