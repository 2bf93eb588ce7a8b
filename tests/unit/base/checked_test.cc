#include "base/checked.h"

#include <gtest/gtest.h>

namespace pteedit::checked_test {
namespace {

constexpr uint64_t kMax = ~uint64_t{0};

TEST(Fits, AcceptsWhatLiesWithin) {
  EXPECT_TRUE(Fits(0, 0, 0));
  EXPECT_TRUE(Fits(10, 0, 10));
  EXPECT_TRUE(Fits(3, 7, 10));
  EXPECT_TRUE(Fits(0, kMax, kMax));
  EXPECT_TRUE(Fits(Extent{3, 7}, 10));
}

TEST(Fits, RejectsExtentThatEndsBehindTheLimit) {
  EXPECT_FALSE(Fits(3, 8, 10));
  EXPECT_FALSE(Fits(11, 0, 10));
  EXPECT_FALSE(Fits(Extent{3, 8}, 10));
}

TEST(Fits, RejectsExtentThatWraps) {
  EXPECT_FALSE(Fits(8, kMax - 4, 10));
  EXPECT_FALSE(Fits(kMax, 2, 10));
  EXPECT_FALSE(Fits(kMax, kMax, kMax));
}

TEST(CheckedAdd, HasNoAnswerWhereItWouldWrap) {
  EXPECT_EQ(CheckedAdd(kMax - 1, 1), kMax);
  EXPECT_EQ(CheckedAdd(kMax, 1), std::nullopt);
  EXPECT_EQ(CheckedAdd(1, kMax), std::nullopt);
}

TEST(CheckedMultiply, HasNoAnswerWhereItWouldWrap) {
  EXPECT_EQ(CheckedMultiply(0, kMax), 0U);
  EXPECT_EQ(CheckedMultiply(kMax, 0), 0U);
  EXPECT_EQ(CheckedMultiply(kMax / 2, 2), kMax - 1);
  EXPECT_EQ(CheckedMultiply(kMax / 2 + 1, 2), std::nullopt);
  EXPECT_EQ(CheckedMultiply(uint64_t{1} << 32, uint64_t{1} << 32), std::nullopt);
}

TEST(AlignUp, FindsTheNextMultiple) {
  EXPECT_EQ(AlignUp(0, 16), 0U);
  EXPECT_EQ(AlignUp(1, 16), 16U);
  EXPECT_EQ(AlignUp(16, 16), 16U);
  EXPECT_EQ(AlignUp(17, 16), 32U);
  EXPECT_EQ(AlignUp(5, 1), 5U);
}

TEST(AlignmentOf, IsTheLargestPowerOfTwoUpToTheLimit) {
  EXPECT_EQ(AlignmentOf(0, 64), 64U);
  EXPECT_EQ(AlignmentOf(48, 64), 16U);
  EXPECT_EQ(AlignmentOf(128, 64), 64U);
  EXPECT_EQ(AlignmentOf(3, 64), 1U);
}

}  // namespace
}  // namespace pteedit::checked_test
