#include "base/renumber.h"

#include <gtest/gtest.h>

#include <memory>

namespace pteedit::renumber_test {
namespace {

using Items = std::vector<std::unique_ptr<int>>;

Items ItemsOf(int count) {
  Items items;
  for (int i = 0; i < count; ++i) items.push_back(std::make_unique<int>(i));
  return items;
}

TEST(Keep, TellsTheNewIndexOfEach) {
  Items items = ItemsOf(4);
  EXPECT_EQ(Keep(items, {false, true, false, true}), (std::vector<uint32_t>{0, 0, 0, 1}));
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(*items[0], 1);
  EXPECT_EQ(*items[1], 3);
}

}  // namespace
}  // namespace pteedit::renumber_test
