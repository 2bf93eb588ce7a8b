#include "io/posix_output.h"

#if defined(_WIN32)
#include "io/windows_calls.h"
#else
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#endif
#if defined(__linux__)
#include <linux/magic.h>
#include <sys/vfs.h>
#endif

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "io/posix_file.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

constexpr int kNameTries = 1000;
constexpr std::string_view kTemporaryEnd = ".tmp";
constexpr size_t kMaxKeptName = 200;  // of the target's: with the rest below the 255 bytes that file systems allow
constexpr mode_t kPermissions = 0777;
constexpr uint64_t kStoreStep = uint64_t{8} << 20;
constexpr uint64_t kComparedBytes = uint64_t{64} << 10;
constexpr uint64_t kBlockBytes = 4096;  // of the file systems whose files can share what they hold

#if defined(__linux__)
// btrfs: as long as a byte of what was reserved is in use, all of it is taken, also where a copy shares the original's.
bool ReservesForGood(int descriptor) {
  struct statfs there {};
  return fstatfs(descriptor, &there) == 0 && there.f_type == BTRFS_SUPER_MAGIC;
}

// How many bytes it is to where a block begins in both files, from which on the copy can share the original's.
uint64_t BytesToBlock(uint64_t from, uint64_t to) {
  return from % kBlockBytes == to % kBlockBytes ? (kBlockBytes - from % kBlockBytes) % kBlockBytes : 0;
}
#endif

// Through this path a file without a name can be given one, or be opened anew.
std::string PathOfDescriptor(int descriptor) { return Text("/proc/self/fd/", descriptor); }

// -1 where the file system or the system has no such files.
int OpenNameless([[maybe_unused]] const std::string& folder, [[maybe_unused]] mode_t permissions) {
#if defined(O_TMPFILE)
  if (OnlyPlainPosix()) return -1;
  const int descriptor = Retried([&] { return open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, permissions); });
  if (descriptor < 0 || access(PathOfDescriptor(descriptor).c_str(), F_OK) == 0) return descriptor;
  close(descriptor);
#endif
  return -1;
}

// Fails with EEXIST rather than to replace.
int LinkNameless(int descriptor, const char* target) {
  return linkat(AT_FDCWD, PathOfDescriptor(descriptor).c_str(), AT_FDCWD, target, AT_SYMLINK_FOLLOW);
}

int RenameToNew(const char* from, const char* to) {
#if defined(RENAME_NOREPLACE)
  if (!OnlyPlainPosix() && renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return 0;
  if (!OnlyPlainPosix() && errno != EINVAL && errno != ENOSYS) return -1;
#endif
  // A hard link never replaces; where there are none, the look before the rename has to do.
  if (link(from, to) == 0) {
    if (unlink(from) != 0) {
      // It has two names, and the caller sees that.
    }
    return 0;
  }
  if (errno == EEXIST) return -1;
  if (!PathExists(to)) return rename(from, to);
  errno = EEXIST;
  return -1;
}

std::string PartialPath(const std::string& target) {
  return Text(FolderOf(target), "/.", BaseName(target).substr(0, kMaxKeptName), kPartialEnd);
}

// Tells other processes that this one is at it, as long as the file is open. Where that cannot be told, nor can others
// know that nobody is.
void HoldLock(int descriptor) {
  if (flock(descriptor, LOCK_SH | LOCK_NB) != 0) {
    // Another process goes on with it, which holds a lock itself.
  }
}

// No link, and no waiting where it is a pipe.
Descriptor OpenItself(const std::string& path) {
  return Descriptor(Retried([&] { return open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK); }));
}

Descriptor OpenLocked(const std::string& path) {
  Descriptor opened = OpenItself(path);
  HoldLock(opened.number());
  return opened;
}

std::string TemporaryStart(const std::string& target) { return "." + BaseName(target).substr(0, kMaxKeptName) + "."; }

