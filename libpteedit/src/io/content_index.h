// Which of many byte ranges hold the same bytes: the one place that decides equality of contents inside a run.
#ifndef PTEEDIT_SRC_IO_CONTENT_INDEX_H_
#define PTEEDIT_SRC_IO_CONTENT_INDEX_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "pteedit/bytes.h"
#include "pteedit/result.h"
#include "pteedit/source.h"

namespace pteedit {

struct ContentPlace {
  std::shared_ptr<const Source> source;
  Extent extent;
};

// For each place the index of the first one with the same size and the same bytes: its own where there is none before.
// Those of one size are read side by side, piece by piece, and what has become unlike all others is read no further. So
// no byte is read twice, and beside some words a place memory stays below 8 MiB a thread whatever there is to compare.
// Of one size of which all have a known SHA-256 nothing is read. Same result, and same error, with any number of
// threads.
Result<std::vector<size_t>> GroupByContent(const std::vector<ContentPlace>& places, unsigned threads);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_IO_CONTENT_INDEX_H_
