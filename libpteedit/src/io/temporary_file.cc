#include "io/temporary_file.h"

#if defined(__linux__)
#include <linux/magic.h>
#include <sys/vfs.h>
#endif

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include "base/text.h"
#include "io/posix_output.h"
#include "io/system_calls.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

constexpr uint64_t kStoreStep = uint64_t{8} << 20;
constexpr uint64_t kComparedBytes = uint64_t{64} << 10;
constexpr uint64_t kBlockBytes = 4096;  // of the file systems whose files can share what they hold

#if defined(__linux__)
// Whether a file lies on such a file system; EXT4_SUPER_MAGIC is also that of ext2 and ext3.
bool IsOn(unsigned magic, int descriptor) {
  struct statfs there {};
  return fstatfs(descriptor, &there) == 0 && static_cast<unsigned>(there.f_type) == magic;
}

// How many bytes it is to where a block begins in both files, from which on the copy can share the original's.
uint64_t BytesToBlock(uint64_t from, uint64_t to) {
  return from % kBlockBytes == to % kBlockBytes ? (kBlockBytes - from % kBlockBytes) % kBlockBytes : 0;
}
#endif

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
  return Text(FolderOf(target), "/", HiddenName(target), kPartialEnd);
}

Error ExistsAt(const std::string& target) { return Exists("the output exists already").In(target); }

}  // namespace

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
  if (OnlyPlainPosix() || size == 0) return {};
  // As long as a byte of what was reserved there is in use, all of it is taken, also where a copy shares the
  // original's.
  if (IsOn(BTRFS_SUPER_MAGIC, descriptor_.number())) return {};
  if (fallocate(descriptor_.number(), 0, 0, static_cast<off_t>(size)) == 0 || errno != ENOSPC) return {};
  return SystemError("cannot write", target_);
#else
  (void)size;
  return {};
#endif
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

Status TemporaryFile::StoreAhead() const { return written_ < kStoreStep ? Status() : Store(); }

// The system tells an error once.
Status TemporaryFile::Store() const {
  if (Retried([&] { return fsync(descriptor_.number()); }) != 0) return SystemError("cannot write", target_);
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

uint64_t TemporaryFile::AppendInKernel(Source::FilePlace from, uint64_t size) {
  uint64_t copied = 0;
  if (there_ != 0) return copied;  // is to be compared
#if defined(POSIX_FADV_SEQUENTIAL)
  if (posix_fadvise(from.descriptor, 0, 0, POSIX_FADV_SEQUENTIAL) != 0) {
    // It is read ahead less.
  }
#endif
#if defined(__linux__)
  // Those copy page by page, which takes half as long again as reading and writing.
  if (OnlyPlainPosix() || IsOn(EXT4_SUPER_MAGIC, descriptor_.number())) return copied;
  off_t offset = static_cast<off_t>(from.offset);
  while (copied < size) {
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
  PTEEDIT_TRY(Store());
  if (close(descriptor_.Release()) != 0 && errno != EINTR) return SystemError("cannot write", target_);
  sealed_ = std::move(sealed);
  return sealed_;
}

Status TemporaryFile::MoveTo(const std::string& target, bool replace) {
  if (!has_name() && partial_.empty()) {
    const int descriptor = sealed_->file_place().descriptor;
    if (LinkDescriptor(descriptor, target.c_str()) == 0) return {};
    if (errno != EEXIST) return SystemError("cannot create", target);
    if (!replace) return ExistsAt(target);
    PTEEDIT_ASSIGN(name_, TemporaryName::Take(target, FolderOf(target),
                                              [&](const char* name) { return LinkDescriptor(descriptor, name); }));
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

}  // namespace pteedit
