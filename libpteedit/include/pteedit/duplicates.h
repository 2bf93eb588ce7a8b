// Equal contents inside files and across them, and what storing each once would save.
#ifndef PTEEDIT_DUPLICATES_H_
#define PTEEDIT_DUPLICATES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "pteedit/container.h"
#include "pteedit/export.h"
#include "pteedit/result.h"

namespace pteedit {

// A place that holds contents of its own. Names that lead to the very same bytes of a file are one copy, under the
// first of them.
struct ContentCopy {
  size_t file = 0;  // index of the file
  const char* what =
      "";            // "constant", "mutable" (an initial value), "delegate" (a processed blob), "named-data", "data"
  std::string name;  // constant's name, delegate's name or key
};

// Two or more copies of the same bytes.
struct DuplicateGroup {
  uint64_t bytes = 0;               // of one copy, more than 0
  std::vector<ContentCopy> copies;  // by file, within a file constants and initial values, delegates, keys
  uint64_t saved_bytes = 0;         // (copies - 1) * bytes
};

struct Duplicates {
  std::vector<DuplicateGroup> groups;  // most saved first
  uint64_t saved_bytes = 0;            // sum over the groups
};

// Looks at constants, initial values, processed blobs and named data of programs (in bundles too) and at the entries of
// data files. Contents are compared byte by byte. Fails only where a file can no longer be read. Same result with any
// number of threads.
PTEEDIT_API Result<Duplicates> FindDuplicates(const std::vector<Container>& files, unsigned threads = 1);

}  // namespace pteedit

#endif  // PTEEDIT_DUPLICATES_H_
