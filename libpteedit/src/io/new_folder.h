#ifndef PTEEDIT_SRC_IO_NEW_FOLDER_H_
#define PTEEDIT_SRC_IO_NEW_FOLDER_H_

#include <string>

#include "io/posix_file.h"
#include "pteedit/result.h"

namespace pteedit {

// A folder being filled under a temporary name beside its target. Removed with all that is in it by the destructor
// unless it took its place.
class NewFolder {
 public:
  // Gets the permissions of a folder that is at `target`, else those of any new folder.
  static Result<NewFolder> CreateFor(const std::string& target);
  NewFolder(NewFolder&& other) noexcept;
  NewFolder& operator=(NewFolder&& other) = delete;
  ~NewFolder();

  const std::string& path() const { return path_; }

  // Creates a folder in it with all those above, "a/b".
  Status Add(const std::string& relative);
  // Puts the folder at `target`. With `replace` a folder that is there becomes the temporary one; without, there may be
  // none.
  Status MoveTo(const std::string& target, bool replace);
  // Removes what was replaced, if anything was.
  Status RemoveRest();

 private:
  explicit NewFolder(std::string path);
  Status SyncAll() const;
  Status Exchange(const std::string& target);
  std::string path_;
  Descriptor lock_;
};

}  // namespace pteedit

#endif  // PTEEDIT_SRC_IO_NEW_FOLDER_H_
