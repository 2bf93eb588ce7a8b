// Names under which something lies that is not to stay. Whatever has one is removed by its destructor, or, where a
// signal ends the process, by RemoveTemporaryFiles.
#ifndef PTEEDIT_SRC_IO_TEMPORARY_NAME_H_
#define PTEEDIT_SRC_IO_TEMPORARY_NAME_H_

#include <csignal>
#include <functional>
#include <string>

#include "io/posix_file.h"
#include "io/temporary_entries.h"
#include "pteedit/result.h"

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

// ".model.pte" for "a/model.pte"; short enough for what comes behind it.
std::string HiddenName(const std::string& target);

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

// Tells other processes that this one is at it, as long as the file is open. Where that cannot be told, nor can others
// know that nobody is.
void HoldLock(int descriptor);
// No link. Has such a lock.
Descriptor OpenLocked(const std::string& path);

// That what is not to stay does, with the reason.
Error CannotRemove(const std::string& path, const char* why);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_IO_TEMPORARY_NAME_H_
