// What the operators in graphs of delegates compute, of graphs made here; for real ones see operator_work_test.cc.
#include <gtest/gtest.h>

#include "decoded_blobs.h"
#include "delegates/spirv.h"
#include "delegates/tosa.h"
#include "delegates/tosa_schema.h"
#include "delegates/vulkan.h"
#include "delegates/vulkan_schema.h"
#include "delegates/vulkan_work.h"
#include "measured_blobs.h"
#include "needs/release_tables.h"
#include "small_files.h"

namespace pteedit::graph_work_test {
namespace {

namespace tosa = schema::tosa;
namespace vk = schema::vulkan;

using test::Measure;

void ExpectMeasuresDamage(const char* backend, const std::vector<uint8_t>& blob) {
  test::ExpectMeasuresDamage(*FindDecoder(backend), blob);
}

class VulkanGraph {
 public:
  int32_t Tensor(std::vector<uint32_t> dims, vk::VkDataType type = vk::VkDataType::FLOAT32) {
    return Add(vk::GraphTypes::VkTensor, vk::CreateVkTensorDirect(builder_, type, &dims, -1).Union());
  }
  int32_t Bool(bool value) { return Add(vk::GraphTypes::Bool, vk::CreateBool(builder_, value).Union()); }
  int32_t None() { return Add(vk::GraphTypes::Null, vk::CreateNull(builder_).Union()); }
  int32_t List(std::vector<int32_t> items) {
    return Add(vk::GraphTypes::ValueList, vk::CreateValueListDirect(builder_, &items).Union());
  }
  void Call(const char* name, std::vector<int32_t> args) {
    calls_.push_back(vk::CreateOperatorCallDirect(builder_, 0, name, &args));
  }

  std::vector<uint8_t> Blob() {
    builder_.Finish(vk::CreateVkGraphDirect(builder_, "0", &calls_, &values_), "VK00");
    constexpr uint32_t kGraphOffset = 32;
    std::vector<uint8_t> blob((kGraphOffset + builder_.GetSize() + 15) / 16 * 16);
    std::memcpy(blob.data() + 4, "VH00", 4);
    test::PutAt<uint16_t>(blob, 8, 30);
    test::PutAt<uint32_t>(blob, 10, kGraphOffset);
    test::PutAt<uint32_t>(blob, 14, builder_.GetSize());
    test::PutAt<uint32_t>(blob, 18, static_cast<uint32_t>(blob.size()));
    std::memcpy(blob.data() + kGraphOffset, builder_.GetBufferPointer(), builder_.GetSize());
    return blob;
  }
  OperatorWork Work(const char* name, const std::vector<int32_t>& args) {
    Call(name, args);
    return Measure(MeasureVulkan, Blob()).back();
  }

 private:
  int32_t Add(vk::GraphTypes type, flatbuffers::Offset<void> value) {
    values_.push_back(vk::CreateVkValue(builder_, type, value));
    return static_cast<int32_t>(values_.size()) - 1;
  }

