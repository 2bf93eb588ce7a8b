#include "io/temporary_entries.h"

#include <utility>

#include "io/system_calls.h"
#include "pteedit/planned_file.h"

namespace pteedit {
namespace {

std::atomic<TemporaryEntry*> newest{nullptr};

}  // namespace

TemporaryEntry* AddTemporaryEntry(std::string path) {
  auto* entry = new TemporaryEntry{std::move(path)};
  entry->next = newest.load();
  while (!newest.compare_exchange_weak(entry->next, entry)) {
  }
  return entry;
}

void RemoveTemporaryFiles() {
  for (const TemporaryEntry* entry = newest.load(); entry != nullptr; entry = entry->next) {
    if (entry->is_there) unlink(entry->path.c_str());
  }
}

}  // namespace pteedit
