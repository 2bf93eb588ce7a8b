#include "delegates/work_rules.h"

#include <gtest/gtest.h>

#include "delegates/torch_work.h"
#include "delegates/tosa_work.h"

namespace pteedit::work_rules_test {
namespace {

// A tensor of 32-bit numbers.
WorkValue Tensor(std::vector<uint64_t> sizes) {
  WorkValue value{std::move(sizes), {}, {}, false, false};
  value.bytes = BytesOf(value, 32);
  return value;
}

OperatorWork Measure(WorkRule rule, const std::vector<WorkValue>& values) {
  std::vector<WorkArgument> args;
  for (const WorkValue& value : values) args.push_back({args.size(), &value});
  return MeasureOperator(rule, args);
}

Amount MacsOf(WorkRule rule, const std::vector<WorkValue>& values) { return Measure(rule, values).macs; }

WorkValue Flag(bool is_true) { return {{}, 0, is_true, false, false}; }

// All by hand.
TEST(WorkRules, CountMultiplications) {
  EXPECT_EQ(MacsOf({Work::kProduct, 0}, {Tensor({2, 5, 3}), Tensor({2, 3, 7}), Tensor({2, 5, 7})}), 2U * 5 * 7 * 3);
  // 3 to 8 channels by 3 x 3, then 6 groups of one channel; 4 to 8 channels transposed by 2 x 2.
  EXPECT_EQ(MacsOf({Work::kConvolution, 0}, {Tensor({1, 3, 8, 8}), Tensor({8, 3, 3, 3}), Tensor({1, 8, 6, 6})}),
            8U * 36 * 27);
  const std::vector<WorkValue> turnable = {Tensor({1, 4, 5, 5}), Tensor({4, 8, 2, 2}), Flag(true),
                                           Tensor({1, 8, 10, 10})};
  EXPECT_EQ(MacsOf({Work::kEitherConvolution, 2}, turnable), 4U * 25 * (8 * 2 * 2));
  const std::vector<WorkValue> forward = {Tensor({1, 8, 5, 5}), Tensor({4, 8, 2, 2}), Flag(false),
                                          Tensor({1, 4, 4, 4})};
  EXPECT_EQ(MacsOf({Work::kEitherConvolution, 2}, forward), 4U * 16 * (8 * 2 * 2));
  EXPECT_EQ(MacsOf({Work::kEitherConvolution, 3}, forward), std::nullopt);
  // Height, width, 6 channels, 2 of each; and 4 to 8 channels transposed, which are first and last.
  EXPECT_EQ(MacsOf({Work::kWindowFirst, 0}, {Tensor({1, 8, 8, 6}), Tensor({3, 2, 6, 2}), Tensor({1, 6, 7, 12})}),
            6U * 7 * 12 * (3 * 2));
  EXPECT_EQ(
      MacsOf({Work::kTransposedChannelsLast, 0}, {Tensor({1, 5, 5, 4}), Tensor({8, 2, 3, 4}), Tensor({1, 10, 15, 8})}),
      5U * 5 * 4 * (8 * 2 * 3));
  // 2 heads of 16: 3 positions look at 7, or at all 128 of a cache.
  const WorkValue query = Tensor({1, 2, 3, 16}), turned = Tensor({1, 3, 2, 16});
  EXPECT_EQ(MacsOf({Work::kAttention, 1}, {query, Tensor({1, 2, 7, 16}), query}), 2U * (2 * 3 * 16) * 7);
  const OperatorWork cached = Measure({Work::kCacheAttention, 1}, {turned, Tensor({1, 128, 2, 16}), turned});
  EXPECT_EQ(cached.macs, 2U * (2 * 3 * 16) * 128);
  EXPECT_TRUE(cached.is_upper_bound);
}

TEST(WorkRules, MoveTensorsOrTheirParts) {
  const WorkValue all = Tensor({10, 4}), part = Tensor({3, 4}), scalar;
  EXPECT_EQ(Measure({}, {all, scalar, part}).bytes, 4U * (40 + 12));
  EXPECT_EQ(Measure({Work::kPart, 0}, {all, scalar, part}).bytes, 4U * (12 + 12));
  EXPECT_EQ(Measure({Work::kPart, 0}, {part, all}).bytes, 4U * (12 + 40));
  EXPECT_EQ(Measure({Work::kRows, 1}, {all, Tensor({2}), Tensor({2, 4})}).bytes, 4U * (2 * 4 + 2 + 2 * 4));
  EXPECT_EQ(Measure({Work::kWritten, 1}, {all, part}).bytes, 2U * 48);
  EXPECT_EQ(Measure({Work::kNothing, 0}, {all, part}).bytes, 0U);
  const WorkArgument twice[] = {{7, &all}, {7, &all}};
  EXPECT_EQ(MeasureOperator({}, twice).bytes, 160U);
}

TEST(WorkRules, TellNothingOfWhatIsTooLargeOrMissing) {
  const uint64_t large = uint64_t{1} << 40;
  const WorkValue wide = Tensor({large, large}), none = UntoldValue();
  EXPECT_EQ(wide.bytes, std::nullopt);
  EXPECT_EQ(BytesOf({{{uint64_t{1} << 62}}, {}, {}, false, false}, 8), std::nullopt);
  EXPECT_EQ(BytesOf({{{3}}, {}, {}, false, false}, 4), 2U);
  for (int kind = 0; kind <= static_cast<int>(Work::kUntoldMacs); ++kind) {
    for (const size_t argument : {size_t{0}, size_t{1}, size_t{99}}) {
      const WorkRule rule{static_cast<Work>(kind), argument};
      if (rule.work == Work::kNothing || rule.work == Work::kWritten) continue;
      for (const std::vector<WorkValue>& values : std::vector<std::vector<WorkValue>>{
               {wide, wide, wide}, {none, none}, {Tensor({4, 0}), Tensor({}), wide}, {none}}) {
        const OperatorWork work = Measure(rule, values);
        EXPECT_FALSE(work.macs && work.bytes) << kind << " " << argument;
        EXPECT_STREQ(work.why_unknown, "its shapes do not tell");
      }
      Measure(rule, {});
    }
  }
  // A filter of no channels divides nothing.
  EXPECT_EQ(MacsOf({Work::kConvolution, 0}, {Tensor({1}), Tensor({0, 3}), Tensor({1})}), std::nullopt);
}

TEST(WorkRules, TellUpperBounds) {
  WorkValue value = Tensor({2, 3});
  value.is_bound = true;
  EXPECT_TRUE(Measure({}, {value}).is_upper_bound);
  value.is_unbound = true;
  const OperatorWork work = Measure({}, {Tensor({2}), value});
  EXPECT_FALSE(work.macs || work.bytes);
  EXPECT_STREQ(work.why_unknown, "it takes tensors without a largest shape");
}

TEST(WorkRules, AreOfOperatorsThatAreKnown) {
  EXPECT_EQ(TorchWorkRule("aten.addmm")->argument, 1U);
  EXPECT_EQ(TorchWorkRule("aten.relu")->work, Work::kAll);
  EXPECT_FALSE(TorchWorkRule("aten.fancy"));
  EXPECT_FALSE(TorchWorkRule(""));
  EXPECT_EQ(TosaWorkRule(3)->work, Work::kConvolution);
  EXPECT_EQ(TosaWorkRule(5)->work, Work::kWindowFirst);
  EXPECT_EQ(TosaWorkRule(7)->work, Work::kProduct);
  EXPECT_EQ(TosaWorkRule(10)->work, Work::kTransposedChannelsLast);
  EXPECT_EQ(TosaWorkRule(15)->work, Work::kAll);
  EXPECT_EQ(TosaWorkRule(82)->work, Work::kNothing);  // MUL_SHAPE
  for (const uint32_t number : {0U, 69U, 97U, ~0U}) EXPECT_FALSE(TosaWorkRule(number)) << number;
}

}  // namespace
}  // namespace pteedit::work_rules_test
