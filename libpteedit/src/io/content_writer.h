// What WriteContentFiles does in steps, for who makes more files of those that were written.
#ifndef PTEEDIT_SRC_IO_CONTENT_WRITER_H_
#define PTEEDIT_SRC_IO_CONTENT_WRITER_H_

#include <string>
#include <utility>
#include <vector>

#include "io/sealed_files.h"
#include "pteedit/content_files.h"
#include "pteedit/result.h"

namespace pteedit {

class ContentWriter {
 public:
  // Writes the files, which have no names yet, and hashes them.
  static Result<ContentWriter> Write(const std::string& folder, const std::vector<PlannedFile>& files,
                                     const std::vector<std::string>& inputs, const WriteOptions& options);

  const std::vector<SealedFile>& files() const { return files_; }

  // An empty one where the others lie, to be written, sealed and added behind them.
  Result<TemporaryFile> NewFile() const;
  void Add(SealedFile file) { files_.push_back(std::move(file)); }

  // `named.names` are those of all files, those that were added too.
  Status Publish(NamedContents named);

 private:
  std::string place_, beside_;  // of the folder, and where the files lie until then
  bool is_new_ = false;
  std::vector<std::string> inputs_;
  std::vector<SealedFile> files_;
};

}  // namespace pteedit

#endif  // PTEEDIT_SRC_IO_CONTENT_WRITER_H_
