// Which of many byte ranges hold the same bytes: the one place that decides equality of contents inside a run.
#ifndef PTEEDIT_SRC_IO_CONTENT_INDEX_H_
#define PTEEDIT_SRC_IO_CONTENT_INDEX_H_

#include <cstddef>
#include <cstdint>
#include <functional>
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

// The same, of a source that somebody keeps: null where there are no bytes.
struct ContentView {
  const Source* source = nullptr;
  Extent extent;
};

using ViewOfContent = std::function<ContentView(size_t i)>;

// For each of `count` places the index of the first one with the same size and the same bytes: its own where there is
// none before. Those of one size are read side by side, piece by piece, and what has become unlike all others is read
// no further. So no byte is read twice, and beside some words a place memory stays below 8 MiB a thread whatever there
// is to compare. Of one size of which all have a known SHA-256 nothing is read. Same result, and same error, with any
// number of threads, which all call view_of(i). kUnsupported where there are 2^32 or more.
Result<std::vector<uint32_t>> GroupByContent(size_t count, const ViewOfContent& view_of, unsigned threads);

inline Result<std::vector<uint32_t>> GroupByContent(const std::vector<ContentPlace>& places, unsigned threads) {
  const auto view_of = [&](size_t i) { return ContentView{places[i].source.get(), places[i].extent}; };
  return GroupByContent(places.size(), view_of, threads);
}

}  // namespace pteedit

#endif  // PTEEDIT_SRC_IO_CONTENT_INDEX_H_
