// The programs and data files in a folder.
#ifndef PTEEDIT_TOOLS_FOLDER_FILES_H_
#define PTEEDIT_TOOLS_FOLDER_FILES_H_

#include <string>
#include <vector>

#include "pteedit/result.h"

namespace pteedit::cli {

// Paths, sorted.
struct FolderFiles {
  std::vector<std::string> programs, data;
};

// All in it and in the folders inside, but for hidden ones. Fails with kIo.
Result<FolderFiles> FilesIn(const std::string& folder);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_FOLDER_FILES_H_