// Whose ".NAME.4711-0.tmp" is, with `rest` behind the name: "4711-0.tmp". 0 where it is nobody's.
pid_t OwnerOf(std::string_view rest) {
  pid_t owner = 0;
  unsigned attempt = 0;
  const char* const end = rest.data() + rest.size();
  const auto number = std::from_chars(rest.data(), end, owner);
  if (number.ec != std::errc() || number.ptr == end || *number.ptr != '-') return 0;
  const auto count = std::from_chars(number.ptr + 1, end, attempt);
  return count.ec == std::errc() && std::string_view(count.ptr, end) == kTemporaryEnd ? owner : 0;
}

bool IsOver(pid_t process) { return process > 0 && kill(process, 0) != 0 && errno == ESRCH; }

// What cannot be removed stays.
void RemoveStale(const std::string& target, const std::string& folder) {
  const std::string start = TemporaryStart(target);
  std::error_code failed;
  std::filesystem::directory_iterator entry(folder, failed);
  for (; !failed && entry != std::filesystem::directory_iterator(); entry.increment(failed)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with(start) || !IsOver(OwnerOf(std::string_view(name).substr(start.size())))) continue;
    const std::string path = entry->path().string();
    const Descriptor opened = OpenItself(path);
    if (opened.number() < 0 || flock(opened.number(), LOCK_EX | LOCK_NB) != 0) continue;
    std::error_code stays;
    std::filesystem::remove_all(path, stays);
  }
}

Error ExistsAt(const std::string& target) { return Exists("the output exists already").In(target); }

Error CannotRemove(const std::string& path, const char* why) {
  return IoError(std::string("cannot be removed: ") + why + "; the outputs are in their places").In(path);
}

}  // namespace

#if defined(_WIN32)
// They come on a thread of their own, which nothing holds.
HeldSignals::HeldSignals() = default;
HeldSignals::~HeldSignals() = default;
#else
HeldSignals::HeldSignals() {
  sigset_t held;
  sigfillset(&held);
  for (const int own_fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS}) sigdelset(&held, own_fault);
  pthread_sigmask(SIG_BLOCK, &held, &before_);
}

HeldSignals::~HeldSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
#endif

Result<TemporaryName> TemporaryName::Take(const std::string& target, const std::string& folder,
                                          const std::function<int(const char* name)>& make) {
  const HeldSignals held;  // what is there is in the list
  RemoveStale(target, folder);
  for (int attempt = 0; attempt < kNameTries; ++attempt) {
    // Deterministic but for the process id: tried in turn until one is free.
    std::string path = Text(folder, "/", TemporaryStart(target), getpid(), "-", attempt, kTemporaryEnd);
    if (make(path.c_str()) != 0) {
      if (errno == EEXIST) continue;
      return SystemError("cannot create", target);
    }
    return TemporaryName(AddTemporaryEntry(std::move(path)));
  }
  return IoError("cannot create: no free temporary name beside it").In(target);
}

TemporaryName::TemporaryName(TemporaryName&& other) noexcept : entry_(std::exchange(other.entry_, nullptr)) {}

TemporaryName& TemporaryName::operator=(TemporaryName&& other) noexcept {
  std::swap(entry_, other.entry_);
  return *this;
}

TemporaryName::~TemporaryName() {
  if (const Status removed = Remove(); !removed) {
    // An error is on its way already.
  }
}

const std::string& TemporaryName::path() const { return entry_->path; }

Status TemporaryName::Remove() {
  if (empty()) return {};
  const std::string& path = entry_->path;
  const int failed = unlink(path.c_str()) != 0 && errno != ENOENT ? errno : 0;
  Forget();
  if (failed == 0) return {};
  return CannotRemove(path, std::strerror(failed));
}

void TemporaryName::Forget() {
  if (entry_ != nullptr) entry_->is_there = false;
  entry_ = nullptr;
}

