// Reading test data and making files to damage.
#ifndef PTEEDIT_TESTS_SUPPORT_TEST_FILES_H_
#define PTEEDIT_TESTS_SUPPORT_TEST_FILES_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "pteedit/container.h"
#include "temporary_folder.h"

namespace pteedit::test {

// The path of tests/data, and of a file there.
std::string DataFolder();
inline std::string DataPath(const std::string& name) { return DataFolder() + "/" + name; }

inline std::vector<uint8_t> ReadBytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << "cannot read " << path;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline void WriteBytes(const std::string& path, const std::vector<uint8_t>& bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

// Every .pte, .ptd and .bpte below tests/data, sorted.
inline std::vector<std::string> AllModelFiles() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(DataFolder())) {
    const std::string extension = entry.path().extension().string();
    if (extension == ".pte" || extension == ".ptd" || extension == ".bpte") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

inline Result<Container> OpenBytes(std::vector<uint8_t> bytes) {
  return Container::Open(MakeMemorySource("test.pte", std::move(bytes)));
}

// These fail the test where the file does not open.
inline Container OpenedBytes(std::vector<uint8_t> bytes, const std::string& name) {
  auto container = Container::Open(MakeMemorySource(name, std::move(bytes)));
  EXPECT_TRUE(container) << name << ": " << (container ? "" : container.error().message);
  return *container;
}
inline Container OpenFile(const std::string& path) {
  auto source = OpenFileSource(path);
  EXPECT_TRUE(source) << path << ": " << (source ? "" : source.error().message);
  auto container = Container::Open(*source);
  EXPECT_TRUE(container) << path << ": " << (container ? "" : container.error().message);
  return *container;
}

}  // namespace pteedit::test

#endif  // PTEEDIT_TESTS_SUPPORT_TEST_FILES_H_
