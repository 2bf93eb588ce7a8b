// A folder of outputs: programs and data files, and which of them belong together.
#ifndef PTEEDIT_TOOLS_OUTPUT_FOLDER_H_
#define PTEEDIT_TOOLS_OUTPUT_FOLDER_H_

#include <string>
#include <vector>

#include "pteedit/container.h"
#include "pteedit/result.h"

namespace pteedit::cli {

bool IsFolder(const std::string& path);

// Paths, sorted.
struct FolderFiles {
  std::vector<std::string> programs, data;
};

// The files in `folder` and those in it whose names end like `program_kinds` and .ptd; names that begin with a dot do
// not count. Fails with kIo.
Result<FolderFiles> FilesIn(const std::string& folder, const std::vector<std::string>& program_kinds);

// Those of `data` that belong to a program at `path`, one of `files`: they have a key that it needs, and lie in its
// folder or in one that this is in; of several that have the same key, those that are called after the program, else
// those that are called after no other. The outermost first. Fails as DescribeDelegates does.
Result<std::vector<Container>> DataFilesOf(const Container& program, const std::string& path, const FolderFiles& files,
                                           const std::vector<Container>& data);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_OUTPUT_FOLDER_H_
