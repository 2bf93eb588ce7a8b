// The long part of writing: outputs complete, checked against their plans and closed to all writers, but not in their
// places yet.
#ifndef PTEEDIT_SRC_IO_SEALED_FILES_H_
#define PTEEDIT_SRC_IO_SEALED_FILES_H_

#include <string>
#include <vector>

#include "io/temporary_file.h"
#include "pteedit/planned_file.h"
#include "pteedit/result.h"

namespace pteedit {

struct SealedFile {
  TemporaryFile file;
  WrittenFile written;
};

// That the file systems have the space for the outputs, which will lie where WriteSealed puts them. Fails with kIo.
Status CheckSpace(const std::vector<Output>& outputs, const std::string& folder);

// In the order of the outputs. They lie in `folder`, or each in the folder of its path where that is empty. Fails with
// kIo, or as reading the sources does, and leaves nothing then.
Result<std::vector<SealedFile>> WriteSealed(const std::vector<Output>& outputs, const std::string& folder,
                                            const std::vector<std::string>& inputs, const WriteOptions& options);

// The same with what `options.settle` says that the outputs are: of those that came out otherwise than foretold, only
// what differs is written again, and all of one that has another size.
Result<std::vector<SealedFile>> WriteForetold(const std::vector<Output>& outputs,
                                              const std::vector<std::string>& inputs, const WriteOptions& options);

// Moves all files to the places that `written` says, in their order, or none, and removes what is left of the way
// there.
Status PublishFiles(std::vector<SealedFile>& files, bool replace);

// The same with files that come together as the folder `place`; `paths` count from it.
Status PublishFolder(std::vector<SealedFile>& files, const std::vector<std::string>& paths, const std::string& place,
                     bool replace);

// Where a folder is or will be: an existing one may be a link, which stays, or end in dots.
std::string PlaceOf(const std::string& folder);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_IO_SEALED_FILES_H_
