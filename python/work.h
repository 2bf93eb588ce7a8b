// Calls into the library, and its errors as exceptions.
#ifndef PTEEDIT_PYTHON_WORK_H_
#define PTEEDIT_PYTHON_WORK_H_

#include <pybind11/pybind11.h>

#include <exception>
#include <memory>
#include <string>
#include <utility>

#include "pteedit/result.h"
#include "pteedit/text.h"
#include "sources.h"
#include "text.h"

namespace pteedit::python {

// OSError where the system is to blame, else ValueError; the library's one line, with the file's name before it.
[[noreturn]] inline void Raise(const Error& error) {
  const std::string place = error.file.empty() ? "" : EscapeControl(error.file) + ": ";
  PyErr_SetObject(error.code == ErrorCode::kIo ? PyExc_OSError : PyExc_ValueError,
                  ToPython(place + error.message).ptr());
  throw pybind11::error_already_set();
}

// Calls into the library without the GIL. What a Python function raised meanwhile is raised on.
template <class Call>
auto Work(const std::shared_ptr<ReadFailure>& failure, const Call& call) {
  auto result = [&] {
    const pybind11::gil_scoped_release released;
    return call();
  }();
  if (!result && failure->raised) std::rethrow_exception(std::exchange(failure->raised, nullptr));
  if (!result) Raise(result.error());
  return *std::move(result);
}

}  // namespace pteedit::python

#endif  // PTEEDIT_PYTHON_WORK_H_
