// Whether samples of two runs differ by more than chance: the test of Mann and Whitney, of ranks and not of times, so
// that neither outliers nor the shape of their distribution matter.
#ifndef PTEEDIT_SRC_PROFILE_RANK_TEST_H_
#define PTEEDIT_SRC_PROFILE_RANK_TEST_H_

#include <cstddef>
#include <vector>

namespace pteedit {

// How likely the ranks of `larger` among both would be as high or higher by chance. Exact, with ties, for few samples,
// else by the normal distribution with corrections for ties and continuity. 1 where one of them is empty.
double RankTest(const std::vector<double>& smaller, const std::vector<double>& larger);

// The least that RankTest can answer for so many samples.
double LeastRankTest(size_t smaller, size_t larger);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_PROFILE_RANK_TEST_H_
