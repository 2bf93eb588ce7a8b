// A library to preload into the tools: system calls that fail, or that wait so that a signal comes at a known moment.
//   PTEEDIT_FAIL=unlink:13,fsync_folder:5   these calls always fail with that errno
//   PTEEDIT_PAUSE=fsync PTEEDIT_MARK=FILE   the first such call makes FILE, waits a while and then goes on
#undef _FILE_OFFSET_BITS  // each name by itself
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

namespace {

constexpr int kPauseMilliseconds = 700;

template <class Call>
Call* Real(const char* name, Call*) {
  return reinterpret_cast<Call*>(dlsym(RTLD_NEXT, name));
}

void Pause(const char* call) {
  const char* wanted = std::getenv("PTEEDIT_PAUSE");
  static bool paused = false;
  if (paused || wanted == nullptr || std::strcmp(wanted, call) != 0) return;
  paused = true;
  const int error = errno;
  if (FILE* mark = std::fopen(std::getenv("PTEEDIT_MARK"), "w")) std::fclose(mark);
  timespec left{kPauseMilliseconds / 1000, kPauseMilliseconds % 1000 * 1'000'000L};
  while (nanosleep(&left, &left) != 0) {
  }
  errno = error;
}

bool Fails(const char* call) {
  const char* list = std::getenv("PTEEDIT_FAIL");
  const std::string all = std::string(",") + (list == nullptr ? "" : list);
  const std::string wanted = std::string(",") + call + ":";
  const size_t place = all.find(wanted);
  if (place == std::string::npos) return false;
  errno = std::atoi(all.c_str() + place + wanted.size());
  return true;
}

bool IsFolder(int descriptor) {
  struct stat status {};
  return fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode);
}

int OpenWith(const char* name, const char* path, int flags, mode_t mode) {
  if ((flags & O_TMPFILE) == O_TMPFILE && Fails("tmpfile")) return -1;
  return Real<int(const char*, int, ...)>(name, nullptr)(path, flags, mode);
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = va_arg(rest, mode_t);
  va_end(rest);
  return OpenWith("open", path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = va_arg(rest, mode_t);
  va_end(rest);
  return OpenWith("open64", path, flags, mode);
}

int unlink(const char* path) noexcept {
  Pause("unlink");
  return Fails("unlink") ? -1 : Real<int(const char*)>("unlink", nullptr)(path);
}

int unlinkat(int folder, const char* path, int flags) noexcept {
  return Fails("unlinkat") ? -1 : Real<int(int, const char*, int)>("unlinkat", nullptr)(folder, path, flags);
}

int fsync(int descriptor) {
  Pause("fsync");
  if (IsFolder(descriptor) && Fails("fsync_folder")) return -1;
  return Real<int(int)>("fsync", nullptr)(descriptor);
}

int faccessat(int folder, const char* path, int mode, int flags) noexcept {
  return Fails("faccessat") ? -1
                            : Real<int(int, const char*, int, int)>("faccessat", nullptr)(folder, path, mode, flags);
}

int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) noexcept {
  Pause("linkat");
  return Real<int(int, const char*, int, const char*, int)>("linkat", nullptr)(from_folder, from, to_folder, to, flags);
}

int rename(const char* from, const char* to) noexcept {
  Pause("rename");
  return Real<int(const char*, const char*)>("rename", nullptr)(from, to);
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) noexcept {
  Pause("rename");
  if (Fails("renameat2")) return -1;
  return Real<int(int, const char*, int, const char*, unsigned)>("renameat2", nullptr)(from_folder, from, to_folder, to,
                                                                                       flags);
}

int mkdir(const char* path, mode_t mode) noexcept {
  Pause("mkdir");
  return Real<int(const char*, mode_t)>("mkdir", nullptr)(path, mode);
}

ssize_t pread64(int descriptor, void* out, size_t size, off64_t offset) {
  Pause("pread");
  return Real<ssize_t(int, void*, size_t, off64_t)>("pread64", nullptr)(descriptor, out, size, offset);
}

ssize_t copy_file_range(int from, off64_t* from_offset, int to, off64_t* to_offset, size_t size, unsigned flags) {
  Pause("copy");
  if (Fails("copy_file_range")) return -1;
  return Real<ssize_t(int, off64_t*, int, off64_t*, size_t, unsigned)>("copy_file_range", nullptr)(
      from, from_offset, to, to_offset, size, flags);
}

}  // extern "C"
