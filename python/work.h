// Calls into the library, and its errors as exceptions.
#ifndef PTEEDIT_PYTHON_WORK_H_
#define PTEEDIT_PYTHON_WORK_H_

#include <pybind11/pybind11.h>

#include <exception>
#include <memory>
#include <string>
#include <utility>

#include "pteedit/result.h"
#include "sources.h"

namespace pteedit::python {

// OSError where the system is to blame, FileExistsError where an output is there already, else pteedit.Error; with the
// library's one line.
[[noreturn]] void Raise(const Error& error);

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

// Calls what answers with a Status.
template <class Call>
void WorkOnly(const std::shared_ptr<ReadFailure>& failure, const Call& call) {
  Work(failure, [&]() -> Result<bool> {
    Status status = call();
    if (!status) return std::move(status).error();
    return true;
  });
}

}  // namespace pteedit::python

#endif  // PTEEDIT_PYTHON_WORK_H_
