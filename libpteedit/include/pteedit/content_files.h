// Files that are called by what is in them, so that a name never comes to mean other bytes: their contents are hashed
// while they are copied, and have their names then.
#ifndef PTEEDIT_CONTENT_FILES_H_
#define PTEEDIT_CONTENT_FILES_H_

#include <functional>
#include <string>
#include <vector>

#include "pteedit/export.h"
#include "pteedit/planned_file.h"
#include "pteedit/result.h"

namespace pteedit {

struct NamedContents {
  std::vector<std::string> names;  // of all files, without folders; files with equal ones are written once
  std::vector<Output> last;        // what is made of the names, such as a list of them
};

// Gets the SHA-256 of each file, in their order.
using NameContents = std::function<Result<NamedContents>(const std::vector<std::string>& sha256)>;

// As CheckWriteFolder, but an existing folder, which needs `replace`, keeps all that is in it.
PTEEDIT_API Status CheckContentFiles(const std::string& folder, const std::vector<PlannedFile>& files,
                                     const std::vector<std::string>& inputs, bool replace);

// Writes the files into `folder`, which is made where it is not there: then all appear together, else one after the
// other, those in `last` at the end and in the place of what has their names. A file that is there already stays, and
// fails with kMalformed where it holds other bytes. On any failure what was there before is there again. Fails also as
// WriteFiles and `name` do.
PTEEDIT_API Status WriteContentFiles(const std::string& folder, const std::vector<PlannedFile>& files,
                                     const NameContents& name, const std::vector<std::string>& inputs,
                                     const WriteOptions& options);

}  // namespace pteedit

#endif  // PTEEDIT_CONTENT_FILES_H_
