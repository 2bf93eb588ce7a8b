#include "io/windows_calls.h"

#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

namespace pteedit {
namespace {

constexpr std::array<std::pair<DWORD, int>, 14> kNumbers{{{ERROR_FILE_NOT_FOUND, ENOENT},
                                                          {ERROR_PATH_NOT_FOUND, ENOENT},
                                                          {ERROR_INVALID_NAME, ENOENT},
                                                          {ERROR_BAD_NETPATH, ENOENT},
                                                          {ERROR_ACCESS_DENIED, EACCES},
                                                          {ERROR_SHARING_VIOLATION, EACCES},
                                                          {ERROR_WRITE_PROTECT, EROFS},
                                                          {ERROR_FILE_EXISTS, EEXIST},
                                                          {ERROR_ALREADY_EXISTS, EEXIST},
                                                          {ERROR_DISK_FULL, ENOSPC},
                                                          {ERROR_HANDLE_DISK_FULL, ENOSPC},
                                                          {ERROR_LOCK_VIOLATION, EAGAIN},
                                                          {ERROR_NOT_SAME_DEVICE, EXDEV},
                                                          {ERROR_TOO_MANY_OPEN_FILES, EMFILE}}};

// What a call of POSIX returns where Windows said no.
int Failure() {
  const DWORD error = GetLastError();
  const auto known =
      std::find_if(kNumbers.begin(), kNumbers.end(), [&](const auto& row) { return row.first == error; });
  errno = known == kNumbers.end() ? EIO : known->second;
  return -1;
}

int Done(BOOL done) { return done ? 0 : Failure(); }

HANDLE HandleOf(int descriptor) { return reinterpret_cast<HANDLE>(_get_osfhandle(descriptor)); }

// A file or folder, which others may go on to read, write, rename and remove.
HANDLE OpenHandle(const char* path, DWORD access, DWORD creation, bool follows) {
  const DWORD flags = FILE_FLAG_BACKUP_SEMANTICS | (follows ? 0 : FILE_FLAG_OPEN_REPARSE_POINT);
  return CreateFileA(path, access, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr, creation, flags,
                     nullptr);
}

// For as long as a call takes.
class OpenPath {
 public:
  OpenPath(const char* path, DWORD access, bool follows) : handle_(OpenHandle(path, access, OPEN_EXISTING, follows)) {}
  OpenPath(const OpenPath&) = delete;
  OpenPath& operator=(const OpenPath&) = delete;
  ~OpenPath() {
    if (is_open()) CloseHandle(handle_);
  }
  bool is_open() const { return handle_ != INVALID_HANDLE_VALUE; }
  HANDLE handle() const { return handle_; }

