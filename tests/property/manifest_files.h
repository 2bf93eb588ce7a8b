// The real programs of tests/data.
#ifndef PTEEDIT_TESTS_PROPERTY_MANIFEST_FILES_H_
#define PTEEDIT_TESTS_PROPERTY_MANIFEST_FILES_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "laws.h"
#include "test_files.h"

namespace pteedit::test {

struct NamedFiles {
  std::string name;
  Files files;
  bool lacks_keys = false;  // that delegates of the program ask for
};

// The manifest's programs with the data files that belong to them.
inline const std::vector<NamedFiles>& ManifestFiles() {
  static const std::vector<NamedFiles> all = [] {
    std::vector<NamedFiles> list;
    std::ifstream file(DataPath("manifest.json"));
    const nlohmann::json manifest = nlohmann::json::parse(file);
    for (const auto& entry : manifest["entries"]) {
      const std::string program = entry["pte"];
      NamedFiles one{program, {ReadBytes(DataPath(program)), {}, 16}, entry.value("lacks_keys", false)};
      for (const std::string data : entry["data"]) one.files.data.push_back(ReadBytes(DataPath(data)));
      list.push_back(std::move(one));
    }
    return list;
  }();
  return all;
}

template <class Law>
void ForEachProgram(Law law) {
  ASSERT_FALSE(ManifestFiles().empty());
  for (const NamedFiles& one : ManifestFiles()) EXPECT_EQ(law(one.files), "") << one.name;
}

inline bool IsBundle(const Files& files) {
  return std::equal(files.program.begin() + 4, files.program.begin() + 8, "BP08");
}

}  // namespace pteedit::test

#endif  // PTEEDIT_TESTS_PROPERTY_MANIFEST_FILES_H_
