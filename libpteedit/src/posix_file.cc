#include "posix_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <limits>
#include <map>

#include "checked.h"
#include "text.h"
#include "try.h"

namespace pteedit {
namespace {

constexpr int kNameTries = 1000;
constexpr uint64_t kMaxTransfer = uint64_t{1} << 30;  // Linux moves less than 2 GiB a call

std::atomic<bool> only_plain_posix{false};

Error SystemError(const std::string& what, const std::string& path) {
  return IoError(what + ": " + std::strerror(errno)).In(path);
}

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  int number() const { return number_; }

 private:
  int number_;
};

class FileSource final : public Source {
 public:
  FileSource(std::string path, int descriptor, uint64_t size)
      : path_(std::move(path)), descriptor_(descriptor), size_(size) {}

  const std::string& name() const override { return path_; }
  uint64_t size() const override { return size_; }
  FilePlace file_place() const override { return {descriptor_.number(), 0}; }

  Status Read(uint64_t offset, MutableByteSpan out) const override {
    if (!Fits(offset, out.size, size_)) return Cut(offset, out.size);
    while (out.size != 0) {
      const size_t step = static_cast<size_t>(std::min<uint64_t>(out.size, kMaxTransfer));
      const ssize_t got = pread(descriptor_.number(), out.data, step, static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return SystemError("cannot read at " + Hex(offset), path_);
      if (got == 0) return Cut(offset, out.size);
      out = {out.data + got, out.size - static_cast<size_t>(got)};
      offset += static_cast<uint64_t>(got);
    }
    return {};
  }

 private:
  Error Cut(uint64_t offset, size_t size) const {
    return IoError(Text("cannot read ", size, " bytes at ", Hex(offset), ": the file ends there; it had ", size_,
                        " bytes when it was opened"))
        .In(path_);
  }

  std::string path_;
  Descriptor descriptor_;
  uint64_t size_;
};

std::optional<FileIdentity> IdentityFrom(const struct stat& status) {
  return FileIdentity{static_cast<uint64_t>(status.st_dev), static_cast<uint64_t>(status.st_ino)};
}

// A file in `folder` without a name, to be written and read.
Result<int> OpenNamelessFile(const std::string& folder) {
  std::string path = folder + "/pteedit-XXXXXX";
  const int descriptor = mkstemp(path.data());
  if (descriptor < 0) return SystemError("cannot create a temporary file", folder);
  unlink(path.c_str());
  fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  return descriptor;
}

// Copies all that can be read. Returns how many bytes that is.
Result<uint64_t> CopyToEnd(int from, int to, const std::string& name) {
  constexpr size_t kPieceBytes = size_t{1} << 20;
  std::vector<uint8_t> piece(kPieceBytes);
  for (uint64_t copied = 0;;) {
    const ssize_t got = read(from, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return SystemError("cannot read", name);
    if (got == 0) return copied;
    PTEEDIT_TRY(WriteToDescriptor(to, {piece.data(), static_cast<size_t>(got)}));
    copied += static_cast<uint64_t>(got);
  }
}

// Deterministic but for the process id: tried in turn until one is free.
std::string TemporaryName(const std::string& target, int attempt) {
  return Text(FolderOf(target), "/.", BaseName(target), ".", getpid(), "-", attempt, ".tmp");
}

}  // namespace

void UseOnlyPlainPosix(bool plain) { only_plain_posix = plain; }

Result<std::shared_ptr<const Source>> OpenFileSource(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return SystemError("cannot open", path);
  struct stat status {};
  if (fstat(descriptor, &status) != 0 || !(S_ISREG(status.st_mode) || S_ISBLK(status.st_mode))) {
    close(descriptor);
    return IoError("cannot open: not a regular file").In(path);
  }
  const off_t size = S_ISREG(status.st_mode) ? status.st_size : lseek(descriptor, 0, SEEK_END);
  return std::shared_ptr<const Source>(std::make_shared<FileSource>(path, descriptor, static_cast<uint64_t>(size)));
}

Result<std::shared_ptr<const Source>> OpenDescriptorSource(int descriptor, const std::string& name,
                                                           const std::string& folder) {
  struct stat status {};
  if (fstat(descriptor, &status) != 0) return SystemError("cannot read", name);
  if (S_ISDIR(status.st_mode)) return IoError("cannot read: is a folder").In(name);
  if (S_ISREG(status.st_mode)) {
    const int own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    if (own < 0) return SystemError("cannot read", name);
    const auto size = static_cast<uint64_t>(status.st_size);
    const auto begin = std::min(size, static_cast<uint64_t>(std::max<off_t>(0, lseek(descriptor, 0, SEEK_CUR))));
    return MakeWindowSource(std::make_shared<FileSource>(name, own, size), {begin, size - begin});
  }
  PTEEDIT_ASSIGN(const int copy, OpenNamelessFile(folder));
  const auto source = [&](uint64_t size) { return std::make_shared<FileSource>(name, copy, size); };
  const Result<uint64_t> size = CopyToEnd(descriptor, copy, name);
  if (size) return std::shared_ptr<const Source>(source(*size));
  source(0);  // closes it
  return Error(size.error()).In(folder);
}

Result<std::vector<std::shared_ptr<const Source>>> OpenFileSources(const std::vector<std::string>& paths) {
  std::vector<std::shared_ptr<const Source>> sources;
  std::map<std::pair<uint64_t, uint64_t>, std::shared_ptr<const Source>> known;
  for (const std::string& path : paths) {
    const FileIdentity identity = IdentityOf(path).value_or(FileIdentity{});
    std::shared_ptr<const Source>& source = known[{identity.device, identity.inode}];
    if (source == nullptr) {
      PTEEDIT_ASSIGN(source, OpenFileSource(path));
    }
    sources.push_back(source);
  }
  return sources;
}

std::optional<FileIdentity> IdentityOf(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return std::nullopt;
  return IdentityFrom(status);
}

std::optional<FileIdentity> IdentityOfFolder(const std::string& path) { return IdentityOf(FolderOf(path)); }

bool PathExists(const std::string& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0;
}

bool IsSpecialFile(const std::string& path) {
  struct stat status {};
  const auto is_special = [&] {
    return S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode) || S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode);
  };
  return lstat(path.c_str(), &status) == 0 && is_special();
}