 private:
  HANDLE handle_;
};

uint64_t Joined(DWORD high, DWORD low) { return uint64_t{high} << 32 | low; }

// A link, and no other reparse point, such as a file that a cloud has.
bool IsOpenLink(HANDLE handle) {
  FILE_ATTRIBUTE_TAG_INFO tag{};
  return GetFileInformationByHandleEx(handle, FileAttributeTagInfo, &tag, sizeof(tag)) &&
         (tag.FileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0 && IsReparseTagNameSurrogate(tag.ReparseTag);
}

int StatusOf(HANDLE handle, struct stat* status) {
  constexpr mode_t kToRead = 0444, kToWrite = 0222, kToSearch = 0111;
  *status = {};
  status->st_mode = kToRead | kToWrite;
  const DWORD type = GetFileType(handle);
  if (type != FILE_TYPE_DISK) {
    status->st_mode |= type == FILE_TYPE_PIPE ? S_IFIFO : S_IFCHR;
    return type == FILE_TYPE_UNKNOWN ? Failure() : 0;
  }
  BY_HANDLE_FILE_INFORMATION about{};
  if (!GetFileInformationByHandle(handle, &about)) return Failure();
  const bool is_folder = (about.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
  status->st_mode |= IsOpenLink(handle) ? S_IFLNK : is_folder ? S_IFDIR | kToSearch : S_IFREG;
  status->st_dev = about.dwVolumeSerialNumber;
  status->st_ino = Joined(about.nFileIndexHigh, about.nFileIndexLow);
  status->st_nlink = about.nNumberOfLinks;
  status->st_size = static_cast<int64_t>(Joined(about.nFileSizeHigh, about.nFileSizeLow));
  return 0;
}

int StatusAt(const char* path, struct stat* status, bool follows) {
  const OpenPath opened(path, FILE_READ_ATTRIBUTES, follows);
  return opened.is_open() ? StatusOf(opened.handle(), status) : Failure();
}

OVERLAPPED At(uint64_t offset) {
  OVERLAPPED place{};
  place.Offset = static_cast<DWORD>(offset);
  place.OffsetHigh = static_cast<DWORD>(offset >> 32);
  return place;
}

// Also where the file that is replaced is open, which Windows 10 and file systems of its own can do.
bool RenamedAsPosix(HANDLE handle, const char* to) {
  std::error_code failed;
  const std::wstring name = std::filesystem::absolute(to, failed).wstring();
  if (failed) return false;
  const size_t name_bytes = name.size() * sizeof(wchar_t);
  const size_t bytes = sizeof(FILE_RENAME_INFO) + name_bytes;
  std::vector<FILE_RENAME_INFO> buffer(bytes / sizeof(FILE_RENAME_INFO) + 1);
  buffer[0].Flags = FILE_RENAME_FLAG_REPLACE_IF_EXISTS | FILE_RENAME_FLAG_POSIX_SEMANTICS;
  buffer[0].FileNameLength = static_cast<DWORD>(name_bytes);
  std::memcpy(buffer[0].FileName, name.data(), name_bytes);
  return SetFileInformationByHandle(handle, FileRenameInfoEx, buffer.data(), static_cast<DWORD>(bytes));
}

}  // namespace

int open(const char* path, int flags, mode_t) {
  const DWORD access = GENERIC_READ | ((flags & O_RDWR) != 0 ? GENERIC_WRITE : 0);
  const bool is_new = (flags & O_EXCL) != 0, makes = (flags & O_CREAT) != 0;
  const DWORD creation = is_new ? CREATE_NEW : makes ? OPEN_ALWAYS : OPEN_EXISTING;
  const HANDLE handle = OpenHandle(path, access, creation, (flags & O_NOFOLLOW) == 0);
  if (handle == INVALID_HANDLE_VALUE) return Failure();
  const int descriptor = _open_osfhandle(reinterpret_cast<intptr_t>(handle), O_NOINHERIT | O_BINARY);
  if (descriptor < 0) CloseHandle(handle);
  return descriptor;
}

int fcntl(int descriptor, int command, int) { return command == F_DUPFD_CLOEXEC ? dup(descriptor) : 0; }

ssize_t pread(int descriptor, void* bytes, size_t size, int64_t offset) {
  OVERLAPPED place = At(static_cast<uint64_t>(offset));
  DWORD got = 0;
  if (ReadFile(HandleOf(descriptor), bytes, static_cast<DWORD>(size), &got, &place)) return got;
  return GetLastError() == ERROR_HANDLE_EOF ? 0 : Failure();
}

int fsync(int descriptor) { return Done(FlushFileBuffers(HandleOf(descriptor))); }

// Nobody else may read or write what is locked, so it is a byte that no file has.
int flock(int descriptor, int operation) {
  OVERLAPPED place = At(uint64_t{1} << 62);
  const DWORD flags = LOCKFILE_FAIL_IMMEDIATELY | ((operation & LOCK_EX) != 0 ? LOCKFILE_EXCLUSIVE_LOCK : 0);
  return Done(LockFileEx(HandleOf(descriptor), flags, 0, 1, 0, &place));
}

int fstat(int descriptor, struct stat* status) { return StatusOf(HandleOf(descriptor), status); }
int stat(const char* path, struct stat* status) { return StatusAt(path, status, /*follows=*/true); }
int lstat(const char* path, struct stat* status) { return StatusAt(path, status, /*follows=*/false); }

int link(const char* path, const char* second) { return Done(CreateHardLinkA(second, path, nullptr)); }
int linkat(int, const char* path, int, const char* second, int) { return link(path, second); }

int rename(const char* from, const char* to) {
  const OpenPath opened(from, DELETE | SYNCHRONIZE, /*follows=*/false);
  if (!opened.is_open()) return Failure();
  struct stat moved;
  if (StatusOf(opened.handle(), &moved) == 0 && S_ISDIR(moved.st_mode)) RemoveDirectoryA(to);  // if it is empty
  if (RenamedAsPosix(opened.handle(), to)) return 0;
  return Done(MoveFileExA(from, to, MOVEFILE_REPLACE_EXISTING));
}

int mkdir(const char* path, mode_t) { return Done(CreateDirectoryA(path, nullptr)); }

int faccessat(int, const char* folder, int, int) {
  struct stat status;
  if (stat(folder, &status) != 0) return -1;
  if (S_ISDIR(status.st_mode)) return 0;
  errno = ENOTDIR;
  return -1;
}

int kill(pid_t process, int) {
  const HANDLE handle = OpenProcess(SYNCHRONIZE, FALSE, static_cast<DWORD>(process));
  const bool is_over =
      handle == nullptr ? GetLastError() == ERROR_INVALID_PARAMETER : WaitForSingleObject(handle, 0) == WAIT_OBJECT_0;
  if (handle != nullptr) CloseHandle(handle);
  if (!is_over) return 0;
  errno = ESRCH;
  return -1;
}

}  // namespace pteedit
