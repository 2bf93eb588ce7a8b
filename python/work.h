// Calls into the library, and its errors as exceptions.
#ifndef PTEEDIT_PYTHON_WORK_H_
#define PTEEDIT_PYTHON_WORK_H_

#include <pybind11/pybind11.h>

#include <future>
#include <optional>
#include <utility>

#include "pteedit/result.h"
#include "sources.h"

namespace pteedit::python {

// OSError where the system is to blame, FileExistsError where an output is there already, else pteedit.Error; with the
// library's one line.
[[noreturn]] void Raise(const Error& error);

// Whether this is the thread that Python tells of Ctrl-C.
bool IsMainThread();

// Waits until `is_done`, without the GIL. After Ctrl-C, whose exception is raised in the end, nothing more is read.
void WaitOrStop(std::future<void>& is_done, const Failures& failures);

// Calls into the library without the GIL. What a Python function raised meanwhile is raised on, and so is Ctrl-C.
template <class Call>
auto Work(const Failures& failures, const Call& call) {
  std::optional<decltype(call())> result;
  if (failures.call_python() || !IsMainThread()) {
    const pybind11::gil_scoped_release released;
    result.emplace(call());
  } else {
    std::future<void> is_done = std::async(std::launch::async, [&] { result.emplace(call()); });
    WaitOrStop(is_done, failures);
  }
  failures.RaiseOn();
  if (!*result) Raise(result->error());
  return **std::move(result);
}

// Calls what answers with a Status.
template <class Call>
void WorkOnly(const Failures& failures, const Call& call) {
  Work(failures, [&]() -> Result<bool> {
    Status status = call();
    if (!status) return std::move(status).error();
    return true;
  });
}

}  // namespace pteedit::python

#endif  // PTEEDIT_PYTHON_WORK_H_
