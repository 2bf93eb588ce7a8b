// A file that Python has opened.
#ifndef PTEEDIT_PYTHON_OPENED_FILE_H_
#define PTEEDIT_PYTHON_OPENED_FILE_H_

#include <memory>
#include <utility>
#include <vector>

#include "pteedit/container.h"
#include "pteedit/names.h"
#include "sources.h"

namespace pteedit::python {

// A container, and what fails in Python while it is read.
class OpenedFile {
 public:
  static OpenedFile Open(const PythonSource& source);
  // Packages of the native backend, too.
  static OpenedFile OpenToLook(const PythonSource& source);
  OpenedFile Named(const ContentNames& names) const;

  const Container& container() const { return container_; }
  bool is_named() const { return is_named_; }
  const std::shared_ptr<ReadFailure>& failure() const { return failure_; }

 private:
  OpenedFile(Container container, std::shared_ptr<ReadFailure> failure, bool is_named = false)
      : container_(std::move(container)), failure_(std::move(failure)), is_named_(is_named) {}

  Container container_;
  std::shared_ptr<ReadFailure> failure_;
  bool is_named_;
};

std::vector<Container> ContainersOf(const std::vector<OpenedFile>& files);
Failures FailuresOf(const OpenedFile& file, const std::vector<OpenedFile>& others);
Failures FailuresOf(const std::vector<OpenedFile>& files);

}  // namespace pteedit::python

#endif  // PTEEDIT_PYTHON_OPENED_FILE_H_
