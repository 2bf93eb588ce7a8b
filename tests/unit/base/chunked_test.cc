#include "base/chunked.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace pteedit::chunked_test {
namespace {

constexpr size_t kMany = 20'000;  // more than a chunk has room for

TEST(Chunked, IsAsAVector) {
  Chunked<std::string> chunked;
  std::vector<std::string> vector;
  for (size_t i = 0; i < kMany; ++i) {
    chunked.push_back(std::to_string(i));
    vector.push_back(std::to_string(i));
    if (i % 3 == 0) chunked.back() += "x", vector.back() += "x";
  }
  ASSERT_EQ(chunked.size(), vector.size());
  for (size_t i = 0; i < vector.size(); ++i) EXPECT_EQ(chunked[i], vector[i]) << i;
  while (chunked.size() > 10) chunked.pop_back(), vector.pop_back();
  chunked.push_back("again");
  EXPECT_EQ(chunked.back(), "again");
  EXPECT_EQ(chunked[9], vector[9]);
}

TEST(Chunked, BeginsAnewWhenItWasEmptied) {
  Chunked<int> chunked;
  for (size_t i = 0; i < 3 * kMany; ++i) chunked.push_back(1);
  while (!chunked.empty()) chunked.pop_back();
  chunked.push_back(2);
  EXPECT_EQ(chunked.size(), 1U);
  EXPECT_EQ(chunked[0], 2);
}

TEST(Chunked, ElementsStayWhereTheyAre) {
  Chunked<int> chunked;
  while (chunked.size() < 5 * kMany) chunked.push_back(1);
  const int* last = &chunked[chunked.size() - 1];
  for (size_t i = 0; i < 5 * kMany; ++i) chunked.push_back(2);
  EXPECT_EQ(last, &chunked[5 * kMany - 1]);
}

}  // namespace
}  // namespace pteedit::chunked_test
