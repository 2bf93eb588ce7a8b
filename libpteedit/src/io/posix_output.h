// The other door to the operating system: what is being made, until it takes its place. Whatever has a temporary name
// is removed by its destructor, or, where a signal ends the process, by RemoveTemporaryFiles.
#ifndef PTEEDIT_SRC_IO_POSIX_OUTPUT_H_
#define PTEEDIT_SRC_IO_POSIX_OUTPUT_H_

#include <csignal>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "io/posix_file.h"
#include "io/temporary_names.h"
#include "pteedit/bytes.h"
#include "pteedit/planned_file.h"
#include "pteedit/result.h"
#include "pteedit/source.h"

namespace pteedit {

// While it lives, signals that end the process wait, as far as this thread is concerned: steps of a moment that belong
// together happen together.
class HeldSignals {
 public:
  HeldSignals();
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;
  ~HeldSignals();

#if !defined(_WIN32)
 private:
  sigset_t before_{};
#endif
};

// A name beside a target, ".model.pte.4711-0.tmp", under which something lies that is not to stay. What processes that
// are over left under such names of the same target is removed before: where nobody holds a lock on it, so that one of
// another machine or container, whose number means nothing here, keeps its own.
class TemporaryName {
 public:
  // Tries one name after the other: `make` makes what it likes under it and returns 0, or -1 with errno, where EEXIST
  // asks for the next name. Fails with kIo, about `target`.
  static Result<TemporaryName> Take(const std::string& target, const std::string& folder,
                                    const std::function<int(const char* name)>& make);
  TemporaryName() = default;
  TemporaryName(TemporaryName&& other) noexcept;
  TemporaryName& operator=(TemporaryName&& other) noexcept;
  ~TemporaryName();

  bool empty() const { return entry_ == nullptr; }
  const std::string& path() const;
  // Removes the file under it, if there is any. Forgets it also where that fails (kIo, about the name).
  Status Remove();
  // The name is used up: by a rename.
  void Forget();

 private:
  explicit TemporaryName(TemporaryEntry* entry) : entry_(entry) {}
  TemporaryEntry* entry_ = nullptr;
};

// What comes behind the name of a file, with a dot before it, of which a process has made a part that stays.
inline constexpr char kPartialEnd[] = ".partial";
// How large the part is that there is of `target`; 0 where there is none.
uint64_t PartialBytes(const std::string& target);

// A file being written that is not in its place yet. Where the file system can, it has no name at all, and nothing is
// left of it however the process ends.
class TemporaryFile {
 public:
  // Lies in `folder`, on the file system of `target`, and gets the permissions that a file at `target` has already,
  // else `permissions` less the umask. Errors are about `target`.
  static Result<TemporaryFile> CreateFor(const std::string& target, const std::string& folder, uint32_t permissions);
  // One that goes on where another process ended: ".NAME.partial" beside the target, which stays until it has its
  // place. What Append gives is compared with what is there, and written from where that differs or ends. As CreateFor
  // where another process is at it, or the file system cannot lock it.
  static Result<TemporaryFile> ResumeFor(const std::string& target, uint32_t permissions);

  bool has_name() const { return !name_.empty(); }

  // Reserves the space, so that a full disk is found out before the first byte. Does nothing where that cannot be done
  // or would keep the space from being shared.
  Status Reserve(uint64_t size);
  Status Append(ByteSpan bytes);
  uint64_t written() const { return written_; }
  // What it will be with `size` bytes, of which those that are written can be read. Must not outlive the writing.
  std::shared_ptr<const Source> AsSource(uint64_t size) const;
  // Appends `size` bytes of an open file, inside the kernel where possible, and shares its blocks where the file system
  // can and both begin at one place of a block. Returns how many were copied; none while what is there is compared.
  Result<uint64_t> AppendFromFile(Source::FilePlace from, uint64_t size);
  // Writes over what was appended, after which nothing is.
  Status WriteOver(uint64_t offset, ByteSpan bytes);
  // Makes the bytes last and closes the one descriptor that could write. Returns the file as it is from now on, open
  // only for reading.
  Result<std::shared_ptr<const Source>> Seal();
  // Puts the sealed file at `target` with `replace`, else only where nothing is there yet.
  Status MoveTo(const std::string& target, bool replace);
  // Nobody is to go on with it.
  void Drop();
  // Removes a name that is left beside the one that MoveTo gave, on file systems that rename only over what is there.
  Status RemoveRest() { return name_.Remove(); }

 private:
  explicit TemporaryFile(std::string target) : target_(std::move(target)) {}
  Status Open(const std::string& folder, uint32_t permissions);
  bool OpenPartial(uint32_t permissions);
  void KeepPermissions();
  uint64_t EqualThere(ByteSpan bytes) const;
  void BeginToStore();
  std::string target_;
  TemporaryName name_;
  std::string partial_;  // its path; empty: there is none
  uint64_t there_ = 0;   // so much of it is to be compared
  Descriptor descriptor_;
  uint64_t written_ = 0;
  uint64_t begun_ = 0;                        // so much is on its way to the disk
  std::optional<uint32_t> kept_permissions_;  // of the file that this one replaces
  std::shared_ptr<const Source> sealed_;
};

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
