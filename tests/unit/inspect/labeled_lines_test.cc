#include "inspect/labeled_lines.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace pteedit::labeled_lines_test {
namespace {

TEST(Labels, BeginWithThoseOfNobodyAndSeveral) {
  Labels labels;
  EXPECT_EQ(labels.Of(kNobody), kNobodyLabel);
  EXPECT_EQ(labels.Of(kSeveral), kSeveralLabel);
  EXPECT_EQ(labels.Of("a"), 2U);
  EXPECT_EQ(labels.Of("b"), 3U);
  const Labels moved = std::move(labels);
  EXPECT_EQ(moved.Names(), (std::vector<std::string>{std::string(kNobody), std::string(kSeveral), "a", "b"}));
}

// What parts say of each byte, one by one.
Sums SumsByByte(const std::vector<std::vector<Part>>& lists, size_t file, uint64_t size) {
  Sums sums;
  for (uint64_t byte = 0; byte < size; ++byte) {
    std::vector<Label> labels;
    for (const std::vector<Part>& parts : lists) {
      std::set<Label> here;
      for (const Part& part : parts) {
        if (part.file == file && byte >= part.extent.offset && byte - part.extent.offset < part.extent.size)
          here.insert(part.label);
      }
      labels.push_back(here.empty() ? kNobodyLabel : here.size() == 1 ? *here.begin() : kSeveralLabel);
    }
    ++sums[labels];
  }
  return sums;
}

TEST(LabeledLines, SayOfEachByteWhatThePartsSay) {
  constexpr uint64_t kSize = 60;
  std::mt19937 random(1);
  const auto below = [&](uint64_t most) { return std::uniform_int_distribution<uint64_t>(0, most - 1)(random); };
  for (int round = 0; round < 500; ++round) {
    std::vector<std::vector<Part>> lists(2);
    std::vector<LabeledParts> labeled(2);
    for (size_t list = 0; list < lists.size(); ++list) {
      for (uint64_t i = below(12); i != 0; --i) {
        const uint64_t begin = below(kSize);
        lists[list].push_back(
            {static_cast<uint32_t>(below(2)), static_cast<Label>(2 + below(3)), {begin, below(kSize - begin + 1)}});
        labeled[list].Add(lists[list].back());
      }
    }
    for (const size_t file : {size_t{0}, size_t{1}}) {
      const Line a = labeled[0].LineOf(file), b = labeled[1].LineOf(file);
      Sums sums;
      AddUp({&a, &b}, kSize, sums);
      ASSERT_EQ(sums, SumsByByte(lists, file, kSize)) << round;
    }
  }
}

TEST(LabeledLines, ReachOverMoreThan4GiB) {
  constexpr uint64_t kGiB = uint64_t{1} << 30;
  LabeledParts parts;
  parts.Add({0, 2, {1, 10 * kGiB}});
  parts.Add({0, 3, {9 * kGiB, 5 * kGiB}});
  const Line line = parts.LineOf(0);
  Sums sums;
  AddUp({&line}, 20 * kGiB, sums);
  EXPECT_EQ(
      sums,
      (Sums{{{kNobodyLabel}, 6 * kGiB + 1}, {{kSeveralLabel}, kGiB + 1}, {{2}, 9 * kGiB - 1}, {{3}, 4 * kGiB - 1}}));
}

}  // namespace
}  // namespace pteedit::labeled_lines_test