uint64_t PartialBytes(const std::string& target) {
  struct stat there {};
  const bool is_there = lstat(PartialPath(target).c_str(), &there) == 0 && S_ISREG(there.st_mode);
  return is_there ? static_cast<uint64_t>(there.st_size) : 0;
}

Result<TemporaryFile> TemporaryFile::CreateFor(const std::string& target, const std::string& folder,
                                               uint32_t permissions) {
  TemporaryFile file(target);
  file.KeepPermissions();
  PTEEDIT_TRY(file.Open(folder, file.kept_permissions_.value_or(permissions)));
  return file;
}

Result<TemporaryFile> TemporaryFile::ResumeFor(const std::string& target, uint32_t permissions) {
  TemporaryFile file(target);
  file.KeepPermissions();
  if (file.OpenPartial(file.kept_permissions_.value_or(permissions))) return file;
  return CreateFor(target, FolderOf(target), permissions);
}

void TemporaryFile::KeepPermissions() {
  struct stat existing {};
  if (stat(target_.c_str(), &existing) == 0) kept_permissions_ = existing.st_mode & kPermissions;
}

// Only one that nobody else has: with one name, and no other process at it.
bool TemporaryFile::OpenPartial(uint32_t permissions) {
  const std::string path = PartialPath(target_);
  const mode_t mode = permissions | S_IRUSR | S_IWUSR;  // to be opened again
  const int descriptor =
      Retried([&] { return open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, mode); });
  if (descriptor < 0) return false;
  struct stat there {};
  const bool is_ours = flock(descriptor, LOCK_EX | LOCK_NB) == 0 && fstat(descriptor, &there) == 0 &&
                       S_ISREG(there.st_mode) && there.st_nlink == 1 &&
                       IdentityOf(path) == IdentityOfDescriptor(descriptor);
  if (!is_ours) {
    close(descriptor);
    return false;
  }
  descriptor_ = Descriptor(descriptor);
  partial_ = path;
  there_ = static_cast<uint64_t>(there.st_size);
  if (!kept_permissions_) kept_permissions_ = there.st_mode & kPermissions & (permissions | S_IRUSR);
  return true;
}

// Never with more permissions than in the end, so that nobody opens it meanwhile who may not have it.
Status TemporaryFile::Open(const std::string& folder, uint32_t permissions) {
  const mode_t mode = permissions | S_IRUSR;  // to be read back
  descriptor_ = Descriptor(OpenNameless(folder, mode));
  if (descriptor_.number() >= 0) {
    HoldLock(descriptor_.number());  // it may get a name before it has its place
    return {};
  }
  PTEEDIT_ASSIGN(name_, TemporaryName::Take(target_, folder, [&](const char* name) {
                   const auto create = [&] { return open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode); };
                   descriptor_ = Descriptor(Retried(create));
                   if (descriptor_.number() < 0) return -1;
                   HoldLock(descriptor_.number());
                   return 0;
                 }));
  return {};
}

Status TemporaryFile::Reserve(uint64_t size) {
#if defined(__linux__)
  if (OnlyPlainPosix() || size == 0 || ReservesForGood(descriptor_.number())) return {};
  if (fallocate(descriptor_.number(), 0, 0, static_cast<off_t>(size)) == 0 || errno != ENOSPC) return {};
  return SystemError("cannot write", target_);
#else
  (void)size;
  return {};
#endif
}

Status WriteToDescriptor(int descriptor, ByteSpan bytes) {
  while (bytes.size != 0) {
    const size_t step = static_cast<size_t>(std::min<uint64_t>(bytes.size, kMaxTransfer));
    const ssize_t put = Retried([&] { return write(descriptor, bytes.data, step); });
    if (put < 0) return SystemError("cannot write", "");
    bytes = {bytes.data + put, bytes.size - static_cast<size_t>(put)};
  }
  return {};
}

