// Writing files that are called by what is in them, so that a name never comes to mean other bytes: their contents are
// hashed while they are copied, and have their names then.
#ifndef PTEEDIT_SRC_IO_CONTENT_WRITER_H_
#define PTEEDIT_SRC_IO_CONTENT_WRITER_H_

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "io/sealed_files.h"
#include "pteedit/planned_file.h"
#include "pteedit/result.h"

namespace pteedit {

struct NamedContents {
  std::vector<std::string> names;  // of all files, without folders; files with equal ones are written once
  std::vector<Output> last;        // what is made of the names, such as a list of them
};

// As CheckWriteFolder, but an existing folder, which needs `replace`, keeps all that is in it.
Status CheckContentFiles(const std::string& folder, const std::vector<PlannedFile>& files,
                         const std::vector<std::string>& inputs, bool replace);

class ContentWriter {
 public:
  // Fails as CheckContentFiles does.
  static Result<ContentWriter> Begin(const std::string& folder, const std::vector<PlannedFile>& files,
                                     const std::vector<std::string>& inputs, bool replace);
  // Writes the files, which have no names yet, and hashes them. Fails as WriteFiles does.
  Status WriteAll(const std::vector<PlannedFile>& files, std::function<bool(uint64_t done, uint64_t total)> progress);

  const std::vector<SealedFile>& files() const { return files_; }

  // An empty one where the others lie, to be written, sealed and added behind them; also while they are written.
  Result<TemporaryFile> NewFile() const;
  void Add(SealedFile file) { files_.push_back(std::move(file)); }

  // Gives all files their names, those that were added too, in the folder, which is made where it is not there: then
  // all appear together, else one after the other, those in `last` at the end and in the place of what has their names.
  // A file that is there already stays, and fails with kMalformed where it holds other bytes. On any failure what was
  // there before is there again.
  Status Publish(NamedContents named);

 private:
  std::string place_, beside_;  // of the folder, and where the files lie until then
  bool is_new_ = false;
  std::vector<std::string> inputs_;
  std::vector<SealedFile> files_;
};

}  // namespace pteedit

#endif  // PTEEDIT_SRC_IO_CONTENT_WRITER_H_
