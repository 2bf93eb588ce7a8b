// A folder for files of a test.
#ifndef PTEEDIT_TESTS_SUPPORT_TEMPORARY_FOLDER_H_
#define PTEEDIT_TESTS_SUPPORT_TEMPORARY_FOLDER_H_

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace pteedit::test {

// Empty at first; it goes, with all in it, with the object.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "pteedit-test-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  // Names of what is in it, hidden files too, sorted.
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path_))
      names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }

 private:
  std::string path_;
};

}  // namespace pteedit::test

#endif  // PTEEDIT_TESTS_SUPPORT_TEMPORARY_FOLDER_H_
