#include "pteedit/operator_work.h"

#include <gtest/gtest.h>

#include <map>

#include "pteedit/execution.h"
#include "test_files.h"

namespace pteedit::operator_work_test {
namespace {

using test::DataPath;

std::vector<InstructionWork> WorkOf(const ProgramSet& set) {
  Result<std::vector<InstructionWork>> work = MeasureWork(set);
  EXPECT_TRUE(work) << (work ? "" : work.error().message);
  return *std::move(work);
}

// By target, of its first call.
std::map<std::string, OperatorWork> ByTarget(const std::string& name) {
  const Container program = test::OpenFile(DataPath(name));
  const std::vector<InstructionWork> work = WorkOf(program);
  const std::vector<InstructionDescription> instructions = DescribeInstructions(program);
  EXPECT_EQ(work.size(), instructions.size());
  std::map<std::string, OperatorWork> found;
  for (size_t i = 0; i < work.size(); ++i) {
    EXPECT_EQ(work[i].method, instructions[i].method);
    EXPECT_EQ(work[i].index, instructions[i].index);
    found.emplace(instructions[i].target, work[i].work);
  }
  return found;
}

// 3 to 8 channels by 3 x 3, 8 to 8 each by its own 3 x 3, 8 to 6 by 2 x 2 transposed, 6 to 10, 10 to 7; images of 8
// x 8.
TEST(OperatorWork, CountsLayersAsByHand) {
  const Container program = test::OpenFile(DataPath("names/layers_portable.pte"));
  std::vector<uint64_t> macs;
  for (const InstructionWork& one : WorkOf(program)) {
    EXPECT_STREQ(one.work.why_unknown, "");
    EXPECT_FALSE(one.work.is_upper_bound);
    EXPECT_EQ(one.operators, nullptr);
    macs.push_back(one.work.macs.value_or(~uint64_t{0}));
  }
  const uint64_t conv = 8 * 6 * 6 * (3 * 3 * 3), depthwise = 8 * 6 * 6 * (3 * 3), up = 8 * 6 * 6 * (2 * 2 * 6);
  EXPECT_EQ(macs, (std::vector<uint64_t>{conv, depthwise, 0, up, 0, 0, 10 * 6, 7 * 10}));
}

uint64_t MacsOf(const std::string& name) {
  uint64_t macs = 0;
  for (const InstructionWork& one : WorkOf(test::OpenFile(DataPath(name)))) {
    EXPECT_TRUE(one.work.macs) << name;
    macs += one.work.macs.value_or(0);
  }
  return macs;
}

TEST(OperatorWork, IsTheSameOfDelegatesAndTheKernelsThatTheyReplace) {
  for (const std::vector<std::string>& forms : std::vector<std::vector<std::string>>{
           {"names/layers_portable.pte", "names/layers_xnnpack.pte"},
           {"f06/portable.pte", "f06/xnn.pte", "f06/xnn_ext.pte"},
           {"f07/gpt_basic.pte", "f07/gpt_xnn.pte", "f07/gpt_xnn_q8.pte"},
           {"branches/portable.pte", "branches/xnnpack.pte", "branches/q8.pte"},
           {"delegates/xnn_lin.pte", "delegates/vk_lin.pte", "delegates/coreml_lin.pte", "delegates/native_lin.pte"},
           {"delegates/xnn_conv.pte", "delegates/tosa_conv.pte", "delegates/vgf_conv.pte", "delegates/ov_conv.pte"}}) {
    for (const std::string& form : forms) EXPECT_EQ(MacsOf(form), MacsOf(forms.front())) << form;
  }
}

TEST(OperatorWork, MovesEachTensorOnce) {
  const auto work = ByTarget("f02_linear.pte");
  const OperatorWork& addmm = work.at("aten::addmm.out");  // 4 + (2 x 8) (8 x 4), its output named twice
  EXPECT_EQ(addmm.macs, 2U * 8 * 4);
  EXPECT_EQ(addmm.bytes, 4U * (4 + 2 * 8 + 8 * 4 + 2 * 4));
  EXPECT_EQ(work.at("aten::permute_copy.out").bytes, 4U * 2 * (4 * 8));
  EXPECT_DOUBLE_EQ(ArithmeticIntensity(addmm).value_or(0), 64.0 / 240.0);
  EXPECT_FALSE(ArithmeticIntensity({5, 0, false, ""}));
}

TEST(OperatorWork, OfADelegateIsThatOfItsOperators) {
  const Container program = test::OpenFile(DataPath("f03_mlp_xnn.pte"));
  for (const InstructionWork& one : WorkOf(program)) {
    if (one.operators == nullptr) continue;
    ASSERT_EQ(one.operators->size(), 3U);
    EXPECT_EQ((*one.operators)[0].macs, 2U * 16 * 32);
    EXPECT_EQ((*one.operators)[0].bytes, 4U * (2 * 16 + 16 * 32 + 32 + 2 * 32));  // bias, too
    EXPECT_EQ(one.work.macs, 2U * (16 * 32 + 32 * 32 + 32 * 4));
    uint64_t bytes = 0;
    for (const OperatorWork& op : *one.operators) bytes += op.bytes.value_or(0);
    EXPECT_EQ(one.work.bytes, bytes);
    return;
  }
  FAIL() << "no call of a delegate";
}

TEST(OperatorWork, OfAnEmbeddingIsThatOfItsRows) {
  const Container program = test::OpenFile(DataPath("f06/portable.pte"));
  const std::vector<InstructionDescription> instructions = DescribeInstructions(program);
  const std::vector<InstructionWork> work = WorkOf(program);
  size_t seen = 0;
  for (size_t i = 0; i < work.size(); ++i) {
    if (instructions[i].target != "aten::embedding.out") continue;
    const uint64_t method = instructions[i].method == "decode" ? 0 : 1;
    const auto bytes_of = [&](size_t argument) {
      return *ByteSize(*DescribeValue(program, method, instructions[i].values[argument])->layout);
    };
    EXPECT_EQ(work[i].work.macs, 0U);
    EXPECT_EQ(work[i].work.bytes, bytes_of(1) + 2 * bytes_of(instructions[i].values.size() - 1));
    EXPECT_LT(work[i].work.bytes, bytes_of(0));
    ++seen;
  }
  EXPECT_NE(seen, 0U);
}

TEST(OperatorWork, SaysWhereShapesAreUpperBounds) {
  bool is_bounded = false;
  for (const InstructionWork& one : WorkOf(test::OpenFile(DataPath("f07/gpt_basic.pte"))))
    is_bounded = is_bounded || (one.work.is_upper_bound && one.work.macs.value_or(0) != 0);
  EXPECT_TRUE(is_bounded);
}

TEST(OperatorWork, SaysWhatItCannotTell) {
  const auto why = [](const char* name, const char* target) {
    const auto work = ByTarget(name);
    const OperatorWork& found = work.at(target);
    EXPECT_FALSE(found.macs && found.bytes);
    return std::string(found.why_unknown);
  };
  EXPECT_EQ(why("delegates/mlx_lin.pte", "MLXBackend_0"), "shapes of its operators are not known");
  EXPECT_EQ(why("delegates/ethosu55_conv.pte", "EthosUBackend_0"), "shapes of its operators are not known");
}

// MACs and bytes of the operators of the only delegate.
std::vector<std::pair<uint64_t, uint64_t>> OperatorsOf(const char* name) {
  std::vector<std::pair<uint64_t, uint64_t>> found;
  for (const InstructionWork& one : WorkOf(test::OpenFile(DataPath(name)))) {
    if (one.operators == nullptr) continue;
    for (const OperatorWork& op : *one.operators)
      found.emplace_back(op.macs.value_or(~uint64_t{0}), op.bytes.value_or(~uint64_t{0}));
  }
  return found;
}

// By hand, of 2 x 16 to 32 and from there to 4, with bias; of the input a slice of 2 x 4. Numbers have 16 bits in
// Vulkan's blob, 32 in the native one.
TEST(OperatorWork, OfVulkanAndNativeIsFromTheirValues) {
  const auto expected = [](uint64_t bytes) {
    return std::vector<std::pair<uint64_t, uint64_t>>{
        {2 * 32 * 16, bytes * (2 * 16 + 32 * 16 + 32 + 2 * 32)},  // linear
        {0, bytes * (2 * 32 + 2 * 32)},                           // gelu
        {2 * 4 * 32, bytes * (2 * 32 + 4 * 32 + 4 + 2 * 4)},      // linear
        {0, bytes * (2 * 4 + 2 * 4)},                             // slice_copy
        {0, bytes * (2 * 4 + 2 * 4)},                             // sin
        {0, bytes * (2 * 4 + 2 * 4 + 2 * 4)}};                    // add
  };
  EXPECT_EQ(OperatorsOf("delegates/vk_lin.pte"), expected(2));
  EXPECT_EQ(OperatorsOf("delegates/native_lin.pte"), expected(4));
}

// By hand, of 32-bit numbers: 3 channels of 16 x 16 to 8 by 3 x 3, 2 x 2 pooled, 512 to 10, softmax. A convolution has
// two zero points of one number, a product a shift of one byte.
TEST(OperatorWork, OfTosaAndVgfIsFromTheirTensors) {
  constexpr uint64_t kImage = 3 * 16 * 16, kConv = 8 * 16 * 16, kPooled = 8 * 8 * 8;
  const std::vector<std::pair<uint64_t, uint64_t>> expected = {
      {0, 4 * (kImage + kImage)},                           // TRANSPOSE
      {kConv * 27, 4 * (kImage + 8 * 27 + 8 + 2 + kConv)},  // CONV2D
      {0, 4 * (kConv + kConv)},                             // CLAMP
      {0, 4 * (kConv + kPooled)},                           // MAX_POOL2D
      {0, 4 * (kPooled + kPooled)},                         // TRANSPOSE
      {0, 4 * (kPooled + kPooled)},                         // RESHAPE
      {10 * 512, 4 * (kPooled + 10 * 512 + 10 + 2 + 10)},   // CONV2D
      {0, 4 * (10 + 10)},                                   // RESHAPE
      {0, 4 * (10 + 1)},                                    // REDUCE_MAX
      {0, 4 * (10 + 1 + 10)},                               // SUB
      {0, 4 * (10 + 10)},                                   // EXP
      {0, 4 * (10 + 1)},                                    // REDUCE_SUM
      {0, 4 * (1 + 1)},                                     // RECIPROCAL
      {0, 4 * (10 + 1 + 10) + 1}};                          // MUL
  EXPECT_EQ(OperatorsOf("delegates/tosa_conv.pte"), expected);
  std::vector<std::pair<uint64_t, uint64_t>> of_vgf = expected;
  for (const size_t convolution : {size_t{1}, size_t{6}})
    of_vgf[convolution].second -= 4;  // both zero points are one constant there
  EXPECT_EQ(OperatorsOf("delegates/vgf_conv.pte"), of_vgf);
}

TEST(OperatorWork, OfOpenVinoIsFromItsPorts) {
  constexpr uint64_t kImage = 3 * 16 * 16, kConv = 8 * 16 * 16, kPooled = 8 * 8 * 8;
  const std::vector<std::pair<uint64_t, uint64_t>> expected = {
      {kConv * 27, 4 * (kImage + 8 * 27 + kConv)},     // Convolution
      {0, 4 * (kConv + 8 + kConv)},                    // Add
      {0, 4 * (kConv + kConv)},                        // ReLU
      {0, 4 * (kConv + kPooled)},                      // MaxPool
      {0, 4 * (kPooled + kPooled)},                    // Reshape
      {10 * 512, 4 * (kPooled + 10 * 512 + 10 + 10)},  // FullyConnected
      {0, 4 * (10 + 10)}};                             // SoftMax
  EXPECT_EQ(OperatorsOf("delegates/ov_conv.pte"), expected);
}

TEST(OperatorWork, OfCoremlIsFromItsTypes) {
  constexpr uint64_t kImage = 3 * 16 * 16, kConv = 8 * 8 * 8;  // with a stride of 2; numbers have 2 bytes inside
  const std::vector<std::pair<uint64_t, uint64_t>> expected = {{0, (4 + 2) * kImage},                            // cast
                                                               {kConv * 27, 2 * (kImage + 8 * 27 + 8 + kConv)},  // conv
                                                               {0, 2 * (kConv + kConv)},                         // relu
                                                               {0, 2 * (kConv + kConv)},                    // reshape
                                                               {10 * 512, 2 * (512 + 10 * 512 + 10 + 10)},  // linear
                                                               {0, 2 * (10 + 10)}};                         // softmax
  EXPECT_EQ(OperatorsOf("delegates/coreml_conv.pte"), expected);
}

TEST(OperatorWork, DataFilesHaveNone) { EXPECT_TRUE(WorkOf(test::OpenFile(DataPath("f04/w.ptd"))).empty()); }

TEST(OperatorWork, IsToldOfEveryProgram) {
  for (const std::string& path : test::AllModelFiles()) {
    SCOPED_TRACE(path);
    const Container file = test::OpenFile(path);
    const std::vector<InstructionWork> work = WorkOf(file);
    ASSERT_EQ(work.size(), DescribeInstructions(file).size());
    for (const InstructionWork& one : work)
      EXPECT_EQ(one.work.macs && one.work.bytes, *one.work.why_unknown == '\0') << one.index;
  }
}

}  // namespace
}  // namespace pteedit::operator_work_test
