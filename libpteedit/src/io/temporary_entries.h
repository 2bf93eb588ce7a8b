// The list of temporary names, from which RemoveTemporaryFiles removes. One for the process: the other libraries, which
// have what is hidden in the first one a second time, take this part of it from there.
#ifndef PTEEDIT_SRC_IO_TEMPORARY_ENTRIES_H_
#define PTEEDIT_SRC_IO_TEMPORARY_ENTRIES_H_

#include <atomic>
#include <string>

#include "pteedit/export.h"

namespace pteedit {

// One of a list that only grows, so that a signal handler can go through it at any time.
struct TemporaryEntry {
  const std::string path;
  std::atomic<bool> is_there{true};
  TemporaryEntry* next = nullptr;
};

// Stays for ever: a handler may be looking at it.
PTEEDIT_API TemporaryEntry* AddTemporaryEntry(std::string path);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_IO_TEMPORARY_ENTRIES_H_
