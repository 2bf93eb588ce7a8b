#include "base/sorted_blocks.h"

#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "base/text_map.h"
#include "pteedit/rare.h"

namespace pteedit::sorted_blocks_test {
namespace {

// By its number alone.
struct Pair {
  int number = 0;
  int value = 0;
};
struct NumberOf {
  int operator()(const Pair& pair) const { return pair.number; }
};

// Every second number below `count`, in the order that `step` makes.
void FillAndLook(int count, int step) {
  SortedBlocks<Pair, NumberOf> blocks;
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
  SortedBlocks<int, std::identity> blocks;
  EXPECT_EQ(blocks.Find(1), nullptr);
}

TEST(TextMap, FindsEachTextWhateverBecomesOfTheOneThatWasAdded) {
  KeptTexts texts;
  TextMap<size_t> map(texts);
  EXPECT_EQ(map.Find(""), nullptr);
  const auto text_of = [](size_t i) {
    return i == 3000 ? std::string(100000, 'x') : i == 1 ? "" : std::string(i % 37, 'a') + std::to_string(i);
  };
  for (size_t i = 0; i < 5000; ++i) {
    ASSERT_EQ(map.Find(text_of(i)), nullptr);
    map.Add(text_of(i), i);
  }
  for (size_t i = 0; i < 5000; ++i) {
    ASSERT_NE(map.Find(text_of(i)), nullptr) << i;
    EXPECT_EQ((*map.Find(text_of(i)))++, i);
    EXPECT_EQ(*map.Find(text_of(i)), i + 1);
    EXPECT_EQ(map.Find(text_of(i) + "b"), nullptr);
  }
}

}  // namespace
}  // namespace pteedit::sorted_blocks_test
