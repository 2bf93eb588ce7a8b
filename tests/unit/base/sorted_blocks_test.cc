#include "base/sorted_blocks.h"

#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "base/kept_texts.h"
#include "pteedit/rare.h"

namespace pteedit::sorted_blocks_test {
namespace {

// By its number alone.
struct Pair {
  int number = 0;
  int value = 0;
};
struct ByNumber {
  static int NumberOf(int number) { return number; }
  static int NumberOf(const Pair& pair) { return pair.number; }
  template <class A, class B>
  bool operator()(const A& a, const B& b) const {
    return NumberOf(a) < NumberOf(b);
  }
};

// Every second number below `count`, in the order that `step` makes.
void FillAndLook(int count, int step) {
  SortedBlocks<Pair, ByNumber> blocks{ByNumber()};
  for (int i = 0, number = 0; i < count; ++i, number = (number + step) % count) {
    ASSERT_EQ(blocks.Find(2 * number), nullptr);
    blocks.Insert(Pair{2 * number, number});
  }
  for (int number = 0; number < count; ++number) {
    ASSERT_NE(blocks.Find(2 * number), nullptr) << number;
    EXPECT_EQ(blocks.Find(2 * number)->value, number);
    EXPECT_EQ(blocks.Find(2 * number + 1), nullptr);
    blocks.Find(2 * number)->value = -number;
  }
  EXPECT_EQ(blocks.Find(-1), nullptr);
  for (int number = 0; number < count; ++number) EXPECT_EQ(blocks.Find(2 * number)->value, -number);
}

TEST(SortedBlocks, FindsWhatWasInsertedInAnyOrder) {
  for (const int count : {1, 2, 2047, 2048, 2049, 10007}) {
    for (const int step : {1, count - 1, 4999}) {
      if (std::gcd(step, count) == 1) FillAndLook(count, step);
    }
  }
}

TEST(SortedBlocks, FindsNothingWhereNothingIs) {
  const SortedBlocks<int, std::less<>> blocks{std::less<>()};
  EXPECT_EQ(blocks.Find(1), nullptr);
}

TEST(KeptTexts, StayWhereTheyAre) {
  KeptTexts kept;
  std::vector<std::string> texts;
  std::vector<std::string_view> copies;
  for (size_t i = 0; i < 5000; ++i) {
    texts.push_back(std::string(i % 37, static_cast<char>('a' + i % 26)) + std::to_string(i));
    copies.push_back(kept.Keep(texts.back()));
  }
  const std::string long_one(100000, 'x');
  const std::string_view long_copy = kept.Keep(long_one), empty = kept.Keep("");
  for (size_t i = 0; i < texts.size(); ++i) EXPECT_EQ(copies[i], texts[i]);
  EXPECT_EQ(long_copy, long_one);
  EXPECT_EQ(empty, "");
}

TEST(SharedOptional, IsComparedByWhatItHolds) {
  using Texts = SharedOptional<std::string>;
  const Texts none, one(std::string("a")), same(std::string("a")), copy = one, other(std::string("b"));
  EXPECT_FALSE(none.has_value());
  EXPECT_EQ(&*copy, &*one);
  EXPECT_NE(&*same, &*one);
  EXPECT_TRUE(none == Texts(std::nullopt) && one == same && one == copy);
  EXPECT_TRUE(one != none && none != one && one != other);
  EXPECT_EQ(std::optional<std::string>(one), "a");
  EXPECT_EQ(std::optional<std::string>(none), std::nullopt);
  EXPECT_EQ(Texts(std::optional<std::string>("a")), one);
}

}  // namespace
}  // namespace pteedit::sorted_blocks_test
