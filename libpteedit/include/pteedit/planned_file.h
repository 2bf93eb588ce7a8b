// Decide first, then move bytes. A PlannedFile says where every byte of an output comes from before anything is
// written, so dry runs, size reports, the disk-space check and the writer all tell the same; WriteFiles makes it real,
// all or nothing.
#ifndef PTEEDIT_PLANNED_FILE_H_
#define PTEEDIT_PLANNED_FILE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "pteedit/bytes.h"
#include "pteedit/export.h"
#include "pteedit/result.h"
#include "pteedit/source.h"

namespace pteedit {

// `extent.size` bytes: of `source` from `extent.offset` on, or zeros where there is no source.
struct PlannedPiece {
  std::shared_ptr<const Source> source;
  Extent extent;
};

// The pieces of an output, in order and without gaps.
class PTEEDIT_API PlannedFile {
 public:
  void Append(std::shared_ptr<const Source> source, Extent extent);
  void AppendZeros(uint64_t count);
  // All pieces of another plan.
  void Append(const PlannedFile& other);

  uint64_t size() const { return size_; }
  const std::vector<PlannedPiece>& pieces() const { return pieces_; }

  // The file as it will be, readable before it is written.
  std::shared_ptr<const Source> AsSource(std::string name) const;

 private:
  std::vector<PlannedPiece> pieces_;
  uint64_t size_ = 0;
};

struct Output {
  std::string path;
  PlannedFile file;
};

struct WriteOptions {
  bool replace = false;  // existing outputs; otherwise they are an error
  bool hash = false;     // compute the SHA-256 of each output while it is copied
  bool raw = false;      // the outputs are bytes of any kind, not files that can be opened and checked
  // Called now and then with the bytes written so far, of all outputs, and their sum. False stops: nothing is left
  // behind.
  std::function<bool(uint64_t done, uint64_t total)> progress;
};

struct WrittenFile {
  std::string path;
  uint64_t bytes = 0;
  std::string sha256;  // 64 hex digits where asked for
};

// That the outputs may be written: each is no other output and no input, however named, and does not exist unless
// `replace`. Fails with kInvalidArgument. Reads the file system, changes nothing.
PTEEDIT_API Status CheckOutputs(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs,
                                bool replace);

// Writes each output under a temporary name beside its target, syncs, reads it back and checks it against the plan, and
// when all are good renames them in the given order (so put data files before the programs that need them). On any
// failure what was there before is there again. Fails with kInvalidArgument as CheckOutputs does, kIo where the system
// refuses or the free space does not suffice, which is checked first.
PTEEDIT_API Result<std::vector<WrittenFile>> WriteFiles(const std::vector<Output>& outputs,
                                                        const std::vector<std::string>& inputs,
                                                        const WriteOptions& options);

// That `folder` may get these outputs, whose paths count from it. Beside what CheckOutputs asks: no input may be
// inside, an existing folder needs `replace`, and may hold nothing but .pte and .ptd files, since all that is in it
// goes.
PTEEDIT_API Status CheckFolderOutputs(const std::string& folder, const std::vector<std::string>& outputs,
                                      const std::vector<std::string>& inputs, bool replace);

// Writes all outputs, whose paths count from `folder`, into a folder beside it, as WriteFiles does, and then lets that
// take its place. On any failure what was there before is there again. Fails as WriteFiles does.
PTEEDIT_API Result<std::vector<WrittenFile>> WriteFolder(const std::string& folder, const std::vector<Output>& outputs,
                                                         const std::vector<std::string>& inputs,
                                                         const WriteOptions& options);

// Writes the bytes to an open descriptor, such as standard output.
PTEEDIT_API Status WriteStream(const PlannedFile& file, int descriptor);

}  // namespace pteedit

#endif  // PTEEDIT_PLANNED_FILE_H_
