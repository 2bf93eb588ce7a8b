// The door to the operating system for what is there already: files are opened, read and looked at here and nowhere
// else. What is made is that of posix_output, new_folder and temporary_file.
#ifndef PTEEDIT_SRC_IO_POSIX_FILE_H_
#define PTEEDIT_SRC_IO_POSIX_FILE_H_

#include <cerrno>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
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
// "a/b" for "a/b//", which names the same folder.
std::string WithoutSlashes(const std::string& folder);

// With all links and dots resolved; nothing where the path leads nowhere.
std::optional<std::string> RealPath(const std::string& path);
bool IsFolder(const std::string& path);
bool IsLink(const std::string& path);
// Whatever is below a folder but folders, as paths that count from it, sorted; links are not followed. Fails with kIo.
Result<std::vector<std::string>> FilesBelow(const std::string& folder);

struct FileInFolder {
  std::string name;
  uint64_t bytes = 0;
};
// The regular files right in a folder, neither links nor below it, whose names are `wanted`, sorted. Fails with kIo.
Result<std::vector<FileInFolder>> RegularFilesIn(const std::string& folder,
                                                 const std::function<bool(const std::string& name)>& wanted);

// Bytes that an unprivileged process may still write on the file system of folder `folder`.
Result<uint64_t> FreeBytes(const std::string& folder);

inline constexpr uint32_t kPermissions = 0777;  // of a mode: who may do what
// What of these all regular files among `paths` have, for a file made of them. 0666 where there is none.
uint32_t CommonPermissions(const std::vector<std::string>& paths);
// That a file called `path` can be made there: its folder is one that may be written, and the name can be had. Fails
// with kIo.
Status CheckCreatable(const std::string& path);

// An open file, closed with it; -1: none.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor();
  int number() const { return number_; }
  // Leaves it open.
  int Release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

// Which file an open descriptor is. Nothing where it is no regular file, of which there can be no second name.
std::optional<FileIdentity> IdentityOfDescriptor(int descriptor);
// Opens the file that is open as `descriptor` once more, only for reading, through `path`. Errors call it `name`.
Result<std::shared_ptr<const Source>> ReopenToRead(int descriptor, const std::string& path, const std::string& name);

// Fills `out` as far as the file reaches, and returns how far that is. Fails with kIo, about `path`.
Result<size_t> ReadAt(int descriptor, uint64_t offset, MutableByteSpan out, const std::string& path);

// As source.Read, from `offset` of a content on, of which more may be read later or nothing. Where the system keeps a
// part of a file it reads what is around it ahead in small pieces, so of a large content it is asked to keep nothing,
// which Linux 6.14 and newer do. Small ones lie beside each other: what it keeps of one is what the next ones need.
Status ReadSample(const Source& source, Extent content, uint64_t offset, MutableByteSpan out);

inline constexpr uint64_t kMaxTransfer = uint64_t{1} << 30;  // Linux moves less than 2 GiB a call

// What the system said last, as an error about `path`.
Error SystemError(const std::string& what, const std::string& path);

// Calls the system again as long as a signal comes in between.
template <class Call>
auto Retried(const Call& call) {
  auto done = call();
  while (done < 0 && errno == EINTR) done = call();
  return done;
}

// Tests switch the Linux-only fast paths (files without a name, copy_file_range, fallocate, renameat2) off to run the
// plain POSIX ones.
void UseOnlyPlainPosix(bool plain);
bool OnlyPlainPosix();

}  // namespace pteedit

#endif  // PTEEDIT_SRC_IO_POSIX_FILE_H_
