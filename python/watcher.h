// Work that takes a while, and Python beside it.
#ifndef PTEEDIT_PYTHON_WATCHER_H_
#define PTEEDIT_PYTHON_WATCHER_H_

#include <pybind11/pybind11.h>

#include <exception>
#include <functional>
#include <memory>

#include "sources.h"

namespace pteedit::python {

// A Python function that is told of the progress, or None. What it raises stops the work and is raised on; so does
// Ctrl-C.
class Watcher {
 public:
  explicit Watcher(const pybind11::object& function) {
    failure_->calls_python = true;
    if (!function.is_none()) function_ = ReleasedUnderGil(pybind11::function(function));
  }

  // With what fails while `inputs` are read.
  Failures FailuresWith(Failures inputs) const {
    inputs.Add(failure_);
    return inputs;
  }
  const std::shared_ptr<ReadFailure>& failure() const { return failure_; }
  std::function<bool(uint64_t done, uint64_t total)> Function() const {
    return [function = function_, failure = failure_](uint64_t done, uint64_t total) {
      const pybind11::gil_scoped_acquire gil;
      try {
        if (PyErr_CheckSignals() != 0) throw pybind11::error_already_set();
        if (function != nullptr) (*function)(done, total);
        return true;
      } catch (...) {
        failure->raised = std::current_exception();
        return false;
      }
    };
  }

 private:
  std::shared_ptr<pybind11::function> function_;
  std::shared_ptr<ReadFailure> failure_ = std::make_shared<ReadFailure>();
};

}  // namespace pteedit::python

#endif  // PTEEDIT_PYTHON_WATCHER_H_