// How many of the next bytes are there already.
uint64_t TemporaryFile::EqualThere(ByteSpan bytes) const {
  std::vector<uint8_t> there(static_cast<size_t>(std::min<uint64_t>(bytes.size, kComparedBytes)));
  const uint64_t size = std::min<uint64_t>(bytes.size, there_ - written_);
  for (uint64_t equal = 0; equal < size;) {
    const auto step = static_cast<size_t>(std::min<uint64_t>(size - equal, there.size()));
    const Result<size_t> got = ReadAt(descriptor_.number(), written_ + equal, {there.data(), step}, target_);
    if (!got || *got == 0 || !std::equal(there.data(), there.data() + *got, bytes.data + equal)) return equal;
    equal += *got;
  }
  return size;
}

Status TemporaryFile::Append(ByteSpan bytes) {
  if (there_ != 0) {
    const uint64_t equal = EqualThere(bytes);
    written_ += equal;
    bytes = {bytes.data + equal, bytes.size - equal};
    if (bytes.size == 0) return {};
    there_ = 0;
    if (lseek(descriptor_.number(), static_cast<off_t>(written_), SEEK_SET) < 0)
      return SystemError("cannot write", target_);
  }
  Status status = WriteToDescriptor(descriptor_.number(), bytes);
  if (!status) return std::move(status).error().In(target_);
  written_ += bytes.size;
  BeginToStore();
  return {};
}

std::shared_ptr<const Source> TemporaryFile::AsSource(uint64_t size) const {
  return MakeCallbackSource(target_, size,
                            [descriptor = descriptor_.number()](uint64_t offset, MutableByteSpan out) -> Status {
                              PTEEDIT_ASSIGN(const size_t got, ReadAt(descriptor, offset, out, ""));
                              if (got == out.size) return {};
                              return IoError("cannot read back what was written");
                            });
}

Result<uint64_t> TemporaryFile::AppendFromFile(Source::FilePlace from, uint64_t size) {
  uint64_t copied = 0;
  if (there_ != 0) return copied;  // is to be compared
#if defined(__linux__)
  off_t offset = static_cast<off_t>(from.offset);
  while (!OnlyPlainPosix() && copied < size) {
    const uint64_t head = BytesToBlock(static_cast<uint64_t>(offset), written_ + copied);
    const auto step = static_cast<size_t>(std::min(size - copied, head != 0 ? head : kMaxTransfer));
    const ssize_t got =
        Retried([&] { return copy_file_range(from.descriptor, &offset, descriptor_.number(), nullptr, step, 0); });
    if (got <= 0) break;  // another file system, a cut source: reading tells which
    copied += static_cast<uint64_t>(got);
  }
#else
  (void)from, (void)size;
#endif
  written_ += copied;
  BeginToStore();
  return copied;
}

Status TemporaryFile::WriteOver(uint64_t offset, ByteSpan bytes) {
  if (lseek(descriptor_.number(), static_cast<off_t>(offset), SEEK_SET) < 0)
    return SystemError("cannot write", target_);
  Status status = WriteToDescriptor(descriptor_.number(), bytes);
  if (!status) return std::move(status).error().In(target_);
  return {};
}

// Has the disk work while the rest is made; otherwise Seal would begin with all of it.
void TemporaryFile::BeginToStore() {
#if defined(__linux__)
  if (OnlyPlainPosix() || written_ - begun_ < kStoreStep) return;
  const auto begin = static_cast<off_t>(begun_), size = static_cast<off_t>(written_ - begun_);
  if (sync_file_range(descriptor_.number(), begin, size, SYNC_FILE_RANGE_WRITE) != 0) {
    // Seal stores it all the same.
  }
  begun_ = written_;
#endif
}