std::string BaseName(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::optional<std::string> RealPath(const std::string& path) {
  std::error_code failed;
  std::filesystem::path real = std::filesystem::canonical(path, failed);
  if (failed) return std::nullopt;
  return real.string();
}

bool IsFolder(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

Result<std::vector<std::string>> FilesBelow(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code failed;
  std::filesystem::recursive_directory_iterator entry(folder, failed);
  for (; !failed && entry != std::filesystem::recursive_directory_iterator(); entry.increment(failed)) {
    std::error_code unknown;
    const auto status = entry->symlink_status(unknown);
    if (std::filesystem::is_directory(status)) continue;
    files.push_back(entry->path().lexically_relative(folder).string());
  }
  if (failed) return IoError("cannot read the folder: " + failed.message()).In(folder);
  std::sort(files.begin(), files.end());
  return files;
}

Result<uint64_t> FreeBytes(const std::string& folder) {
  struct statvfs status {};
  if (statvfs(folder.c_str(), &status) != 0) return SystemError("cannot write there", folder);
  return CheckedMultiply(status.f_bavail, status.f_frsize).value_or(std::numeric_limits<uint64_t>::max());
}

Result<TemporaryFile> TemporaryFile::CreateFor(const std::string& target) {
  for (int attempt = 0; attempt < kNameTries; ++attempt) {
    std::string path = TemporaryName(target, attempt);
    const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0 && errno == EEXIST) continue;
    if (descriptor < 0) return SystemError("cannot create", target);
    struct stat existing {};
    if (stat(target.c_str(), &existing) == 0 && fchmod(descriptor, existing.st_mode & 0777) != 0) {
      // The new file then has the permissions of any new file.
    }
    return TemporaryFile(std::move(path), descriptor);
  }
  return IoError("cannot create: no free temporary name beside it").In(target);
}

TemporaryFile::TemporaryFile(TemporaryFile&& other) noexcept
    : path_(std::exchange(other.path_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)),
      written_(other.written_) {}

TemporaryFile& TemporaryFile::operator=(TemporaryFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(written_, other.written_);
  return *this;
}

TemporaryFile::~TemporaryFile() {
  if (descriptor_ >= 0) close(descriptor_);
  if (!path_.empty()) unlink(path_.c_str());
}

Status TemporaryFile::Reserve(uint64_t size) {
#if defined(__linux__)
  if (only_plain_posix || size == 0) return {};
  if (fallocate(descriptor_, 0, 0, static_cast<off_t>(size)) == 0 || errno != ENOSPC) return {};
  return SystemError("cannot write", path_);
#else
  (void)size;
  return {};
#endif
}

Status WriteToDescriptor(int descriptor, ByteSpan bytes) {
  while (bytes.size != 0) {
    const ssize_t put =
        write(descriptor, bytes.data, static_cast<size_t>(std::min<uint64_t>(bytes.size, kMaxTransfer)));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return IoError(std::string("cannot write: ") + std::strerror(errno));
    bytes = {bytes.data + put, bytes.size - static_cast<size_t>(put)};
  }
  return {};
}

Status TemporaryFile::Append(ByteSpan bytes) {
  Status status = WriteToDescriptor(descriptor_, bytes);
  if (!status) return std::move(status).error().In(path_);
  written_ += bytes.size;
  return {};
}

Result<uint64_t> TemporaryFile::AppendFromFile(Source::FilePlace from, uint64_t size) {
  uint64_t copied = 0;
#if defined(__linux__)
  off_t offset = static_cast<off_t>(from.offset);
  while (!only_plain_posix && copied < size) {
    const size_t step = static_cast<size_t>(std::min(size - copied, kMaxTransfer));
    const ssize_t got = copy_file_range(from.descriptor, &offset, descriptor_, nullptr, step, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;  // another file system, a cut source: reading tells which
    copied += static_cast<uint64_t>(got);
  }
#else
  (void)from, (void)size;
#endif
  written_ += copied;
  return copied;
}

Status TemporaryFile::Sync() {
  if (ftruncate(descriptor_, static_cast<off_t>(written_)) != 0) return SystemError("cannot write", path_);
  if (fsync(descriptor_) != 0) return SystemError("cannot write", path_);
  return {};
}

Status TemporaryFile::RenameTo(const std::string& target, bool replace) {
  if (replace) {
    if (rename(path_.c_str(), target.c_str()) != 0) return SystemError("cannot create", target);
  } else {
    // A hard link never replaces; where there are none, the look before the rename has to do.
    if (link(path_.c_str(), target.c_str()) == 0) {
      unlink(path_.c_str());
    } else if (errno == EEXIST || PathExists(target)) {
      return InvalidArgument("the output exists already; --force replaces it").In(target);
    } else if (rename(path_.c_str(), target.c_str()) != 0) {
      return SystemError("cannot create", target);
    }
  }
  path_.clear();
  return {};
}

Result<NewFolder> NewFolder::CreateFor(const std::string& target) {
  for (int attempt = 0; attempt < kNameTries; ++attempt) {
    std::string path = TemporaryName(target, attempt);
    if (mkdir(path.c_str(), 0777) == 0) return NewFolder(std::move(path));
    if (errno != EEXIST) return SystemError("cannot create", target);
  }
  return IoError("cannot create: no free temporary name beside it").In(target);
}

NewFolder::NewFolder(NewFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}

NewFolder::~NewFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

Status NewFolder::Add(const std::string& relative) {
  std::error_code failed;
  const std::string folder = path_ + "/" + relative;
  std::filesystem::create_directories(folder, failed);
  if (failed) return IoError("cannot create: " + failed.message()).In(folder);
  return {};
}

Status NewFolder::SyncAll() const {
  std::error_code failed;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path_, failed)) {
    if (entry.is_directory(failed)) PTEEDIT_TRY(SyncFolder(entry.path().string()));
  }
  return SyncFolder(path_);
}

