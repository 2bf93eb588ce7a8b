// Sources that read from Python objects, and what Python sees of their failures.
#ifndef PTEEDIT_PYTHON_SOURCES_H_
#define PTEEDIT_PYTHON_SOURCES_H_

#include <pybind11/pybind11.h>

#include <atomic>
#include <exception>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "pteedit/source.h"

namespace pteedit::python {

// What a Python function raised while the library read through it. The library knows only that the read failed; whoever
// called it raises this instead. `raised` is touched under the GIL only.
struct ReadFailure {
  std::exception_ptr raised;
  bool calls_python = false;         // reading runs Python, in which Ctrl-C is raised by itself
  std::atomic<bool> stopped{false};  // by Ctrl-C: nothing more is read
};

// Of all that one piece of work reads.
class Failures {
 public:
  Failures() = default;
  Failures(std::shared_ptr<ReadFailure> one) { Add(std::move(one)); }  // NOLINT: one alone

  void Add(std::shared_ptr<ReadFailure> one) { all_.push_back(std::move(one)); }
  void Add(const Failures& others) { all_.insert(all_.end(), others.all_.begin(), others.all_.end()); }
  bool call_python() const;
  void Stop(bool stopped) const;
  // Raises on what was raised, if anything was.
  void RaiseOn() const;

 private:
  std::vector<std::shared_ptr<ReadFailure>> all_;
};

// Bytes that Python brought, and what fails in Python while they are read.
struct PythonSource {
  std::shared_ptr<const Source> source;
  std::shared_ptr<ReadFailure> failure = std::make_shared<ReadFailure>();
};

// What the library holds may be destroyed by threads that do not hold the GIL, Python objects must not.
template <class T>
std::shared_ptr<T> ReleasedUnderGil(T object) {
  return std::shared_ptr<T>(new T(std::move(object)), [](T* owned) {
    const pybind11::gil_scoped_acquire gil;
    delete owned;
  });
}

// Opens it with pteedit._remote, whose errors become ours.
Result<std::shared_ptr<const Source>> OpenUrl(const std::string& url);

// Another source until Ctrl-C. What the library makes is given to Python as such: it has no type information of its
// own.
PythonSource Stoppable(std::shared_ptr<const Source> source);

// A file or URL, or what an archive has under its name, see cli::OpenPath.
PythonSource SourceOfPath(const std::filesystem::path& path);

// Looks at the bytes object, and keeps it.
std::shared_ptr<const Source> SourceOfBytes(std::string name, pybind11::bytes bytes);

// Looks at what lies in one piece behind the buffer protocol, and keeps it.
std::shared_ptr<const Source> SourceOfBuffer(std::string name, const pybind11::buffer& buffer);

// The bytes object that a source looks at; None where it does not look at one.
pybind11::object BytesBehind(const Source& source);

// Calls `read(offset, size)`, which answers with `size` bytes, under the GIL and from any thread.
PythonSource SourceOfFunction(pybind11::function read, uint64_t size, std::string name);

}  // namespace pteedit::python

#endif  // PTEEDIT_PYTHON_SOURCES_H_
