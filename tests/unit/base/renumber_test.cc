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

TEST(TakeOut, GivesBackWhatGoesAndNoMoreMemoryThanTheShorterListNeeds) {
  for (const std::vector<bool>& wanted : std::vector<std::vector<bool>>{{},
                                                                        {true, true, true, true, true},
                                                                        {false, false, false, false, false},
                                                                        {true, false, true, true, true},
                                                                        {false, true, false, false, false},
                                                                        {false, true, false, true}}) {
    Items items = ItemsOf(static_cast<int>(wanted.size()));
    const Items gone = TakeOut(items, wanted);
    ASSERT_EQ(items.size() + gone.size(), wanted.size());
    auto next_kept = items.begin();
    auto next_gone = gone.begin();
    for (size_t i = 0; i < wanted.size(); ++i)
      EXPECT_EQ(**(wanted[i] ? next_kept++ : next_gone++), static_cast<int>(i));
    const Items& shorter = items.size() < gone.size() ? items : gone;
    EXPECT_EQ(shorter.capacity(), shorter.size());
  }
}

}  // namespace
}  // namespace pteedit::renumber_test
