#include "folder_files.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace pteedit::cli {

namespace fs = std::filesystem;

Result<FolderFiles> FilesIn(const std::string& folder) {
  FolderFiles files;
  std::error_code failed;
  fs::recursive_directory_iterator entry(folder, failed);
  for (; !failed && entry != fs::recursive_directory_iterator(); entry.increment(failed)) {
    const fs::path& path = entry->path();
    std::error_code unknown;
    if (fs::is_directory(path, unknown) || path.filename().string().starts_with('.')) continue;
    if (path.extension() == ".pte") files.programs.push_back(path.string());
    if (path.extension() == ".ptd") files.data.push_back(path.string());
  }
  if (failed) return IoError("cannot read the folder: " + failed.message()).In(folder);
  std::sort(files.programs.begin(), files.programs.end());
  std::sort(files.data.begin(), files.data.end());
  return files;
}

}  // namespace pteedit::cli
