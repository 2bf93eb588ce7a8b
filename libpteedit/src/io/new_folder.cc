#include "io/new_folder.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "io/posix_output.h"
#include "io/system_calls.h"
#include "io/temporary_name.h"
#include "pteedit/try.h"

namespace pteedit {

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

}  // namespace pteedit
