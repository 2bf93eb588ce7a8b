// The calls of POSIX that posix_file.cc and posix_output.cc make, for Windows, which lacks some and has others that do
// less: its open() keeps a file from being renamed, its rename() replaces nothing, its stat() tells no file from
// another. Being in our namespace, they are found before those. Names are UTF-8, as tools/windows.manifest asks for.
#ifndef PTEEDIT_SRC_IO_WINDOWS_CALLS_H_
#define PTEEDIT_SRC_IO_WINDOWS_CALLS_H_

#include <fcntl.h>
#include <io.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

#define S_ISLNK(mode) (((mode)&S_IFMT) == pteedit::S_IFLNK)
#define S_ISSOCK(mode) ((void)(mode), false)

namespace pteedit {

using mode_t = uint32_t;

inline constexpr int O_CLOEXEC = O_NOINHERIT, O_NONBLOCK = 0, O_DIRECTORY = 0;
inline constexpr int O_NOFOLLOW = 1 << 28;  // a bit that is free
inline constexpr unsigned S_IFLNK = 0xa000;
inline constexpr int F_SETFD = 0, FD_CLOEXEC = 0, F_DUPFD_CLOEXEC = 1;
inline constexpr int LOCK_SH = 1, LOCK_EX = 2, LOCK_NB = 4;
inline constexpr int AT_FDCWD = 0, AT_SYMLINK_FOLLOW = 0, AT_EACCESS = 0;

// Permissions are those that all have: what may be written by whom is not told by nine bits here.
struct stat {
  mode_t st_mode = 0;
  uint64_t st_dev = 0, st_ino = 0, st_nlink = 0;
  int64_t st_size = 0;
};

int open(const char* path, int flags, mode_t mode = 0);
int fcntl(int descriptor, int command, int number);
ssize_t pread(int descriptor, void* bytes, size_t size, int64_t offset);
int fsync(int descriptor);
int flock(int descriptor, int operation);  // never waits
int fstat(int descriptor, struct stat* status);
int stat(const char* path, struct stat* status);
int lstat(const char* path, struct stat* status);
int link(const char* path, const char* second);
int linkat(int from, const char* path, int to, const char* second, int flags);
int rename(const char* from, const char* to);
int mkdir(const char* path, mode_t mode);
int faccessat(int from, const char* folder, int access, int flags);
int kill(pid_t process, int signal);  // 0, which asks whether it is there
inline int chmod(const char*, mode_t) { return 0; }
inline int fchmod(int, mode_t) { return 0; }

}  // namespace pteedit

#endif  // PTEEDIT_SRC_IO_WINDOWS_CALLS_H_
