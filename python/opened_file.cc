#include "opened_file.h"

#include <algorithm>
#include <thread>

#include "work.h"

namespace pteedit::python {

namespace py = pybind11;

OpenedFile OpenedFile::OpenPath(const std::filesystem::path& path) {
  return Open(Work(std::make_shared<ReadFailure>(), [&] { return OpenFileSource(path.string()); }));
}

OpenedFile OpenedFile::OpenBytes(py::bytes bytes, std::string name) {
  return Open(SourceOfBytes(std::move(name), std::move(bytes)));
}

OpenedFile OpenedFile::OpenFunction(py::function read, uint64_t size, std::string name) {
  auto failure = std::make_shared<ReadFailure>();
  return Open(SourceOfFunction(std::move(name), size, std::move(read), failure), failure);
}

OpenedFile OpenedFile::Named(const ContentNames& names) const {
  Container named =
      Work(failure_, [&] { return names.Name(container_, std::max(1U, std::thread::hardware_concurrency())); });
  return {std::move(named), failure_};
}

OpenedFile OpenedFile::Open(std::shared_ptr<const Source> source, std::shared_ptr<ReadFailure> failure) {
  Container container = Work(failure, [&] { return Container::Open(std::move(source)); });
  return {std::move(container), std::move(failure)};
}

std::vector<Container> ContainersOf(const std::vector<OpenedFile>& files) {
  std::vector<Container> containers;
  for (const OpenedFile& file : files) containers.push_back(file.container());
  return containers;
}

}  // namespace pteedit::python
