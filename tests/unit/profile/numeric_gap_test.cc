#include "pteedit/profile/numeric_gap.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace pteedit::numeric_gap_test {
namespace {

constexpr int8_t kLongType = 4, kFloatType = 6;

template <class Number>
DebugValue TensorOf(const std::vector<Number>& numbers, int8_t scalar_type, std::vector<int64_t> sizes) {
  std::vector<uint8_t> bytes(numbers.size() * sizeof(Number));
  if (!bytes.empty()) std::memcpy(bytes.data(), numbers.data(), bytes.size());
  DebugValue value;
  value.kind = DebugValue::Kind::kTensor;
  value.tensor.scalar_type = scalar_type;
  value.tensor.sizes = std::move(sizes);
  value.tensor.bytes = bytes.size();
  value.tensor.data = MakeMemorySource("tensor", std::move(bytes));
  return value;
}

DebugValue Floats(const std::vector<float>& numbers) {
  return TensorOf(numbers, kFloatType, {static_cast<int64_t>(numbers.size())});
}

DebugValue Number(DebugValue::Kind kind, int64_t number, double real = 0) {
  DebugValue value;
  value.kind = kind;
  value.number = number;
  value.real = real;
  return value;
}

TensorGap Gap(const DebugValue& reference, const DebugValue& value) {
  const Result<std::optional<TensorGap>> gap = GapBetween(reference, value);
  EXPECT_TRUE(gap && *gap);
  return gap && *gap ? **gap : TensorGap();
}

TEST(GapBetween, FollowsTheFormulas) {
  const TensorGap gap = Gap(Floats({3, 4, 0, 0}), Floats({3, 3, 0, 2}));
  EXPECT_EQ(gap.mse, 5.0 / 4);
  EXPECT_EQ(gap.l1, 3);
  EXPECT_EQ(gap.max_difference, 2);
  EXPECT_DOUBLE_EQ(gap.snr, 10 * std::log10(25.0 / 5.0));
}

TEST(GapBetween, TheReferenceIsTheSignal) {
  EXPECT_DOUBLE_EQ(Gap(Floats({10}), Floats({9})).snr, 20);
  EXPECT_LT(Gap(Floats({9}), Floats({10})).snr, 20);
  EXPECT_EQ(Gap(Floats({0}), Floats({1})).snr, -HUGE_VAL);
}

TEST(GapBetween, EqualTensorsHaveNoNoise) {
  const TensorGap gap = Gap(Floats({1, 2}), Floats({1, 2}));
  EXPECT_EQ(gap.mse, 0);
  EXPECT_EQ(gap.snr, HUGE_VAL);
  EXPECT_EQ(Gap(Floats({0}), Floats({0})).snr, HUGE_VAL);
  EXPECT_EQ(Gap(Floats({}), Floats({})).snr, HUGE_VAL);
}

TEST(GapBetween, NanCountsAsZero) {
  EXPECT_EQ(Gap(Floats({std::nanf(""), 1}), Floats({2, 1})).l1, 2);
  EXPECT_EQ(Gap(Floats({2, 1}), Floats({std::nanf(""), 1})).l1, 2);
  // Only beside NaN are infinities numbers.
  EXPECT_EQ(Gap(Floats({HUGE_VALF, std::nanf("")}), Floats({0, 0})).l1, std::numeric_limits<double>::max());
  EXPECT_EQ(Gap(Floats({HUGE_VALF}), Floats({0})).l1, HUGE_VAL);
  const TensorGap gap = Gap(Floats({HUGE_VALF, 1}), Floats({HUGE_VALF, 3}));
  EXPECT_TRUE(std::isnan(gap.l1));
  EXPECT_TRUE(std::isnan(gap.max_difference));
}

TEST(GapBetween, TypesMayDiffer) {
  EXPECT_EQ(Gap(TensorOf<int64_t>({1, -2}, kLongType, {2}), Floats({1.5, -2})).l1, 0.5);
  EXPECT_EQ(Gap(Number(DebugValue::Kind::kInt, 3), Number(DebugValue::Kind::kDouble, 0, 2.5)).l1, 0.5);
  EXPECT_EQ(Gap(Number(DebugValue::Kind::kBool, 1), TensorOf<float>({0}, kFloatType, {})).l1, 1);
}

TEST(GapBetween, ShapesMayNot) {
  EXPECT_FALSE(*GapBetween(Floats({1, 2}), Floats({1})));
  EXPECT_FALSE(*GapBetween(TensorOf<float>({1, 2}, kFloatType, {1, 2}), TensorOf<float>({1, 2}, kFloatType, {2, 1})));
  EXPECT_FALSE(*GapBetween(Floats({1}), DebugValue()));
}

TEST(GapBetween, LargeTensorsAreReadInPieces) {
  std::vector<float> zeros(200'000), ones(zeros.size(), 1);
  EXPECT_EQ(Gap(Floats(zeros), Floats(ones)).l1, 200'000);
  EXPECT_EQ(Gap(Floats(zeros), Floats(ones)).mse, 1);
}

// A dump with one block of joined events.
struct Dump {
  std::vector<EventBlock> blocks{1};
  std::vector<BlockValues> values{1};

  Dump() { blocks[0].name = "Execute"; }

  ProfiledEvent& Add(const std::string& name, std::optional<std::vector<uint64_t>> handles,
                     std::vector<DebugValue> data) {
    ProfiledEvent event;
    event.name = name;
    event.chain = 0;
    event.instruction = static_cast<int64_t>(blocks[0].events.size());
    event.more.Edit().debug_handles = std::move(handles);
    if (event.more->debug_handles) event.more.Edit().op_types = {"aten.some.default"};
    blocks[0].events.push_back(event);
    values[0].events.push_back({std::move(data), 0});
    return blocks[0].events.back();
  }
};

NumericGap Compare(const Dump& reference, const Dump& dump) {
  Result<NumericGap> gap = CompareRuns({reference.blocks, reference.values}, {dump.blocks, dump.values});
  EXPECT_TRUE(gap) << (gap ? "" : gap.error().message);
  return gap ? *std::move(gap) : NumericGap();
}

TEST(CompareRuns, ItemsOfListsAreCompared) {
  DebugValue list, other;
  list.kind = other.kind = DebugValue::Kind::kList;
  list.items = {Floats({1}), Floats({2, 2})};
  other.items = {Floats({1}), Floats({3, 3})};
  Dump a, b;
  a.Add("split", {}, {list});
  b.Add("split", {}, {other});
  const NumericGap gap = Compare(a, b);
  ASSERT_EQ(gap.operators.size(), 2U);
  EXPECT_EQ(gap.operators[1].index, 1U);
  EXPECT_EQ(gap.operators[1].gap->l1, 2);
}

TEST(CompareRuns, EqualEventsAreJoinedByPlace) {
  Dump a, b;
  a.Add("add", {}, {Floats({1})});
  b.Add("add", {}, {Floats({4})});
  a.values[0].run_output = {Floats({1})};
  b.values[0].run_output = {Floats({3})};
  const NumericGap gap = Compare(a, b);
  EXPECT_FALSE(gap.by_debug_handles);
  EXPECT_EQ(gap.operators[0].gap->max_difference, 3);
  EXPECT_EQ(gap.outputs[0].gap->l1, 2);
}

std::string WhyNot(const Dump& reference, const Dump& dump) {
  const Result<NumericGap> gap = CompareRuns({reference.blocks, reference.values}, {dump.blocks, dump.values});
  EXPECT_FALSE(gap);
  if (gap) return "";
  EXPECT_EQ(gap.error().code, ErrorCode::kUnsupported);
  return gap.error().message;
}

TEST(CompareRuns, OtherEventsNeedRecords) {
  Dump a, b;
  a.Add("add", {}, {Floats({1})});
  b.Add("mul", {}, {Floats({4})});
  EXPECT_EQ(WhyNot(a, b).substr(0, 26), "dumps have different event");
}

TEST(CompareRuns, NothingLoggedIsNoGap) {
  Dump a;
  a.Add("add", {}, {});
  EXPECT_EQ(WhyNot(a, a), "dumps have logged no values that can be compared");
}

TEST(CompareOutputs, TakesAsManyAsThereAre) {
  EventBlock block;
  const auto rows = CompareOutputs(block, {Floats({1}), Floats({5})}, {Floats({1}), Floats({2})});
  ASSERT_TRUE(rows);
  ASSERT_EQ(rows->size(), 2U);
  EXPECT_EQ((*rows)[1].gap->l1, 3);
  EXPECT_TRUE(CompareOutputs(block, {Floats({1})}, {})->empty());
}

}  // namespace
}  // namespace pteedit::numeric_gap_test
