#include "pteedit/profile/debug_values.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "pteedit/container.h"
#include "record/tensor_elements.h"
#include "test_files.h"

namespace pteedit::debug_values_test {
namespace {

using test::DataPath;

constexpr int8_t kLongType = 4, kHalfType = 5, kFloatType = 6, kBoolType = 11, kBfloat16Type = 15, kBits16Type = 22;

template <class Number>
std::shared_ptr<const Source> BufferOf(const std::vector<Number>& numbers) {
  const auto* first = reinterpret_cast<const uint8_t*>(numbers.data());
  return MakeMemorySource("buffer.bin", {first, first + numbers.size() * sizeof(Number)});
}

LoggedValue TensorOf(int8_t scalar_type, std::vector<int64_t> sizes, int64_t offset) {
  return {LoggedValue::Kind::kTensor, 0, 0, {{scalar_type, std::move(sizes), {}, offset}}};
}

// A block of one event.
EventBlock BlockOf(std::vector<LoggedValue> logged) {
  EventBlock block;
  block.name = "Execute";
  block.events.resize(1);
  block.events[0].name = "native_call_add.out";
  block.events[0].more.Edit().debug_data = std::move(logged);
  return block;
}

Result<std::vector<DebugValue>> Read(std::vector<LoggedValue> logged, const std::shared_ptr<const Source>& buffer) {
  Result<std::vector<BlockValues>> values = ReadDebugValues({BlockOf(std::move(logged))}, buffer);
  if (!values) return values.error();
  return (*values)[0].events[0].debug_data;
}

TensorValue ReadOne(const LoggedValue& logged, const std::shared_ptr<const Source>& buffer) {
  Result<std::vector<DebugValue>> values = Read({logged}, buffer);
  EXPECT_TRUE(values) << values.error().message;
  return (*values)[0].tensor;
}

std::string ErrorOf(const LoggedValue& logged, ErrorCode code = ErrorCode::kMalformed) {
  const Result<std::vector<DebugValue>> values = Read({logged}, BufferOf<float>({1, 2, 3, 4}));
  EXPECT_FALSE(values);
  if (values) return "";
  EXPECT_EQ(values.error().code, code);
  return values.error().message;
}

TEST(DebugValues, TensorsAreReadWhereTheyLie) {
  const TensorValue tensor = ReadOne(TensorOf(kFloatType, {1, 2}, 4), BufferOf<float>({1, 2, 3, 4}));
  EXPECT_EQ(tensor.bytes, 8U);
  EXPECT_EQ(tensor.sizes, (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(ReadElements(tensor, 2)->reals, (std::vector<double>{2, 3}));
  EXPECT_FALSE(ReadElements(tensor, 1));
}

TEST(DebugValues, ScalarsNeedNoBuffer) {
  const auto values = Read({{LoggedValue::Kind::kInt, 7, 0, {}},
                            {LoggedValue::Kind::kBool, 1, 0, {}},
                            {LoggedValue::Kind::kFloat, 0, 1.5, {}},
                            {LoggedValue::Kind::kDouble, 0, 2.5, {}},
                            {}},
                           nullptr);
  ASSERT_TRUE(values);
  EXPECT_EQ((*values)[0].kind, DebugValue::Kind::kInt);
  EXPECT_EQ((*values)[0].number, 7);
  EXPECT_EQ((*values)[1].kind, DebugValue::Kind::kBool);
  EXPECT_EQ((*values)[2].real, 1.5);
  EXPECT_EQ((*values)[3].real, 2.5);
  EXPECT_EQ((*values)[4].kind, DebugValue::Kind::kNone);
}

TEST(DebugValues, ListsHoldTensors) {
  LoggedValue list = TensorOf(kFloatType, {1}, 0);
  list.kind = LoggedValue::Kind::kTensorList;
  list.tensors.push_back({kFloatType, {3}, {}, 4});
  const auto values = Read({list}, BufferOf<float>({1, 2, 3, 4}));
  ASSERT_TRUE(values);
  EXPECT_EQ((*values)[0].kind, DebugValue::Kind::kList);
  ASSERT_EQ((*values)[0].items.size(), 2U);
  EXPECT_EQ(ReadElements((*values)[0].items[1].tensor, 3)->reals, (std::vector<double>{2, 3, 4}));
}

TEST(DebugValues, AllIsZeroWithoutABuffer) {
  const TensorValue tensor = ReadOne(TensorOf(kLongType, {3}, 1000), nullptr);
  EXPECT_EQ(tensor.data, nullptr);
  EXPECT_EQ(ReadElements(tensor, 3)->numbers, (std::vector<int64_t>{0, 0, 0}));
  EXPECT_EQ(StatisticsOf(tensor)->max, 0);
}

TEST(DebugValues, ClaimsAreNotAllocated) {
  const TensorValue tensor = ReadOne(TensorOf(kFloatType, {int64_t{1} << 40}, 0), nullptr);
  EXPECT_EQ(StatisticsOf(tensor)->elements, uint64_t{1} << 40);
  EXPECT_FALSE(ReadElements(tensor, 64));
}

TEST(DebugValues, EmptyTensorsHaveNoPlace) {
  const TensorValue tensor =
      ReadOne(TensorOf(kFloatType, {int64_t{1} << 62, 0, int64_t{1} << 62}, -1), BufferOf<float>({}));
  EXPECT_EQ(tensor.bytes, 0U);
  EXPECT_FALSE(StatisticsOf(tensor)->mean);
}

TEST(DebugValues, TensorsMustLieInsideTheBuffer) {
  EXPECT_EQ(
      ErrorOf(TensorOf(kFloatType, {2}, 12)),
      "value 0 of event 'native_call_add.out' of block 'Execute' has 8 bytes at offset 12, which are not inside the "
      "debug buffer (16 bytes)");
  for (const int64_t offset : {int64_t{16}, int64_t{-1}, int64_t{-4}, std::numeric_limits<int64_t>::max(),
                               std::numeric_limits<int64_t>::min()})
    EXPECT_NE(ErrorOf(TensorOf(kFloatType, {1}, offset)), "") << offset;
}

TEST(DebugValues, SizesMustNotWrap) {
  EXPECT_NE(ErrorOf(TensorOf(kFloatType, {int64_t{1} << 32, int64_t{1} << 32}, 0)).find("more than 2^64 bytes"),
            std::string::npos);
  EXPECT_NE(ErrorOf(TensorOf(kFloatType, {-2, -2}, 0)).find("has a size of -2"), std::string::npos);
}

TEST(DebugValues, TheBufferIsNotReadAgainAndAgain) {
  const auto buffer = BufferOf(std::vector<float>(1 << 20));
  const LoggedValue whole = TensorOf(kFloatType, {1 << 20}, 0);
  EXPECT_TRUE(Read(std::vector<LoggedValue>(100, whole), buffer));
  const auto refused = Read(std::vector<LoggedValue>(1000, whole), buffer);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("the debug buffer more than 64 times"), std::string::npos);
}

TEST(DebugValues, TypesThatTheInspectorCannotReadAreNamed) {
  EXPECT_NE(ErrorOf(TensorOf(kBfloat16Type, {1}, 0), ErrorCode::kUnsupported).find("type bfloat16"), std::string::npos);
  EXPECT_NE(ErrorOf(TensorOf(12, {1}, 0), ErrorCode::kUnsupported).find("type qint8"), std::string::npos);
}

TEST(DebugValues, BitsAreWholeNumbers) {
  const TensorValue tensor = ReadOne(TensorOf(kBits16Type, {2}, 0), BufferOf<uint16_t>({1, 65535}));
  EXPECT_EQ(ScalarTypeName(tensor.scalar_type), "uint16");
  EXPECT_EQ(ReadElements(tensor, 2)->numbers, (std::vector<int64_t>{1, 65535}));
}

TEST(DebugValues, HalvesAreReadExactly) {
  EXPECT_EQ(FromSmallFloat(kHalfFormat, 0x3c00), 1);
  EXPECT_EQ(FromSmallFloat(kHalfFormat, 0xc000), -2);
  EXPECT_EQ(FromSmallFloat(kHalfFormat, 0x7bff), 65504);
  EXPECT_EQ(FromSmallFloat(kHalfFormat, 0x0001), std::ldexp(1, -24));
  EXPECT_EQ(FromSmallFloat(kHalfFormat, 0x7c00), HUGE_VAL);
  EXPECT_EQ(FromSmallFloat(kHalfFormat, 0xfc00), -HUGE_VAL);
  EXPECT_TRUE(std::isnan(FromSmallFloat(kHalfFormat, 0x7e00)));
  const TensorValue tensor = ReadOne(TensorOf(kHalfType, {2}, 0), BufferOf<uint16_t>({0x3c00, 0xc000}));
  EXPECT_EQ(ReadElements(tensor, 2)->reals, (std::vector<double>{1, -2}));
  // As torch reads them: one, the largest, the smallest, and what is none.
  EXPECT_EQ(FromSmallFloat(kE4m3fnFormat, 0x38), 1);
  EXPECT_EQ(FromSmallFloat(kE4m3fnFormat, 0xfe), -448);
  EXPECT_EQ(FromSmallFloat(kE4m3fnFormat, 0x01), std::ldexp(1, -9));
  EXPECT_TRUE(std::isnan(FromSmallFloat(kE4m3fnFormat, 0x7f)));
  EXPECT_EQ(FromSmallFloat(kE5m2Format, 0x7b), 57344);
  EXPECT_EQ(FromSmallFloat(kE5m2Format, 0xfc), -HUGE_VAL);
  EXPECT_EQ(FromSmallFloat(kE4m3fnuzFormat, 0x7f), 240);
  EXPECT_TRUE(std::isnan(FromSmallFloat(kE4m3fnuzFormat, 0x80)));
  EXPECT_EQ(FromSmallFloat(kE5m2fnuzFormat, 0x7f), 57344);
  EXPECT_EQ(FromSmallFloat(kE5m2fnuzFormat, 0x40), 1);
}

TEST(DebugValues, TruthValuesAreNumbers) {
  const TensorValue tensor = ReadOne(TensorOf(kBoolType, {2}, 0), BufferOf<uint8_t>({0, 1}));
  EXPECT_EQ(ReadElements(tensor, 2)->numbers, (std::vector<int64_t>{0, 1}));
}

TEST(DebugValues, StatisticsLeaveOutWhatIsNotFinite) {
  const float nan = std::nanf(""), inf = HUGE_VALF;
  const auto statistics =
      StatisticsOf(ReadOne(TensorOf(kFloatType, {6}, 0), BufferOf<float>({3, nan, -1, inf, 4, -inf})));
  ASSERT_TRUE(statistics);
  EXPECT_EQ(statistics->elements, 6U);
  EXPECT_EQ(statistics->nans, 1U);
  EXPECT_EQ(statistics->infinities, 2U);
  EXPECT_EQ(statistics->min, -1);
  EXPECT_EQ(statistics->max, 4);
  EXPECT_EQ(statistics->mean, 2);
}

TEST(DebugValues, RunsThatLoggedSomethingElseAreCounted) {
  EventBlock block = BlockOf({TensorOf(kFloatType, {1}, 0)});
  block.events[0].more.Edit().later_debug_data = {{TensorOf(kFloatType, {1}, 4)},     // the same bytes elsewhere
                                                  {TensorOf(kFloatType, {1}, 8)},     // others
                                                  {TensorOf(kFloatType, {1, 1}, 0)},  // in another shape
                                                  {}};
  block.run_output = {{LoggedValue::Kind::kDouble, 0, std::nan(""), {}}};
  block.later_run_outputs = {block.run_output, {{LoggedValue::Kind::kDouble, 0, 1, {}}}};
  const auto values = ReadDebugValues({block}, BufferOf<float>({1, 1, 2}));
  ASSERT_TRUE(values);
  EXPECT_EQ((*values)[0].events[0].other_runs, 3U);
  EXPECT_EQ((*values)[0].other_runs, 1U);
  EXPECT_EQ((*ReadDebugValues({block}, nullptr))[0].events[0].other_runs, 2U);
}

TEST(DebugValues, ADumpsOutputsAreItsOutputs) {
  const auto blocks = ReadEventBlocks(*OpenFileSource(DataPath("inspector/mlp_portable/etdump_debug.etdp")));
  ASSERT_TRUE(blocks);
  const auto values = ReadDebugValues(*blocks, *OpenFileSource(DataPath("inspector/mlp_portable/debug_buffer.bin")));
  ASSERT_TRUE(values) << values.error().message;
  const BlockValues& execute = (*values)[1];
  ASSERT_EQ(execute.run_output.size(), 1U);
  EXPECT_EQ(*ContentHashOf(execute.run_output[0].tensor),
            "f960df851909bb7f7112cb4a4fec1122c5f1ae9b8a81a4bf0dd7ce446b84cb67");
  EXPECT_EQ(execute.other_runs, 0U);
  for (const EventValues& event : execute.events) EXPECT_EQ(event.other_runs, 0U);
}

}  // namespace
}  // namespace pteedit::debug_values_test
