#include "base/first_of_equal.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace pteedit::first_of_equal_test {
namespace {

TEST(FirstOfEqual, IsTheFirstOfThoseThatAreCompared) {
  const std::vector<std::string> items{"b", "a", "b", "a", "c", "b"};
  const auto key = [&](size_t i) { return items[i]; };
  EXPECT_EQ(FirstOfEqual(6, {0, 1, 2, 3, 4, 5}, key), (std::vector<size_t>{0, 1, 0, 1, 4, 0}));
  EXPECT_EQ(FirstOfEqual(6, {2, 3, 5}, key), (std::vector<size_t>{0, 1, 2, 3, 4, 2}));
  EXPECT_EQ(FirstOfEqual(2, {}, key), (std::vector<size_t>{0, 1}));
}

}  // namespace
}  // namespace pteedit::first_of_equal_test
