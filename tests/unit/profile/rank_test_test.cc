#include "profile/rank_test.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "pteedit/profile/profile_changes.h"

namespace pteedit::rank_test_test {
namespace {

TEST(RankTest, CountsArrangements) {
  EXPECT_DOUBLE_EQ(RankTest({1, 2, 3}, {4, 5, 6}), 1.0 / 20);
  EXPECT_DOUBLE_EQ(RankTest({1, 2, 4}, {3, 5, 6}), 2.0 / 20);
  EXPECT_DOUBLE_EQ(RankTest({4, 5, 6}, {1, 2, 3}), 1);
  EXPECT_DOUBLE_EQ(LeastRankTest(3, 3), 1.0 / 20);
  EXPECT_DOUBLE_EQ(LeastRankTest(5, 5), 1.0 / 252);
}

// Of 2 of the ranks 1, 2.5, 2.5 and 4, these are the sums: 3.5, 3.5, 5, 5, 6.5 and 6.5.
TEST(RankTest, CountsTies) {
  EXPECT_DOUBLE_EQ(RankTest({1, 2}, {2, 3}), 2.0 / 6);
  EXPECT_DOUBLE_EQ(RankTest({2, 2}, {2, 2}), 1);
}

TEST(RankTest, OfManySamplesIsNearlyTheSame) {
  std::vector<double> a, b;
  for (int i = 0; i < 15; ++i) a.push_back(i), b.push_back(i + 5.5);
  EXPECT_NEAR(RankTest(a, b), 0.0021, 0.001);  // exact: 0.00213
  EXPECT_EQ(RankTest(std::vector<double>(15, 1), std::vector<double>(15, 1)), 1);
}

// As std::normal_distribution, but the same everywhere.
class Noise {
 public:
  double Next(double sigma) {
    const double radius = Uniform(), angle = Uniform();
    return std::exp(sigma * std::sqrt(-2 * std::log(radius)) * std::cos(6.283185307179586 * angle));
  }
  std::vector<double> Runs(size_t count, double median, double sigma) {
    std::vector<double> runs;
    for (size_t i = 0; i < count; ++i) runs.push_back(median * Next(sigma));
    return runs;
  }

 private:
  double Uniform() { return (static_cast<double>(engine_()) + 1) / 4294967297.0; }

  std::mt19937 engine_{20};
};

// How often of `trials` the verdict is slower, and the median by more than a twentieth, as a gate asks.
double AlarmRate(size_t runs, double slowdown, double noise, int trials) {
  Noise random;
  int alarms = 0;
  for (int i = 0; i < trials; ++i) {
    EventChange change;
    change.before = PerfDataOf(random.Runs(runs, 1, noise));
    change.after = PerfDataOf(random.Runs(runs, slowdown, noise));
    alarms += change.verdict() == ChangeVerdict::kSlower && *change.slowdown() > 0.05;
  }
  return static_cast<double>(alarms) / trials;
}

TEST(ChangeVerdict, IsRarelyFalseAtEqualCode) {
  for (const size_t runs : {5U, 7U, 10U, 20U, 50U}) {
    for (const double noise : {0.1, 0.3}) EXPECT_LE(AlarmRate(runs, 1, noise, 5000), 0.01) << runs << " " << noise;
  }
}

TEST(ChangeVerdict, FindsWhatIsSlower) {
  EXPECT_GE(AlarmRate(10, 1.3, 0.1, 1000), 0.95);
  EXPECT_GE(AlarmRate(20, 1.15, 0.1, 1000), 0.8);
}

}  // namespace
}  // namespace pteedit::rank_test_test