  flatbuffers::FlatBufferBuilder builder_;
  std::vector<flatbuffers::Offset<vk::VkValue>> values_;
  std::vector<flatbuffers::Offset<vk::OperatorCall>> calls_;
};

// 4 to 8 channels by 2 x 2, with stride 2 the other way; by hand.
TEST(VulkanWork, KnowsConvolutionsByTheirFlag) {
  for (const bool is_transposed : {false, true}) {
    VulkanGraph graph;
    const int32_t small = graph.Tensor({1, 4, 5, 5}), wide = graph.Tensor({1, 8, 10, 10});
    const int32_t filter = graph.Tensor({4, 8, 2, 2}), none = graph.None(), flag = graph.Bool(is_transposed);
    const OperatorWork work =
        graph.Work("et_vk.conv_with_clamp.default", {is_transposed ? small : wide, filter, none, none, none, none, flag,
                                                     none, none, none, none, is_transposed ? wide : small});
    EXPECT_EQ(work.macs, 4U * 25 * (8 * 2 * 2));
    EXPECT_EQ(work.bytes, 4U * (100 + 800 + 128));
  }
}

TEST(VulkanWork, CountsWhatIsInLists) {
  VulkanGraph graph;
  const int32_t a = graph.Tensor({2, 3}), b = graph.Tensor({2, 5}, vk::VkDataType::FLOAT16), c = graph.Tensor({2, 8});
  const int32_t both = graph.List({a, b, a}), nested = graph.List({both}), far = graph.List({a, 99}),
                none = graph.None();
  graph.Call("aten.cat.default", {both, none, c});
  graph.Call("aten.cat.default", {nested, none, c});
  graph.Call("aten.cat.default", {far, none, c});
  const std::vector<OperatorWork> work = Measure(MeasureVulkan, graph.Blob());
  ASSERT_EQ(work.size(), 3U);
  EXPECT_EQ(work[0].macs, 0U);
  EXPECT_EQ(work[0].bytes, 4U * 6 + 2 * 10 + 4 * 16);
  EXPECT_EQ(work[1].bytes, std::nullopt);
  EXPECT_EQ(work[2].bytes, std::nullopt);
}

TEST(VulkanWork, TellsNothingOfWhatDoesNotMakeSense) {
  VulkanGraph graph;
  const int32_t huge = graph.Tensor({0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF}), small = graph.Tensor({2, 2});
  const int32_t untyped = graph.Tensor({2, 2}, vk::VkDataType::UNSET);
  const int32_t deep = graph.Tensor(std::vector<uint32_t>(17, 1));
  const std::string long_name = "aten." + std::string(300, 'm');
  for (const std::vector<int32_t>& args : std::vector<std::vector<int32_t>>{{huge, huge, huge},
                                                                            {small, small, 99},
                                                                            {-1, small, small},
                                                                            {deep, small, small},
                                                                            {small, small, untyped},
                                                                            {}})
    graph.Call("aten.mm.default", args);
  graph.Call("aten.fancy.default", {small, small});
  graph.Call(long_name.c_str(), {small, small});
  graph.Call("aten.mm.default", {small, small, small});
  const std::vector<uint8_t> blob = graph.Blob();
  const std::vector<OperatorWork> work = Measure(MeasureVulkan, blob);
  ASSERT_EQ(work.size(), 9U);
  for (size_t i = 0; i < 6; ++i) {
    EXPECT_FALSE(work[i].macs && work[i].bytes) << i;
    EXPECT_STREQ(work[i].why_unknown, "its shapes do not tell") << i;
  }
  EXPECT_STREQ(work[6].why_unknown, "its kind of operator is not known");
  EXPECT_STREQ(work[7].why_unknown, "its kind of operator is not known");
  EXPECT_EQ(work[8].macs, 8U);
  ExpectMeasuresDamage("VulkanBackend", blob);
}

TEST(VulkanWork, KnowsWhatReleasesHave) {
  size_t known = 0;
  for (const NameInReleases& op : VulkanOperators()) known += VulkanWorkRule(op.name) ? 1 : 0;
  EXPECT_GT(known * 10, VulkanOperators().size() * 9);
  EXPECT_EQ(VulkanWorkRule("et_vk.prepack.default")->work, Work::kNothing);
  EXPECT_EQ(VulkanWorkRule("mul")->work, Work::kNothing);
  EXPECT_EQ(VulkanWorkRule("aten.mul.Tensor")->work, Work::kAll);
}

struct TosaCall {
  tosa::Op op = tosa::Op::ADD;
  std::vector<std::vector<int32_t>> inputs;
  std::vector<int32_t> output;
  tosa::DType type = tosa::DType::INT8;
};

// Of one operator whose tensors these are, with the first input named `missing` where that is asked for.
std::vector<uint8_t> TosaBlob(const TosaCall& call, bool lacks_input = false, bool is_unranked = false) {
  flatbuffers::FlatBufferBuilder builder;
  std::vector<flatbuffers::Offset<tosa::TosaTensor>> tensors;
  std::vector<std::string> names;
  for (const std::vector<int32_t>& sizes : call.inputs) {
    names.push_back("t" + std::to_string(names.size()));
    tensors.push_back(
        tosa::CreateTosaTensorDirect(builder, names.back().c_str(), &sizes, call.type, nullptr, false, is_unranked));
  }
  tensors.push_back(tosa::CreateTosaTensorDirect(builder, "out", &call.output, call.type));
  if (lacks_input) names.front() = "missing";
  names.emplace_back("shape");
  const auto inputs = builder.CreateVectorOfStrings(names), outputs = builder.CreateVectorOfStrings({"out"});
  const std::vector<flatbuffers::Offset<tosa::TosaOperator>> calls = {
      tosa::CreateTosaOperator(builder, tosa::Op::CONST_SHAPE),
      tosa::CreateTosaOperator(builder, call.op, tosa::Attribute::NONE, 0, inputs, outputs)};
  const std::vector<uint8_t> data(16);
  const std::vector<flatbuffers::Offset<tosa::TosaShape>> shapes = {
      tosa::CreateTosaShapeDirect(builder, "shape", 2, &data)};
  const std::vector<flatbuffers::Offset<tosa::TosaBasicBlock>> blocks = {
      tosa::CreateTosaBasicBlockDirect(builder, "main", &calls, &tensors, nullptr, nullptr, &shapes)};
  const std::vector<flatbuffers::Offset<tosa::TosaRegion>> regions = {
      tosa::CreateTosaRegionDirect(builder, "main", &blocks)};
  const auto version = tosa::CreateVersion(builder, 1, 0, 0, false);
  builder.Finish(tosa::CreateTosaGraphDirect(builder, version, &regions), "TOSA");
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

OperatorWork WorkOfTosa(const std::vector<uint8_t>& blob) {
  const std::vector<OperatorWork> work = Measure(MeasureTosa, blob);
  EXPECT_EQ(work.size(), 1U);  // the constant is no operator
  return work.empty() ? OperatorWork() : work[0];
}

// By hand.
TEST(TosaWork, IsOfEachLayout) {
  using Op = tosa::Op;
  const OperatorWork conv = WorkOfTosa(TosaBlob({Op::CONV2D, {{1, 8, 8, 3}, {8, 3, 3, 3}, {8}}, {1, 6, 6, 8}}));
  EXPECT_EQ(conv.macs, 8U * 36 * 27);
  EXPECT_EQ(conv.bytes, 192U + 216 + 8 + 288);
  EXPECT_EQ(WorkOfTosa(TosaBlob({Op::DEPTHWISE_CONV2D, {{1, 8, 8, 6}, {3, 2, 6, 2}, {12}}, {1, 6, 7, 12}})).macs,
            6U * 7 * 12 * 6);
  EXPECT_EQ(WorkOfTosa(TosaBlob({Op::TRANSPOSE_CONV2D, {{1, 5, 5, 4}, {8, 2, 2, 4}, {8}}, {1, 10, 10, 8}})).macs,
            25U * 4 * (8 * 4));
  EXPECT_EQ(WorkOfTosa(TosaBlob({Op::MATMUL, {{2, 5, 3}, {2, 3, 7}}, {2, 5, 7}})).macs, 2U * 5 * 7 * 3);
  EXPECT_EQ(WorkOfTosa(TosaBlob({Op::SLICE, {{10, 4}}, {3, 4}})).bytes, 24U);
  EXPECT_EQ(WorkOfTosa(TosaBlob({Op::ADD, {{3}, {3}}, {3}, tosa::DType::INT4})).bytes, 3U * 2);
  EXPECT_EQ(WorkOfTosa(TosaBlob({Op::ADD, {{3}, {3}}, {3}, tosa::DType::INT48})).bytes, 3U * 18);
}

TEST(TosaWork, TellsNothingOfWhatDoesNotMakeSense) {
  using Op = tosa::Op;
  const TosaCall add{Op::ADD, {{3}, {3}}, {3}};
  const auto why = [](const std::vector<uint8_t>& blob) {
    const OperatorWork work = WorkOfTosa(blob);
    EXPECT_FALSE(work.macs && work.bytes);
    return std::string(work.why_unknown);
  };
  const std::string untold = "its shapes do not tell", unbound = "it takes tensors without a largest shape";
  constexpr int32_t kLarge = 0x7FFFFFFF;
  EXPECT_EQ(why(TosaBlob(add, true)), untold);
  EXPECT_EQ(why(TosaBlob({Op::ADD, {{3}, {3}}, {3}, tosa::DType::FP6E2M3})), untold);
  EXPECT_EQ(why(TosaBlob({Op::ADD, {{kLarge, kLarge, kLarge}, {3}}, {3}})), untold);
  EXPECT_EQ(why(TosaBlob({Op::MATMUL, {{1, kLarge, kLarge}, {1, kLarge, kLarge}}, {1, kLarge, kLarge}})), untold);
  EXPECT_EQ(why(TosaBlob({Op::CONV2D, {{3}}, {3}})), untold);
  EXPECT_EQ(why(TosaBlob({Op::WHILE_LOOP, {{3}}, {3}})), untold);
  EXPECT_EQ(why(TosaBlob({Op::ADD, {{-1}, {3}}, {3}})), unbound);
  EXPECT_EQ(why(TosaBlob(add, false, true)), unbound);
  EXPECT_EQ(why(TosaBlob({Op::CUSTOM, {{3}}, {3}})), "its kind of operator is not known");
  ExpectMeasuresDamage("TOSABackend", TosaBlob(add));
}

// A tensor type of two numbers, 4 and 5, of 16 bits, and the tensor that a graph begins with.
struct SmallModule {
  std::vector<uint32_t> rank = {4 << 16 | 43, 1, 10, 2}, first = {4 << 16 | 43, 1, 11, 4};
  std::vector<uint32_t> shape = {5 << 16 | 44, 2, 13, 11, 12}, type = {5 << 16 | 4163, 3, 4, 10, 13};
  uint32_t instruction = 14;  // ADD

  OperatorWork Work() const {
    std::vector<uint32_t> words = {0x07230203, 0x10600, 0, 100, 0, 4 << 16 | 11, 73, 0x41534F54, 0x2E};  // "TOSA."
    const std::vector<std::vector<uint32_t>> rest = {{4 << 16 | 21, 1, 32, 0},
                                                     {3 << 16 | 22, 4, 16},
                                                     rank,
                                                     first,
                                                     {4 << 16 | 43, 1, 12, 5},
                                                     shape,
                                                     type,
                                                     {4 << 16 | 4184, 3, 20, 11},
                                                     {4 << 16 | 4181, 3, 21, 0},
                                                     {7 << 16 | 12, 3, 22, 73, instruction, 20, 21}};
    for (const std::vector<uint32_t>& one : rest) words.insert(words.end(), one.begin(), one.end());
    const Result<SpirVModule> module = ReadSpirV(words);
    EXPECT_TRUE(module);
    EXPECT_EQ(module->work.size(), 1U);
    return module->work.at(0);
  }
};

TEST(SpirVWork, ReadsTypes) {
  SmallModule module;
  EXPECT_EQ(module.Work().bytes, 3U * 2 * (4 * 5));
  module.instruction = 60;  // TRANSPOSE, whose first operand is an attribute
  EXPECT_EQ(module.Work().bytes, 2U * 2 * (4 * 5));
  module.instruction = 56;  // RESHAPE, whose second is a shape
  EXPECT_EQ(module.Work().bytes, 2U * 2 * (4 * 5));
  module.instruction = 66;
  EXPECT_STREQ(module.Work().why_unknown, "its kind of operator is not known");
  module = {};
  module.shape = {4 << 16 | 4461, 2, 13, 11};
  EXPECT_EQ(module.Work().bytes, 3U * 2 * (4 * 4));
}

TEST(SpirVWork, TellsNothingOfWhatDoesNotMakeSense) {
  const auto why = [](auto edit) {
    SmallModule module;
    edit(module);
    const OperatorWork work = module.Work();
    EXPECT_EQ(work.bytes, std::nullopt);
    return std::string(work.why_unknown);
  };
  const std::string untold = "its shapes do not tell";
  EXPECT_EQ(why([](SmallModule& module) { module.rank[3] = 3; }), untold);
  EXPECT_EQ(why([](SmallModule& module) { module.rank[3] = 0xFFFFFFFF; }), untold);
  EXPECT_EQ(why([](SmallModule& module) { module.shape[2] = 14; }), untold);
  EXPECT_EQ(why([](SmallModule& module) { module.shape[3] = 99; }), untold);
  EXPECT_EQ(why([](SmallModule& module) { module.type[2] = 99; }), untold);
  EXPECT_EQ(why([](SmallModule& module) { module.type[1] = 99; }), untold);
  EXPECT_EQ(why([](SmallModule& module) {
              module.type = {4 << 16 | 4163, 3, 4, 10};
            }),
            "it takes tensors without a largest shape");
}

}  // namespace
}  // namespace pteedit::graph_work_test
