// Decide first, then move bytes. A PlannedFile says where every byte of an output comes from before anything is
// written, so dry runs, size reports, the disk-space check and the writer all tell the same; WriteFiles makes it real,
// all or nothing.
#ifndef PTEEDIT_PLANNED_FILE_H_
#define PTEEDIT_PLANNED_FILE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "pteedit/bytes.h"
#include "pteedit/export.h"
#include "pteedit/rare.h"
#include "pteedit/result.h"
#include "pteedit/source.h"

namespace pteedit {

// `extent.size` bytes: of `source` from `extent.offset` on, or zeros where there is no source.
struct PlannedPiece {
  std::shared_ptr<const Source> source;
  Extent extent;
};

// The pieces of an output, in order and without gaps. There may be as many outputs as tables, most of them one piece,
// which takes no memory of its own.
class PTEEDIT_API PlannedFile {
 public:
  // Valid as long as the file is there and does not change.
  class Pieces {
   public:
    Pieces(const PlannedPiece* first, size_t count) : first_(first), count_(count) {}
    const PlannedPiece* begin() const { return first_; }
    const PlannedPiece* end() const { return first_ + count_; }
    size_t size() const { return count_; }
    bool empty() const { return count_ == 0; }
    const PlannedPiece& operator[](size_t i) const { return first_[i]; }

   private:
    const PlannedPiece* first_;
    size_t count_;
  };

  void Append(std::shared_ptr<const Source> source, Extent extent);
  void AppendZeros(uint64_t count);
  // For so many more pieces: what grows by itself is there twice, and what is not used takes no memory.
  void MakeRoom(size_t count);
  // All pieces of another plan.
  void Append(PlannedFile other);

  uint64_t size() const { return several_ ? several_->size : one_.extent.size; }
  Pieces pieces() const {
    if (several_) return {several_->pieces.data(), several_->pieces.size()};
    return {&one_, one_.extent.size == 0 ? size_t{0} : size_t{1}};
  }
  // Null where there is none, and where there are several.
  const PlannedPiece* only_piece() const { return pieces().size() == 1 ? pieces().begin() : nullptr; }

  // The file as it will be, readable before it is written.
  std::shared_ptr<const Source> AsSource(std::string name) const&;
  std::shared_ptr<const Source> AsSource(std::string name) &&;

 private:
  struct Several {
    std::vector<PlannedPiece> pieces;
    uint64_t size = 0;
  };

  PlannedPiece* Last();

  PlannedPiece one_;  // where there are not several
  Boxed<Several> several_;
};

// The same bytes from where they come from in the end: no piece is a part of another plan.
PTEEDIT_API PlannedFile Unfolded(const PlannedFile& file);

struct Output {
  std::string path;
  PlannedFile file;
  int descriptor = -1;  // an open one, such as standard output, that gets the bytes instead of a file at `path`
};

struct WriteOptions {
  bool replace = false;  // existing outputs; otherwise they are an error
  bool hash = false;     // compute the SHA-256 of each file while it is copied
  // Called now and then with the bytes written so far, of all files, and their sum, the first time
  // with 0. False stops: nothing is left behind.
  std::function<bool(uint64_t done, uint64_t total)> progress;
  // Where the outputs are only foretold: tells WriteFiles what they are, on a thread of its own while they are written;
  // before that where they are to be hashed or go to descriptors. What was foretold wrongly is written again. Where it
  // fails, nothing is in its place and its error is returned.
  std::function<Result<std::vector<Output>>()> settle = {};
};

struct WrittenFile {
  std::string path;
  uint64_t bytes = 0;
  std::string sha256;  // 64 hex digits where asked for
};

// That files may be at these paths: each is no other output and no input, however named, and does not exist unless
// `replace`. Fails with kInvalidArgument or kExists. Reads the file system, changes nothing.
PTEEDIT_API Status CheckOutputs(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs,
                                bool replace);

// That what is written to an open descriptor goes into none of the inputs. Fails with kInvalidArgument.
PTEEDIT_API Status CheckDescriptor(int descriptor, const std::vector<std::string>& inputs);

// Whatever can be known before the first byte: CheckOutputs, CheckDescriptor, that the folders are there and may be
// written (kIo), and that the free space suffices (kIo). Changes nothing.
PTEEDIT_API Status CheckWriteFiles(const std::vector<Output>& outputs, const std::vector<std::string>& inputs,
                                   bool replace);

// Writes each output to a file that has no place yet, syncs it, closes it to all writers and compares it with its plan;
// then writes those that go to descriptors; and when all is well moves the files to their places in the given order (so
// put data files before the programs that need them). What a file contains is the planner's business. A new file gets
// the permissions that all inputs have in common less the umask, one that replaces another keeps those. Returns the
// files, without those for descriptors. On any failure what was there before is there again, but where the message says
// that the outputs are in their places. Fails as CheckWriteFiles does, which it calls first, and with kIo where the
// system refuses.
PTEEDIT_API Result<std::vector<WrittenFile>> WriteFiles(const std::vector<Output>& outputs,
                                                        const std::vector<std::string>& inputs,
                                                        const WriteOptions& options);

// As CheckWriteFiles for a folder with these outputs, whose paths count from it. Also, no input may be inside, an
// existing folder needs `replace`, and may hold nothing but .pte and .ptd files, since all that is in it goes.
PTEEDIT_API Status CheckWriteFolder(const std::string& folder, const std::vector<Output>& outputs,
                                    const std::vector<std::string>& inputs, bool replace);

// As WriteFiles, but all outputs, whose paths count from `folder`, appear together as that folder, which keeps the
// permissions of one that it replaces. None goes to a descriptor.
PTEEDIT_API Result<std::vector<WrittenFile>> WriteFolder(const std::string& folder, const std::vector<Output>& outputs,
                                                         const std::vector<std::string>& inputs,
                                                         const WriteOptions& options);

// Removes what this process has under temporary names while it writes, on file systems that have no files without a
// name. For handlers of signals that end the process: it only calls what such a handler may.
PTEEDIT_API void RemoveTemporaryFiles();

}  // namespace pteedit

#endif  // PTEEDIT_PLANNED_FILE_H_
