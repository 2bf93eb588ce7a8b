#include "pteedit/extents.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

namespace pteedit::extents_test {
namespace {

using List = std::vector<Extent>;

List ListOf(const Extents& extents) { return {extents.begin(), extents.end()}; }

TEST(Extents, AreThoseThatWereAdded) {
  constexpr uint64_t kFar = std::numeric_limits<uint64_t>::max() - 300;
  List added;
  Extents extents;
  for (const Extent extent : {Extent{0, 1}, {2, 127}, {130, 128}, {1000, 16383}, {20000, 16384}, {kFar, 300}}) {
    extents.Add(extent);
    added.push_back(extent);
    EXPECT_EQ(ListOf(extents), added);
    EXPECT_EQ(extents.size(), added.size());
    EXPECT_EQ(extents.back(), extent);
  }
}

TEST(Extents, ThatTouchAreOne) {
  const Extents extents{{8, 4}, {12, 1}, {14, 2}, {16, 0}, {16, 8}};
  EXPECT_EQ(ListOf(extents), (List{{8, 5}, {14, 10}}));
  EXPECT_EQ(extents, (Extents{{8, 5}, {14, 10}}));
  EXPECT_NE(extents, (Extents{{8, 5}, {14, 9}}));
}

TEST(Extents, WithoutBytesAreNone) {
  EXPECT_TRUE(Extents({{5, 0}}).empty());
  EXPECT_EQ(ListOf(Extents()), List());
}

TEST(Extents, Move) {
  Extents extents{{8, 4}, {14, 2}, {100, 1}};
  extents.MoveBy(1000);
  EXPECT_EQ(extents, (Extents{{1008, 4}, {1014, 2}, {1100, 1}}));
  EXPECT_EQ(ListOf(extents), (List{{1008, 4}, {1014, 2}, {1100, 1}}));
  extents.Add({2000, 5});
  EXPECT_EQ(ListOf(extents), (List{{1008, 4}, {1014, 2}, {1100, 1}, {2000, 5}}));
}

TEST(Extents, FindTheOneWithAByte) {
  const Extents extents{{8, 4}, {14, 2}, {100, 1}};
  for (const uint64_t offset : {0U, 7U, 12U, 13U, 16U, 99U, 101U}) EXPECT_FALSE(extents.With(offset)) << offset;
  EXPECT_EQ(extents.With(8), (Extent{8, 4}));
  EXPECT_EQ(extents.With(15), (Extent{14, 2}));
  EXPECT_EQ(extents.With(100), (Extent{100, 1}));
}

}  // namespace
}  // namespace pteedit::extents_test
