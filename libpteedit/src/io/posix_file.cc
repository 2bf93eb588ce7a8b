#include "io/posix_file.h"

#if defined(__linux__)
#include <sys/uio.h>
#endif

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>

#include "base/checked.h"
#include "base/text.h"
#include "io/posix_output.h"
#include "io/streaming.h"
#include "io/system_calls.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

#if defined(PTEEDIT_PLAIN)
constexpr bool kPlain = true;
#else
constexpr bool kPlain = false;
#endif
std::atomic<bool> only_plain_posix{false};
#if defined(_WIN32)
constexpr char kSlashes[] = "/\\";
#else
constexpr char kSlashes[] = "/";
#endif

class FileSource final : public Source {
 public:
  FileSource(std::string path, int descriptor, uint64_t size)
      : path_(std::move(path)), descriptor_(descriptor), size_(size) {}

  const std::string& name() const override { return path_; }
  uint64_t size() const override { return size_; }
  FilePlace file_place() const override { return {descriptor_.number(), 0}; }

  Status Read(uint64_t offset, MutableByteSpan out) const override {
    if (!Fits(offset, out.size, size_)) return Cut(offset, out.size);
    PTEEDIT_ASSIGN(const size_t got, ReadAt(descriptor_.number(), offset, out, path_));
    if (got != out.size) return Cut(offset + got, out.size - got);
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

int OpenToRead(const std::string& path) {
  return Retried([&] { return open(path.c_str(), O_RDONLY | O_CLOEXEC); });
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
    const ssize_t got = Retried([&] { return read(from, piece.data(), piece.size()); });
    if (got < 0) return SystemError("cannot read", name);
    if (got == 0) return copied;
    PTEEDIT_TRY(WriteToDescriptor(to, {piece.data(), static_cast<size_t>(got)}));
    copied += static_cast<uint64_t>(got);
  }
}

// A signal may come in between.
template <class Iterator>
Iterator OpenedFolder(const std::string& folder, std::error_code& failed) {
  Iterator entry(folder, failed);
  while (failed == std::errc::interrupted) entry = Iterator(folder, failed);
  return entry;
}

}  // namespace

Descriptor::~Descriptor() {
  if (number_ >= 0) close(number_);
}

void UseOnlyPlainPosix(bool plain) { only_plain_posix = plain; }
bool OnlyPlainPosix() { return kPlain || only_plain_posix; }

Error SystemError(const std::string& what, const std::string& path) {
  const int number = errno;
  Error error = IoError(what + ": " + std::strerror(number)).In(path);
  error.system_error = number;
  return error;
}

