// A file that Python has opened.
#ifndef PTEEDIT_PYTHON_OPENED_FILE_H_
#define PTEEDIT_PYTHON_OPENED_FILE_H_

#include <pybind11/pybind11.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "pteedit/container.h"
#include "pteedit/names.h"
#include "sources.h"

namespace pteedit::python {

// A container, and what fails in Python while it is read.
class OpenedFile {
 public:
  static OpenedFile OpenPath(const std::filesystem::path& path);
  static OpenedFile OpenBytes(pybind11::bytes bytes, std::string name);
  static OpenedFile OpenFunction(pybind11::function read, uint64_t size, std::string name);
  static OpenedFile OpenSource(std::shared_ptr<const Source> source) { return Open(std::move(source)); }
  OpenedFile Named(const ContentNames& names) const;

  const Container& container() const { return container_; }
  const std::shared_ptr<ReadFailure>& failure() const { return failure_; }

 private:
  OpenedFile(Container container, std::shared_ptr<ReadFailure> failure)
      : container_(std::move(container)), failure_(std::move(failure)) {}
  static OpenedFile Open(std::shared_ptr<const Source> source,
                         std::shared_ptr<ReadFailure> failure = std::make_shared<ReadFailure>());

  Container container_;
  std::shared_ptr<ReadFailure> failure_;
};

std::vector<Container> ContainersOf(const std::vector<OpenedFile>& files);

}  // namespace pteedit::python

#endif  // PTEEDIT_PYTHON_OPENED_FILE_H_
