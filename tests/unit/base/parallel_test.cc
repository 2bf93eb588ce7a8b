#include "base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

namespace pteedit::parallel_test {
namespace {

TEST(ParallelFor, DoesEachPieceOfWorkOnce) {
  for (const unsigned threads : {0U, 1U, 2U, 7U, 100U}) {
    std::vector<std::atomic<int>> done(50);
    ParallelFor(done.size(), threads, [&](size_t i) { ++done[i]; });
    for (const auto& count : done) EXPECT_EQ(count, 1) << threads << " threads";
  }
}

TEST(ParallelFor, DoesNothingForNoWork) {
  ParallelFor(0, 4, [](size_t) { ADD_FAILURE() << "was called"; });
}

}  // namespace
}  // namespace pteedit::parallel_test
