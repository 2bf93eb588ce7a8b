// The door to the operating system for what changes at once: second names, folders, what is removed and made to last.
#ifndef PTEEDIT_SRC_IO_POSIX_OUTPUT_H_
#define PTEEDIT_SRC_IO_POSIX_OUTPUT_H_

#include <string>

#include "io/posix_file.h"
#include "io/temporary_name.h"
#include "pteedit/bytes.h"
#include "pteedit/result.h"

namespace pteedit {

// A second name for an existing file, to restore it by should a later step fail.
class Backup {
 public:
  // Empty where there is no file or the file system has no hard links: then there is nothing to restore.
  static Backup Of(const std::string& path);
  Backup() = default;
  // Puts things back as they were: the old file, or none.
  void Restore(const std::string& path);
  Status Remove() { return name_.Remove(); }

 private:
  TemporaryName name_;
  Descriptor lock_;
};

// Creates a folder unless it is there. Returns whether it was not. Fails with kIo.
Result<bool> MakeFolder(const std::string& path);

// Through this path a file without a name can be given one, or be opened anew. Linux.
std::string PathOfDescriptor(int descriptor);
// The open file gets a name. As linkat: -1 with EEXIST rather than to replace.
int LinkDescriptor(int descriptor, const char* name);
// Gives a file that is open as `descriptor`, and was at `path`, the name `target`, too, whatever has that now. False
// where the file system has no second names. Fails with kIo, also where `path` is another file by now.
Result<bool> LinkOpenFile(int descriptor, const std::string& path, const std::string& target);

// No error where it is gone already. Fails with kIo.
Status RemoveFile(const std::string& path);
// Remove what this process has just made there, as far as that can be done; the folder only where it is empty.
void RemoveMadeFile(const std::string& path);
void RemoveMadeFolder(const std::string& path);

// Makes the renames in `folder` last. Fails with kIo.
Status SyncFolder(const std::string& folder);
// The same where the outputs have taken their places already and stay there, which the error says.
Status SyncFolderOfPlaced(const std::string& folder);

// Appends to an open descriptor (standard output).
Status WriteToDescriptor(int descriptor, ByteSpan bytes);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_IO_POSIX_OUTPUT_H_
