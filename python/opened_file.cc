#include "opened_file.h"

#include "threads.h"
#include "work.h"

namespace pteedit::python {

OpenedFile OpenedFile::Named(const ContentNames& names) const {
  Container named = Work(failure_, [&] { return names.Name(container_, cli::ThreadCount()); });
  return {std::move(named), failure_, true};
}

OpenedFile OpenedFile::Open(const PythonSource& source) {
  Container container = Work(source.failure, [&] { return Container::Open(source.source); });
  return {std::move(container), source.failure};
}

OpenedFile OpenedFile::OpenToLook(const PythonSource& source) {
  Container container = Work(source.failure, [&] { return Container::OpenToLook(source.source); });
  return {std::move(container), source.failure};
}

std::vector<Container> ContainersOf(const std::vector<OpenedFile>& files) {
  std::vector<Container> containers;
  for (const OpenedFile& file : files) containers.push_back(file.container());
  return containers;
}

Failures FailuresOf(const OpenedFile& file, const std::vector<OpenedFile>& others) {
  Failures failures = FailuresOf(others);
  failures.Add(file.failure());
  return failures;
}

Failures FailuresOf(const std::vector<OpenedFile>& files) {
  Failures failures;
  for (const OpenedFile& file : files) failures.Add(file.failure());
  return failures;
}

}  // namespace pteedit::python
