// Sources that read from Python objects, and what Python sees of their failures.
#ifndef PTEEDIT_PYTHON_SOURCES_H_
#define PTEEDIT_PYTHON_SOURCES_H_

#include <pybind11/pybind11.h>

#include <exception>
#include <memory>
#include <string>
#include <utility>

#include "pteedit/source.h"

namespace pteedit::python {

// What a Python function raised while the library read through it. The library knows only that the read failed; whoever
// called it raises this instead. Touched under the GIL only.
struct ReadFailure {
  std::exception_ptr raised;
};

// What the library holds may be destroyed by threads that do not hold the GIL, Python objects must not.
template <class T>
std::shared_ptr<T> ReleasedUnderGil(T object) {
  return std::shared_ptr<T>(new T(std::move(object)), [](T* owned) {
    const pybind11::gil_scoped_acquire gil;
    delete owned;
  });
}

// Looks at the bytes object, and keeps it.
std::shared_ptr<const Source> SourceOfBytes(std::string name, pybind11::bytes bytes);

// Looks at what lies in one piece behind the buffer protocol, and keeps it.
std::shared_ptr<const Source> SourceOfBuffer(std::string name, const pybind11::buffer& buffer);

// Calls `read(offset, size)`, which answers with `size` bytes, under the GIL and from any thread.
std::shared_ptr<const Source> SourceOfFunction(std::string name, uint64_t size, pybind11::function read,
                                               std::shared_ptr<ReadFailure> failure);

}  // namespace pteedit::python

#endif  // PTEEDIT_PYTHON_SOURCES_H_
