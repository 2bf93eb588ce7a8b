#ifndef PTEEDIT_SRC_IO_TEMPORARY_FILE_H_
#define PTEEDIT_SRC_IO_TEMPORARY_FILE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "io/posix_file.h"
#include "io/temporary_name.h"
#include "pteedit/bytes.h"
#include "pteedit/result.h"
#include "pteedit/source.h"

namespace pteedit {

// What comes behind the name of a file, with a dot before it, of which a process has made a part that stays.
inline constexpr char kPartialEnd[] = ".partial";
// How large the part is that there is of `target`; 0 where there is none.
uint64_t PartialBytes(const std::string& target);

// A file being written that is not in its place yet. Where the file system can, it has no name at all, and nothing is
// left of it however the process ends.
class TemporaryFile {
 public:
  // Lies in `folder`, on the file system of `target`, and gets the permissions that a file at `target` has already,
  // else `permissions` less the umask. Errors are about `target`.
  static Result<TemporaryFile> CreateFor(const std::string& target, const std::string& folder, uint32_t permissions);
  // One that goes on where another process ended: ".NAME.partial" beside the target, which stays until it has its
  // place. What Append gives is compared with what is there, and written from where that differs or ends. As CreateFor
  // where another process is at it, or the file system cannot lock it.
  static Result<TemporaryFile> ResumeFor(const std::string& target, uint32_t permissions);

  bool has_name() const { return !name_.empty(); }

  // Reserves the space, so that a full disk is found out before the first byte. Does nothing where that cannot be done
  // or would keep the space from being shared.
  Status Reserve(uint64_t size);
  Status Append(ByteSpan bytes);
  uint64_t written() const { return written_; }
  // Makes much that was written last now, while it is still hashed: Seal would begin only after that.
  Status StoreAhead() const;
  // What it will be with `size` bytes, of which those that are written can be read. Must not outlive the writing.
  std::shared_ptr<const Source> AsSource(uint64_t size) const;
  // Appends `size` bytes of an open file inside the kernel, where that may share its blocks (which both begin at one
  // place of) or is done by who stores them. Returns how many were copied; the others are to be read from there on.
  uint64_t AppendInKernel(Source::FilePlace from, uint64_t size);
  // Writes over what was appended, after which nothing is.
  Status WriteOver(uint64_t offset, ByteSpan bytes);
  // Makes the bytes last and closes the one descriptor that could write. Returns the file as it is from now on, open
  // only for reading.
  Result<std::shared_ptr<const Source>> Seal();
  // Puts the sealed file at `target` with `replace`, else only where nothing is there yet.
  Status MoveTo(const std::string& target, bool replace);
  // Nobody is to go on with it.
  void Drop();
  // Removes a name that is left beside the one that MoveTo gave, on file systems that rename only over what is there.
  Status RemoveRest() { return name_.Remove(); }

 private:
  explicit TemporaryFile(std::string target) : target_(std::move(target)) {}
  Status Open(const std::string& folder, uint32_t permissions);
  Status Store() const;
  bool OpenPartial(uint32_t permissions);
  void KeepPermissions();
  uint64_t EqualThere(ByteSpan bytes) const;
  void BeginToStore();
  std::string target_;
  TemporaryName name_;
  std::string partial_;  // its path; empty: there is none
  uint64_t there_ = 0;   // so much of it is to be compared
  Descriptor descriptor_;
  uint64_t written_ = 0;
  uint64_t begun_ = 0;                        // so much is on its way to the disk
  std::optional<uint32_t> kept_permissions_;  // of the file that this one replaces
  std::shared_ptr<const Source> sealed_;
};

}  // namespace pteedit

#endif  // PTEEDIT_SRC_IO_TEMPORARY_FILE_H_