Result<std::shared_ptr<const Source>> TemporaryFile::Seal() {
  const auto size = static_cast<off_t>(written_);
  struct stat status {};
  if (fstat(descriptor_.number(), &status) != 0) return SystemError("cannot write", target_);
  // Even where nothing is cut, that waits for what is on its way to the disk.
  if (status.st_size != size && Retried([&] { return ftruncate(descriptor_.number(), size); }) != 0)
    return SystemError("cannot write", target_);
  const std::string path = !partial_.empty() ? partial_
                           : has_name()      ? name_.path()
                                             : PathOfDescriptor(descriptor_.number());
  PTEEDIT_ASSIGN(std::shared_ptr<const Source> sealed, ReopenToRead(descriptor_.number(), path, target_));
  HoldLock(sealed->file_place().descriptor);
  if (kept_permissions_ && fchmod(descriptor_.number(), *kept_permissions_) != 0) {
    // The new file then has fewer permissions: those that it was made with.
  }
  if (Retried([&] { return fsync(descriptor_.number()); }) != 0) return SystemError("cannot write", target_);
  if (close(descriptor_.Release()) != 0 && errno != EINTR) return SystemError("cannot write", target_);
  sealed_ = std::move(sealed);
  return sealed_;
}

Status TemporaryFile::MoveTo(const std::string& target, bool replace) {
  if (!has_name() && partial_.empty()) {
    const int descriptor = sealed_->file_place().descriptor;
    if (LinkNameless(descriptor, target.c_str()) == 0) return {};
    if (errno != EEXIST) return SystemError("cannot create", target);
    if (!replace) return ExistsAt(target);
    PTEEDIT_ASSIGN(name_, TemporaryName::Take(target, FolderOf(target),
                                              [&](const char* name) { return LinkNameless(descriptor, name); }));
  }
  const std::string name = partial_.empty() ? name_.path() : partial_;
  if ((replace ? rename(name.c_str(), target.c_str()) : RenameToNew(name.c_str(), target.c_str())) != 0) {
    return errno == EEXIST && !replace ? Status(ExistsAt(target)) : Status(SystemError("cannot create", target));
  }
  if (!PathExists(name)) name_.Forget();
  sealed_.reset();  // Windows renames no folder in which a file is open
  return {};
}

void TemporaryFile::Drop() {
  if (!partial_.empty()) RemoveMadeFile(std::exchange(partial_, {}));
}

Result<NewFolder> NewFolder::CreateFor(const std::string& target) {
  PTEEDIT_ASSIGN(TemporaryName name, TemporaryName::Take(target, FolderOf(target),
                                                         [](const char* path) { return mkdir(path, kPermissions); }));
  NewFolder folder(name.path());
  name.Forget();  // a file's name would be unlinked, a folder's is removed by NewFolder
  struct stat existing {};
  if (stat(target.c_str(), &existing) == 0 && chmod(folder.path_.c_str(), existing.st_mode & kPermissions) != 0) {
    // The new folder then has the permissions of any new folder.
  }
  return folder;
}

NewFolder::NewFolder(std::string path) : path_(std::move(path)), lock_(OpenLocked(path_)) {}

NewFolder::NewFolder(NewFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})), lock_(std::move(other.lock_)) {}

NewFolder::~NewFolder() {
  if (const Status removed = RemoveRest(); !removed) {
    // An error is on its way already.
  }
}

Status NewFolder::RemoveRest() {
  if (path_.empty()) return {};
  std::error_code failed;
  const std::string path = std::exchange(path_, {});
  std::filesystem::remove_all(path, failed);
  if (!failed) return {};
  return CannotRemove(path, failed.message().c_str());
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
  std::filesystem::recursive_directory_iterator entry(path_, failed);
  while (failed == std::errc::interrupted) entry = std::filesystem::recursive_directory_iterator(path_, failed);
  for (; !failed && entry != std::filesystem::recursive_directory_iterator(); entry.increment(failed)) {
    std::error_code unknown;
    if (entry->is_directory(unknown)) PTEEDIT_TRY(SyncFolder(entry->path().string()));
  }
  if (failed) return IoError("cannot read the folder: " + failed.message()).In(path_);
  return SyncFolder(path_);
}