Status NewFolder::RenameTo(const std::string& target, bool replace) {
  PTEEDIT_TRY(SyncAll());
  if (PathExists(target)) {
    if (!replace) return InvalidArgument("the output folder exists already; --force replaces it").In(target);
    PTEEDIT_TRY(Exchange(target));  // now the old one is the temporary one
    return SyncFolder(FolderOf(target));
  }
  if (rename(path_.c_str(), target.c_str()) != 0) return SystemError("cannot create", target);
  path_.clear();
  return SyncFolder(FolderOf(target));
}

Status NewFolder::Exchange(const std::string& target) {
#if defined(__linux__)
  if (!only_plain_posix && renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, target.c_str(), RENAME_EXCHANGE) == 0)
    return {};
#endif
  PTEEDIT_ASSIGN(NewFolder old, CreateFor(target));  // a folder may be renamed to an empty one
  if (rename(target.c_str(), old.path_.c_str()) != 0) return SystemError("cannot replace", target);
  if (rename(path_.c_str(), target.c_str()) != 0) {
    const Error error = SystemError("cannot create", target);
    if (rename(old.path_.c_str(), target.c_str()) != 0) old.path_.clear();  // the old one must not go
    return error;
  }
  std::swap(path_, old.path_);
  old.path_.clear();
  return {};
}

Backup Backup::Of(const std::string& path) {
  if (!PathExists(path)) return {};
  for (int attempt = 0; attempt < kNameTries; ++attempt) {
    std::string name = TemporaryName(path, attempt);
    if (link(path.c_str(), name.c_str()) == 0) return Backup(std::move(name));
    if (errno != EEXIST) break;
  }
  return {};
}

Backup::Backup(Backup&& other) noexcept : path_(std::exchange(other.path_, {})) {}

Backup& Backup::operator=(Backup&& other) noexcept {
  std::swap(path_, other.path_);
  return *this;
}

Backup::~Backup() {
  if (!path_.empty()) unlink(path_.c_str());
}

void Backup::Restore(const std::string& path) {
  if (path_.empty()) {
    unlink(path.c_str());
  } else if (rename(path_.c_str(), path.c_str()) == 0) {
    path_.clear();
  }
}

Status SyncFolder(const std::string& folder) {
  const Descriptor descriptor(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Some file systems cannot sync a folder; the files themselves are safe.
  if (descriptor.number() >= 0 && fsync(descriptor.number()) != 0 && errno == EIO) {
    return SystemError("cannot write", folder);
  }
  return {};
}

}  // namespace pteedit