Result<std::shared_ptr<const Source>> OpenFileSource(const std::string& path) {
  const int descriptor = OpenToRead(path);
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

std::optional<FileIdentity> IdentityOfDescriptor(int descriptor) {
  struct stat status {};
  if (fstat(descriptor, &status) != 0 || !(S_ISREG(status.st_mode) || S_ISBLK(status.st_mode))) return std::nullopt;
  return IdentityFrom(status);
}

Result<std::shared_ptr<const Source>> ReopenToRead(int descriptor, const std::string& path, const std::string& name) {
  const int reader = OpenToRead(path);
  if (reader < 0) return SystemError("cannot read back", name);
  struct stat written {
  }, found{};
  const bool known = fstat(descriptor, &written) == 0 && fstat(reader, &found) == 0;
  auto source = std::make_shared<FileSource>(name, reader, static_cast<uint64_t>(found.st_size));
  if (!known) return SystemError("cannot read back", name);
  if (IdentityFrom(written) != IdentityFrom(found)) return IoError("cannot read back: it is another file now").In(name);
  return std::shared_ptr<const Source>(std::move(source));
}

Result<size_t> ReadAt(int descriptor, uint64_t offset, MutableByteSpan out, const std::string& path) {
  size_t done = 0;
  while (done != out.size) {
    const size_t step = static_cast<size_t>(std::min<uint64_t>(out.size - done, kMaxTransfer));
    const auto from = static_cast<off_t>(offset + done);
    const ssize_t got = Retried([&] { return pread(descriptor, out.data + done, step, from); });
    if (got < 0) return SystemError("cannot read at " + Hex(offset + done), path);
    if (got == 0) break;
    done += static_cast<size_t>(got);
  }
  return done;
}

Status ReadSample(const Source& source, Extent content, uint64_t offset, MutableByteSpan out) {
  offset += content.offset;
#if defined(__linux__)
  constexpr int kDontCache = 0x80;  // RWF_DONTCACHE, which older headers lack
  const Source::FilePlace place = source.file_place();
  if (content.size > kStreamPieceBytes && place.descriptor >= 0 && Fits(offset, out.size, source.size()) &&
      !OnlyPlainPosix()) {
    const iovec bytes{out.data, out.size};
    const auto begin = static_cast<off_t>(place.offset + offset);
    const ssize_t got = Retried([&] { return preadv2(place.descriptor, &bytes, 1, begin, kDontCache); });
    if (got >= 0 && static_cast<size_t>(got) == out.size) return {};
  }
#endif
  return source.Read(offset, out);
}

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

std::string BaseName(const std::string& path) { return path.substr(path.find_last_of(kSlashes) + 1); }

std::string FolderOf(const std::string& path) {
  const size_t slash = path.find_last_of(kSlashes);
  if (slash == std::string::npos) return ".";
  const bool is_root = slash == 0 || path[slash - 1] == ':';  // of a drive
  return path.substr(0, is_root ? slash + 1 : slash);
}

std::string WithoutSlashes(const std::string& folder) {
  const size_t last = folder.find_last_not_of(kSlashes);
  return folder.substr(0, last == std::string::npos ? 1 : last + 1);
}

std::optional<std::string> RealPath(const std::string& path) {
  std::error_code failed;
  std::filesystem::path real = std::filesystem::canonical(path, failed);
  if (failed) return std::nullopt;
  return real.generic_string();
}

bool IsFolder(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

bool IsLink(const std::string& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode);
}

Result<std::vector<std::string>> FilesBelow(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code failed;
  auto entry = OpenedFolder<std::filesystem::recursive_directory_iterator>(folder, failed);
  for (; !failed && entry != std::filesystem::recursive_directory_iterator(); entry.increment(failed)) {
    std::error_code unknown;
    const auto status = entry->symlink_status(unknown);
    if (std::filesystem::is_directory(status)) continue;
    files.push_back(entry->path().lexically_relative(folder).generic_string());
  }
  if (failed) return IoError("cannot read the folder: " + failed.message()).In(folder);
  std::sort(files.begin(), files.end());
  return files;
}

Result<std::vector<FileInFolder>> RegularFilesIn(const std::string& folder,
                                                 const std::function<bool(const std::string& name)>& wanted) {
  std::vector<FileInFolder> files;
  std::error_code failed;
  auto entry = OpenedFolder<std::filesystem::directory_iterator>(folder, failed);
  for (; !failed && entry != std::filesystem::directory_iterator(); entry.increment(failed)) {
    const std::string path = entry->path().string(), name = entry->path().filename().string();
    if (!wanted(name)) continue;
    struct stat status {};
    if (lstat(path.c_str(), &status) != 0) {
      if (errno == ENOENT) continue;  // gone by now
      return SystemError("cannot look at", path);
    }
    if (S_ISREG(status.st_mode)) files.push_back({name, static_cast<uint64_t>(status.st_size)});
  }
  if (failed) return IoError("cannot read the folder: " + failed.message()).In(folder);
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return files;
}

Result<uint64_t> FreeBytes(const std::string& folder) {
  std::error_code failed;
  const uint64_t available = std::filesystem::space(folder, failed).available;
  if (!failed) return available;
  Error error = IoError("cannot write there: " + failed.message()).In(folder);
  error.system_error = failed.value();
  return error;
}

uint32_t CommonPermissions(const std::vector<std::string>& paths) {
  mode_t common = kPermissions;
  bool any = false;
  for (const std::string& path : paths) {
    struct stat status {};
    if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    common &= status.st_mode;
    any = true;
  }
  return any ? common : mode_t{0666};
}

Status CheckCreatable(const std::string& path) {
  struct stat status {};
  if (lstat(path.c_str(), &status) != 0 && errno != ENOENT) return SystemError("cannot create", path);
  if (faccessat(AT_FDCWD, FolderOf(path).c_str(), W_OK | X_OK, AT_EACCESS) != 0) {
    return SystemError("cannot create", path);
  }
  return {};
}

}  // namespace pteedit
