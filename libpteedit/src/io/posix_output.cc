#include "io/posix_output.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/text.h"
#include "io/system_calls.h"

namespace pteedit {

std::string PathOfDescriptor(int descriptor) { return Text("/proc/self/fd/", descriptor); }

int LinkDescriptor(int descriptor, const char* name) {
  return linkat(AT_FDCWD, PathOfDescriptor(descriptor).c_str(), AT_FDCWD, name, AT_SYMLINK_FOLLOW);
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
    if (!OnlyPlainPosix()) return LinkDescriptor(descriptor, name);
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

Status WriteToDescriptor(int descriptor, ByteSpan bytes) {
  while (bytes.size != 0) {
    const size_t step = static_cast<size_t>(std::min<uint64_t>(bytes.size, kMaxTransfer));
    const ssize_t put = Retried([&] { return write(descriptor, bytes.data, step); });
    if (put < 0) return SystemError("cannot write", "");
    bytes = {bytes.data + put, bytes.size - static_cast<size_t>(put)};
  }
  return {};
}

}  // namespace pteedit
