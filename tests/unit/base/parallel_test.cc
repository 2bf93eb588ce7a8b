#include "base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <vector>

#include "file_contents.h"

namespace pteedit::parallel_test {
namespace {

TEST(ParallelFor, DoesEachPieceOfWorkOnce) {
  for (const unsigned threads : {0U, 1U, 2U, 7U, 100U}) {
    std::vector<std::atomic<int>> done(50);
    const auto work = [&](size_t i) -> Status {
      ++done[i];
      return {};
    };
    EXPECT_TRUE(ParallelFor(done.size(), threads, work));
    for (const auto& count : done) EXPECT_EQ(count, 1) << threads << " threads";
  }
}

TEST(ParallelFor, DoesNothingForNoWork) {
  const auto work = [](size_t) -> Status {
    ADD_FAILURE() << "was called";
    return {};
  };
  EXPECT_TRUE(ParallelFor(0, 4, work));
}

TEST(ParallelFor, FailsAsTheFirstThatFailsAfterAll) {
  for (const unsigned threads : {1U, 4U}) {
    std::atomic<int> done = 0;
    const auto work = [&](size_t i) -> Status {
      ++done;
      if (i < 30) return {};
      return IoError("number " + std::to_string(i));
    };
    EXPECT_EQ(test::Words(ParallelFor(50, threads, work)), "number 30");
    EXPECT_EQ(done, 50);
  }
}

TEST(ParallelFor, GivesEachThreadItsOwn) {
  std::atomic<int> made = 0;
  std::vector<std::atomic<int>> done(50);
  const auto make = [&] { return std::vector<size_t>(1, static_cast<size_t>(made++)); };
  const auto work = [&](std::vector<size_t>& own, size_t i) -> Status {
    EXPECT_LT(own.front(), 3U);
    ++done[i];
    return {};
  };
  EXPECT_TRUE(ParallelFor(done.size(), 3, make, work));
  EXPECT_EQ(made, 3);
  for (const auto& count : done) EXPECT_EQ(count, 1);
}

}  // namespace
}  // namespace pteedit::parallel_test
