// Doing independent work on several threads. The order of results never depends on their number.
#ifndef PTEEDIT_SRC_BASE_PARALLEL_H_
#define PTEEDIT_SRC_BASE_PARALLEL_H_

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace pteedit {

// Calls work(i) once for every i in [0, count), on up to `threads` threads.
template <class Work>
void ParallelFor(size_t count, unsigned threads, Work work) {
  std::atomic<size_t> next{0};
  const auto run = [&] {
    for (size_t i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::thread> others;
  const size_t wanted = std::min<size_t>(std::max(1U, threads), count);
  for (size_t i = 1; i < wanted; ++i) others.emplace_back(run);
  run();
  for (std::thread& other : others) other.join();
}

}  // namespace pteedit

#endif  // PTEEDIT_SRC_BASE_PARALLEL_H_
