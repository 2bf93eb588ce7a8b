// Doing independent work on several threads. The order of results never depends on their number.
#ifndef PTEEDIT_SRC_BASE_PARALLEL_H_
#define PTEEDIT_SRC_BASE_PARALLEL_H_

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "pteedit/result.h"

namespace pteedit {

// Calls work(own, i), which gives a Status, once for every i in [0, count), on up to `threads` threads, of which each
// has an `own` of its own, which make() makes. Fails as the first i that fails, after all of them.
template <class Make, class Work>
Status ParallelFor(size_t count, unsigned threads, Make make, Work work) {
  std::atomic<size_t> next{0};
  std::mutex mutex;
  size_t failed = count;
  Status first;
  const auto run = [&] {
    auto own = make();
    for (size_t i = next++; i < count; i = next++) {
      Status status = work(own, i);
      if (status) continue;
      const std::lock_guard lock(mutex);
      if (i < failed) failed = i, first = std::move(status);
    }
  };
  std::vector<std::thread> others;
  const size_t wanted = std::min<size_t>(std::max(1U, threads), count);
  for (size_t i = 1; i < wanted; ++i) others.emplace_back(run);
  run();
  for (std::thread& other : others) other.join();
  return first;
}

// Calls work(i).
template <class Work>
Status ParallelFor(size_t count, unsigned threads, Work work) {
  return ParallelFor(
      count, threads, [] { return 0; }, [&](int, size_t i) { return work(i); });
}

}  // namespace pteedit

#endif  // PTEEDIT_SRC_BASE_PARALLEL_H_
