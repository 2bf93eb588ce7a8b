#include "pteedit/profile/numeric_gap.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace pteedit {
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
    event.debug_handles = std::move(handles);
    if (event.debug_handles) event.op_types = {"aten.some.default"};
    blocks[0].events.push_back(event);
    values[0].events.push_back({std::move(data), 0});
    return blocks[0].events.back();
  }

  std::vector<OperatorOutput> Outputs() const { return OperatorOutputs(blocks, values); }
};

double FirstOf(const DebugValue& value) { return ReadElements(value.tensor, 64)->reals[0]; }

TEST(OperatorOutputs, TheLastInstructionCounts) {
  Dump dump;
  dump.Add("permute", {{1}}, {Floats({1})});
  dump.Add("addmm", {{1}}, {Floats({2})});
  dump.Add("OPERATOR_CALL", {{1}}, {Floats({2})});
  dump.Add("no operator", {}, {Floats({3})});
  const std::vector<OperatorOutput> outputs = dump.Outputs();
  ASSERT_EQ(outputs.size(), 1U);
  EXPECT_EQ(outputs[0].events, std::vector<std::string>{"addmm"});
  EXPECT_EQ(FirstOf(outputs[0].data[0]), 2);
}

TEST(OperatorOutputs, OfOneInstructionTheFirstCounts) {
  Dump dump;
  dump.Add("first", {{1}}, {Floats({1})});
  dump.Add("second", {{1}}, {Floats({2})}).instruction = 0;
  EXPECT_EQ(dump.Outputs()[0].events, std::vector<std::string>{"first"});
}

TEST(OperatorOutputs, OverlappingHandlesAreMerged) {
  Dump dump;
  dump.Add("a", {{1, 2}}, {Floats({1})});
  dump.Add("b", {{5}}, {Floats({2})});
  dump.Add("c", {{2, 3}}, {Floats({3})});
  dump.Add("d", {{4, 3, 4}}, {Floats({4})});
  const std::vector<OperatorOutput> outputs = dump.Outputs();
  ASSERT_EQ(outputs.size(), 2U);
  EXPECT_EQ(outputs[0].debug_handles, std::vector<uint64_t>{5});
  EXPECT_EQ(outputs[1].debug_handles, (std::vector<uint64_t>{1, 2, 4, 3}));
  EXPECT_EQ(outputs[1].events, (std::vector<std::string>{"a", "c", "d"}));
  EXPECT_EQ(FirstOf(outputs[1].data[0]), 4);
}

TEST(OperatorOutputs, CallsOfDelegatesGiveWayToTheirRows) {
  Dump dump;
  ProfiledEvent& row = dump.Add("7", {{1}}, {Floats({1})});
  row.delegate_debug_number = 7;
  row.delegate_backend_name = "B";
  dump.Add("DELEGATE_CALL", {{1, 2}}, {Floats({2})}).delegate_backend_name = "B";
  dump.Add("DELEGATE_CALL", {{3, 4}}, {Floats({3})}).delegate_backend_name = "B";
  const std::vector<OperatorOutput> outputs = dump.Outputs();
  ASSERT_EQ(outputs.size(), 2U);
  EXPECT_EQ(outputs[0].debug_handles, std::vector<uint64_t>{1});
  EXPECT_EQ(outputs[1].debug_handles, (std::vector<uint64_t>{3, 4}));
}

TEST(OperatorOutputs, MethodsAreKeptApart) {
  Dump dump;
  dump.Add("a", {{1}}, {Floats({1})});
  dump.blocks[0].methods = {"forward"};
  dump.blocks.push_back(dump.blocks[0]);
  dump.blocks[1].methods = {"decode"};
  dump.values.push_back(dump.values[0]);
  EXPECT_EQ(dump.Outputs().size(), 2U);
  dump.blocks[1].methods = {"forward"};
  EXPECT_EQ(dump.Outputs().size(), 1U);
}

NumericGap Compare(const Dump& reference, const Dump& dump) {
  Result<NumericGap> gap = CompareRuns({reference.blocks, reference.values}, {dump.blocks, dump.values});
  EXPECT_TRUE(gap) << (gap ? "" : gap.error().message);
  return gap ? *std::move(gap) : NumericGap();
}