Status NewFolder::MoveTo(const std::string& target, bool replace) {
  PTEEDIT_TRY(SyncAll());
  if (PathExists(target)) {
    if (!replace) return Exists("the output folder exists already").In(target);
    PTEEDIT_TRY(Exchange(target));  // now the old one is the temporary one
  } else if (rename(path_.c_str(), target.c_str()) != 0) {
    return SystemError("cannot create", target);
  } else {
    path_.clear();
  }
  return {};
}

Status NewFolder::Exchange(const std::string& target) {
#if defined(__linux__)
  if (!OnlyPlainPosix() && renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, target.c_str(), RENAME_EXCHANGE) == 0)
    return {};
#endif
  PTEEDIT_ASSIGN(NewFolder old, CreateFor(target));  // a folder may be renamed to an empty one
  old.lock_ = Descriptor();                          // Windows replaces none that is open
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
  Backup backup;
  if (!PathExists(path)) return backup;
  Result<TemporaryName> name =
      TemporaryName::Take(path, FolderOf(path), [&](const char* second) { return link(path.c_str(), second); });
  if (!name) return backup;
  backup.name_ = *std::move(name);
  backup.lock_ = OpenLocked(backup.name_.path());
  return backup;
}

void Backup::Restore(const std::string& path) {
  if (name_.empty()) {
    unlink(path.c_str());
  } else if (rename(name_.path().c_str(), path.c_str()) == 0) {
    name_.Forget();
  }
}

Result<bool> MakeFolder(const std::string& path) {
  if (mkdir(path.c_str(), kPermissions) == 0) return true;
  if (errno == EEXIST && IsFolder(path)) return false;
  return SystemError("cannot create", path);
}

Result<bool> LinkOpenFile(int descriptor, const std::string& path, const std::string& target) {
  const HeldSignals held;
  const auto link = [&](const char* name) {
#if defined(__linux__)
    if (!OnlyPlainPosix()) return LinkNameless(descriptor, name);
#endif
    return linkat(AT_FDCWD, path.c_str(), AT_FDCWD, name, AT_SYMLINK_FOLLOW);
  };
  TemporaryName name;
  if (link(target.c_str()) != 0) {
    if (errno != EEXIST) return false;
    Result<TemporaryName> taken = TemporaryName::Take(target, FolderOf(target), link);
    if (!taken) return false;
    name = *std::move(taken);
    if (rename(name.path().c_str(), target.c_str()) != 0) return SystemError("cannot create", target);
    if (!PathExists(name.path())) name.Forget();
  }
  if (IdentityOf(target) == IdentityOfDescriptor(descriptor)) return true;
  unlink(target.c_str());
  return IoError("was replaced while it was read").In(path);
}

Status RemoveFile(const std::string& path) {
  if (unlink(path.c_str()) == 0 || errno == ENOENT) return {};
  return SystemError("cannot remove", path);
}

void RemoveMadeFile(const std::string& path) {
  if (unlink(path.c_str()) != 0) {
    // It stays, under a name that says what is in it.
  }
}

void RemoveMadeFolder(const std::string& path) {
  if (rmdir(path.c_str()) != 0) {
    // Somebody else's files are in it.
  }
}

Status SyncFolder(const std::string& folder) {
  const int descriptor = Retried([&] { return open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
  if (descriptor < 0) return {};
  // Some file systems cannot sync a folder; the files themselves are safe.
  const int failed = Retried([&] { return fsync(descriptor); }) != 0 ? errno : 0;
  close(descriptor);
  if (failed != EIO) return {};
  return IoError(std::string("cannot write the folder: ") + std::strerror(failed)).In(folder);
}

Status SyncFolderOfPlaced(const std::string& folder) {
  Status synced = SyncFolder(folder);
  if (synced) return {};
  return IoError(synced.error().message + "; the outputs are in their places, but a crash of the system may undo that")
      .In(folder);
}

}  // namespace pteedit
