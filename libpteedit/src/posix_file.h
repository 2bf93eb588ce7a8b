// The one door to the operating system: files are opened, read, copied, synced and renamed here and nowhere else.
#ifndef PTEEDIT_SRC_POSIX_FILE_H_
#define PTEEDIT_SRC_POSIX_FILE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pteedit/bytes.h"
#include "pteedit/result.h"
#include "pteedit/source.h"

namespace pteedit {

// Which file a path leads to, whatever its name: device and inode.
struct FileIdentity {
  uint64_t device = 0;
  uint64_t inode = 0;
  bool operator==(const FileIdentity&) const = default;
};

// Nothing where the path leads nowhere. Follows symbolic links.
std::optional<FileIdentity> IdentityOf(const std::string& path);
// Of the folder that holds `path`; nothing where there is none.
std::optional<FileIdentity> IdentityOfFolder(const std::string& path);
// Also true for a dangling symbolic link.
bool PathExists(const std::string& path);
// Whether it is a device, a pipe or a socket.
bool IsSpecialFile(const std::string& path);
// "model.pte" for "a/model.pte"; "." as the folder of a bare name.
std::string BaseName(const std::string& path);
std::string FolderOf(const std::string& path);

// With all links and dots resolved; nothing where the path leads nowhere.
std::optional<std::string> RealPath(const std::string& path);
bool IsFolder(const std::string& path);
// Whatever is below a folder but folders, as paths that count from it, sorted; links are not followed. Fails with kIo.
Result<std::vector<std::string>> FilesBelow(const std::string& folder);

// Bytes that an unprivileged process may still write on the file system of folder `folder`.
Result<uint64_t> FreeBytes(const std::string& folder);

// A file being written under a temporary name beside its target. Unlinked by the destructor unless it was renamed.
class TemporaryFile {
 public:
  // Created beside `target`, with the permissions that `target` would get (or has already).
  static Result<TemporaryFile> CreateFor(const std::string& target);
  TemporaryFile(TemporaryFile&& other) noexcept;
  TemporaryFile& operator=(TemporaryFile&& other) noexcept;
  ~TemporaryFile();

  const std::string& path() const { return path_; }

  // Reserves the space, so that a full disk is found out before the first byte. Does nothing where that cannot be done.
  Status Reserve(uint64_t size);
  Status Append(ByteSpan bytes);
  // Appends `size` bytes of an open file, inside the kernel where possible. Returns how many were copied; the caller
  // reads and appends the rest.
  Result<uint64_t> AppendFromFile(Source::FilePlace from, uint64_t size);
  Status Sync();
  // Puts the file at `target` with `replace`, else only where nothing is there yet.
  Status RenameTo(const std::string& target, bool replace);

 private:
  TemporaryFile(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  std::string path_;
  int descriptor_ = -1;
  uint64_t written_ = 0;
};

// A folder being filled under a temporary name beside its target. Removed with all that is in it by the destructor
// unless it took its place.
class NewFolder {
 public:
  static Result<NewFolder> CreateFor(const std::string& target);
  NewFolder(NewFolder&& other) noexcept;
  NewFolder& operator=(NewFolder&& other) = delete;
  ~NewFolder();

  const std::string& path() const { return path_; }

  // Creates a folder in it with all those above, "a/b".
  Status Add(const std::string& relative);
  // Puts the folder at `target`. With `replace` a folder that is there goes, with all in it; without, there may be
  // none.
  Status RenameTo(const std::string& target, bool replace);

 private:
  explicit NewFolder(std::string path) : path_(std::move(path)) {}
  Status SyncAll() const;
  Status Exchange(const std::string& target);
  std::string path_;
};

// A second name for an existing file, to restore it by should a later step fail. Unlinked by the destructor.
class Backup {
 public:
  // Empty where there is no file or the file system has no hard links: then there is nothing to restore.
  static Backup Of(const std::string& path);
  Backup() = default;
  Backup(Backup&& other) noexcept;
  Backup& operator=(Backup&& other) noexcept;
  ~Backup();
  // Puts things back as they were: the old file, or none.
  void Restore(const std::string& path);

 private:
  explicit Backup(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

// Makes the renames in `folder` last.
Status SyncFolder(const std::string& folder);

// Appends to an open descriptor (standard output).
Status WriteToDescriptor(int descriptor, ByteSpan bytes);

// Tests switch the Linux-only fast paths (copy_file_range, fallocate, renameat2) off to run the plain POSIX ones.
void UseOnlyPlainPosix(bool plain);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_POSIX_FILE_H_
