// What operators of Core ML programs compute, of programs made here; for real ones see operator_work_test.cc.
#include "delegates/mil_work.h"

#include <gtest/gtest.h>

#include "coreml_folders.h"
#include "delegates/coreml.h"
#include "delegates/mil_model.h"

namespace pteedit::mil_work_test {
namespace {

using namespace test;  // NOLINT: parts of programs

using Sizes = std::vector<uint64_t>;

// Of a program that takes a, b and c and has these operators.
std::vector<OperatorWork> WorkOf(const Sizes& a, const Sizes& b, const Sizes& c, const std::string& operators) {
  const std::string inputs =
      MilValueOf(1, "a", MilTypeOf(a)) + MilValueOf(1, "b", MilTypeOf(b)) + MilValueOf(1, "c", MilTypeOf(c));
  const std::string model = MilModelOf(MilFunctionOf("main", inputs + operators));
  const auto read =
      ReadMilModel({reinterpret_cast<const uint8_t*>(model.data()), model.size()}, {{}, /*measures=*/true});
  EXPECT_TRUE(read) << (read ? "" : read.error().message);
  if (!read) return {};
  EXPECT_EQ(read->functions.at(0).work.size(), read->functions.at(0).operators.size());
  return read->functions.at(0).work;
}

std::string Operator(const std::string& type, const std::string& arguments, const Sizes& gives,
                     const std::string& output = "out") {
  return Field(3, Field(1, type) + arguments + MilValueOf(3, output, MilTypeOf(gives)));
}

std::string XY(const std::string& x, const std::string& y) { return MilArgument("y", {y}) + MilArgument("x", {x}); }

TEST(MilWork, OfMatricesTheInnerDimensionIsTheOneThatIsGone) {
  for (const Sizes& x : {Sizes{2, 3, 5}, Sizes{2, 5, 3}}) {
    const OperatorWork work = WorkOf(x, {2, 5, 7}, {}, Operator("matmul", XY("a", "b"), {2, 3, 7})).at(0);
    EXPECT_EQ(work.macs, 2U * 3 * 5 * 7);
    EXPECT_EQ(work.bytes, 2U * (30 + 70 + 42));
  }
  EXPECT_EQ(WorkOf({4, 4}, {4, 9}, {}, Operator("matmul", XY("a", "b"), {4, 9})).at(0).macs, 4U * 4 * 9);
  EXPECT_EQ(WorkOf({5}, {5, 7}, {}, Operator("matmul", XY("a", "b"), {7})).at(0).macs, 5U * 7);
  EXPECT_EQ(WorkOf({2, 6}, {5, 7}, {}, Operator("matmul", XY("a", "b"), {3, 7})).at(0).macs, std::nullopt);
}

TEST(MilWork, TransposedConvolutionsGoByTheirInput) {
  const std::string arguments = MilArgument("weight", {"b"}) + MilArgument("x", {"a"});
  const OperatorWork work =
      WorkOf({1, 4, 5, 5}, {4, 8, 2, 2}, {}, Operator("conv_transpose", arguments, {1, 8, 10, 10})).at(0);
  EXPECT_EQ(work.macs, 4U * 25 * (8 * 2 * 2));
  EXPECT_EQ(work.bytes, 2U * (100 + 128 + 800));
}

TEST(MilWork, AttentionGoesToAllPositions) {
  const std::string arguments = MilArgument("value", {"c"}) + MilArgument("key", {"b"}) + MilArgument("query", {"a"});
  const OperatorWork work = WorkOf({1, 2, 3, 8}, {1, 2, 5, 8}, {1, 2, 5, 4},
                                   Operator("scaled_dot_product_attention", arguments, {1, 2, 3, 4}))
                                .at(0);
  EXPECT_EQ(work.macs, 2U * 3 * 5 * 8 + 2 * 3 * 5 * 4);  // scores, and what is made of them
  EXPECT_EQ(work.bytes, 2U * (48 + 80 + 40 + 24));
}

TEST(MilWork, CountsListsAndConstantsThatAreData) {
  const std::string axis = Operator("const", Field(5, MapEntry("val", "")), {}, "axis");
  const std::string number = Operator("const", Field(5, MapEntry("val", "")), {}, "number");
  const std::string shape = Operator("const", Field(5, MapEntry("val", "")), {2}, "shape");
  const std::string concat =
      Operator("concat", MilArgument("values", {"a", "b", "a"}) + MilArgument("axis", {"axis"}), {2, 8});
  EXPECT_EQ(WorkOf({2, 3}, {2, 2}, {}, axis + concat).at(0).bytes, 2U * (6 + 4 + 16));
  EXPECT_EQ(WorkOf({2, 3}, {}, {}, number + Operator("mul", XY("a", "number"), {2, 3})).at(0).bytes, 2U * (6 + 6));
  const std::string reshape = MilArgument("x", {"a"}) + MilArgument("shape", {"shape"});
  EXPECT_EQ(WorkOf({2, 3}, {}, {}, shape + Operator("reshape", reshape, {3, 2})).at(0).bytes, 2U * (6 + 6));
  const std::string written = Field(2, MapEntry("y", Field(1, Field(2, Field(2, MilTypeOf({3}, 23))))));
  EXPECT_EQ(WorkOf({2, 3}, {}, {}, Operator("add", MilArgument("x", {"a"}) + written, {2, 3})).at(0).bytes,
            2U * (6 + 6) + 4 * 3);
}

TEST(MilWork, StatesAreTheTensorsThatTheyHold) {
  const std::string state = MilValueOf(1, "s", Field(5, Field(1, MilTypeOf({4, 8}))));
  const std::string read = Operator("read_state", MilArgument("input", {"s"}), {4, 8}, "r");
  const std::string update =
      Operator("coreml_update_state", MilArgument("value", {"r"}) + MilArgument("state", {"s"}), {4, 8});
  const std::vector<OperatorWork> work = WorkOf({}, {}, {}, state + read + update);
  ASSERT_EQ(work.size(), 2U);
  EXPECT_EQ(work[0].bytes, 2U * (32 + 32));
  EXPECT_EQ(work[1].bytes, 2U * 2 * 32);
}

TEST(MilWork, SaysWhatIsNotKnown) {
  const auto why = [](const std::string& operators) {
    return std::string(WorkOf({0, 3}, {3, 4}, {}, operators).at(0).why_unknown);
  };
  EXPECT_EQ(why(Operator("matmul", XY("a", "b"), {0, 4})), "it takes tensors without a largest shape");
  EXPECT_EQ(why(Operator("fancy", XY("b", "b"), {3, 4})), "its kind of operator is not known");
  EXPECT_EQ(why(Operator("add", XY("b", "nobody"), {3, 4})), "its shapes do not tell");
  EXPECT_EQ(why(Operator("lstm", MilArgument("x", {"b"}), {3, 4})), "its shapes do not tell");
  const std::string inner = Operator("add", XY("x", "x"), {3, 4}, "y");
  const std::string block = Field(4, MilValueOf(1, "x", MilTypeOf({3, 4})) + inner);
  const std::vector<OperatorWork> work = WorkOf({}, {}, {}, Operator("while_loop", block, {3, 4}));
  ASSERT_EQ(work.size(), 2U) << "of the block, too";
  EXPECT_EQ(work[1].bytes, 2U * (12 + 12));
}

TEST(MilWork, AFunctionOfAReferenceHasItsOwn) {
  const std::string model = MilModelOf(
      MilFunctionOf("one", MilValueOf(1, "x", MilTypeOf({2, 3})) + Operator("relu", MilArgument("x", {"x"}), {2, 3})) +
      MilFunctionOf("two", MilValueOf(1, "x", MilTypeOf({5})) + Operator("relu", MilArgument("x", {"x"}), {5})));
  const std::vector<uint8_t> blob = Folder({{"model.mlpackage/Data/com.apple.CoreML/model.mlmodel", model}});
  const auto all = MeasureCoreml({MakeViewSource("blob", {blob.data(), blob.size()}), {0, blob.size()}, {}, nullptr});
  ASSERT_TRUE(all) << all.error().message;
  ASSERT_EQ(all->size(), 2U);
  EXPECT_EQ(all->at(0).bytes, 2U * 12);
  EXPECT_EQ(all->at(1).bytes, 2U * 10);
  const std::string lost = "CMJR{\"version\": 1, \"key\": \"k\", \"functionName\": \"two\"}";
  const auto none = MeasureCoreml({MakeViewSource("blob", {reinterpret_cast<const uint8_t*>(lost.data()), lost.size()}),
                                   {0, lost.size()},
                                   {},
                                   nullptr});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message, "there is no key 'k'");
}

}  // namespace
}  // namespace pteedit::mil_work_test
