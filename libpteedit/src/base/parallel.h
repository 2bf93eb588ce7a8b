// Doing independent work on several threads. The order of results never depends on their number.
#ifndef PTEEDIT_SRC_BASE_PARALLEL_H_
#define PTEEDIT_SRC_BASE_PARALLEL_H_

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace pteedit {

// Calls work(own, i) once for every i in [0, count), on up to `threads` threads, of which each has an `own` of its own,
// which make() makes.
template <class Make, class Work>
void ParallelFor(size_t count, unsigned threads, Make make, Work work) {
  std::atomic<size_t> next{0};
  const auto run = [&] {
    auto own = make();
    for (size_t i = next++; i < count; i = next++) work(own, i);
  };
  std::vector<std::thread> others;
  const size_t wanted = std::min<size_t>(std::max(1U, threads), count);
  for (size_t i = 1; i < wanted; ++i) others.emplace_back(run);
  run();
  for (std::thread& other : others) other.join();
}

// Calls work(i).
template <class Work>
void ParallelFor(size_t count, unsigned threads, Work work) {
  ParallelFor(
      count, threads, [] { return 0; }, [&](int, size_t i) { work(i); });
}

}  // namespace pteedit

#endif  // PTEEDIT_SRC_BASE_PARALLEL_H_