TEST(CompareRuns, ACallIsComparedWithTheLastOfItsOperators) {
  Dump kernels, call;
  kernels.Add("linear", {{1}}, {Floats({1})});
  kernels.Add("relu", {{2}}, {Floats({2})});
  kernels.Add("alone", {{9}}, {Floats({2})});
  call.Add("DELEGATE_CALL", {{1, 2}}, {Floats({7}), Floats({5})});  // an input and the output
  for (const bool is_swapped : {false, true}) {
    const NumericGap gap = is_swapped ? Compare(call, kernels) : Compare(kernels, call);
    ASSERT_EQ(gap.operators.size(), 1U);
    EXPECT_TRUE(gap.by_debug_handles);
    EXPECT_EQ(gap.operators[0].debug_handles, (std::vector<uint64_t>{1, 2}));
    EXPECT_EQ((is_swapped ? gap.operators[0].events : gap.operators[0].reference_events)[0], "relu");
    EXPECT_EQ(gap.operators[0].gap->l1, 3);
    EXPECT_EQ(gap.unmatched_reference, is_swapped ? 0U : 2U);
    EXPECT_EQ(gap.unmatched, is_swapped ? 2U : 0U);
  }
}

TEST(CompareRuns, EachOutputOfACallHasItsHandle) {
  Dump kernels, call;
  kernels.Add("first", {{1}}, {Floats({1})});
  kernels.Add("second", {{2}}, {Floats({2})});
  call.Add("DELEGATE_CALL", {{1, 2}}, {Floats({0}), Floats({11}), Floats({22})}).num_outputs = 2;
  const NumericGap gap = Compare(kernels, call);
  ASSERT_EQ(gap.operators.size(), 2U);
  EXPECT_EQ(gap.operators[0].gap->l1, 10);
  EXPECT_EQ(gap.operators[0].index, 0U);
  EXPECT_EQ(gap.operators[1].gap->l1, 20);
}

TEST(CompareRuns, OfSeveralOutputsTheOneOfTheSameShapeCounts) {
  Dump kernels, call;
  kernels.Add("layer_norm", {{1}}, {Floats({1, 1}), Floats({2}), Floats({3, 3, 3})});
  call.Add("DELEGATE_CALL", {{1}}, {Floats({9}), Floats({2, 2})});
  EXPECT_EQ(Compare(kernels, call).operators[0].gap->l1, 2);
  EXPECT_EQ(Compare(call, kernels).operators[0].gap->l1, 2);
}

TEST(CompareRuns, ItemsOfListsAreCompared) {
  DebugValue list, other;
  list.kind = other.kind = DebugValue::Kind::kList;
  list.items = {Floats({1}), Floats({2, 2})};
  other.items = {Floats({1}), Floats({3, 3})};
  for (const bool has_handles : {true, false}) {
    Dump a, b;
    std::optional<std::vector<uint64_t>> handles;
    if (has_handles) handles = {1};
    a.Add("split", handles, {list});
    b.Add("split", handles, {other});
    const NumericGap gap = Compare(a, b);
    ASSERT_EQ(gap.operators.size(), 2U);
    EXPECT_EQ(gap.operators[1].index, 1U);
    EXPECT_EQ(gap.operators[1].gap->l1, 2);
  }
}

TEST(CompareRuns, HandlesThatOverlapInPartAreLeftOut) {
  Dump a, b;
  a.Add("DELEGATE_CALL", {{1, 2}}, {Floats({1})});
  a.Add("mul", {{7}}, {Floats({1})});
  b.Add("DELEGATE_CALL", {{2, 3}}, {Floats({1})});
  b.Add("mul", {{7}}, {Floats({1})});
  const NumericGap gap = Compare(a, b);
  EXPECT_EQ(gap.operators.size(), 1U);
  EXPECT_EQ(gap.unmatched, 1U);
  EXPECT_EQ(gap.unmatched_reference, 1U);
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
}  // namespace pteedit
