#include "delegates/vulkan.h"

#include <gtest/gtest.h>

#include "decoded_blobs.h"
#include "delegates/blob_reader.h"
#include "delegates/vulkan_schema.h"
#include "small_files.h"

namespace pteedit::vulkan_test {
namespace {

using test::Decode;
using test::Names;
using test::PutAt;
using test::Sizes;
using test::WhyRefused;
namespace vk = schema::vulkan;
namespace vk02 = schema::vulkan02;

constexpr uint64_t kNamed = ~uint64_t{0};
constexpr size_t kGraphOffset = 32;

// A convolution whose weights lie behind the graph (constant 0) and whose bias has a key (constant 1).
struct SmallGraph {
  const char* version = "0";
  uint64_t weights_offset = 0;
  const char* bias_key = "bias";
  int32_t bias_constant = 1;
  vk::VkDataType type = vk::VkDataType::INT8;

  // Header, graph, and 32 bytes of constant data. Operators are as in 0.2 where `Call` has no node_id.
  template <class Graph, class CreateCall>
  std::vector<uint8_t> BlobWith(CreateCall create_call, const char* identifier = "VK00") const {
    flatbuffers::FlatBufferBuilder builder;
    const auto tensor = [&](std::vector<uint32_t> dims, int32_t constant) {
      return vk::CreateVkValue(builder, vk::GraphTypes::VkTensor,
                               vk::CreateVkTensorDirect(builder, type, &dims, constant).Union());
    };
    const std::vector<flatbuffers::Offset<vk::VkValue>> values = {
        tensor({1, 3, 8, 8}, -1), tensor({4, 2}, 0), tensor({4}, bias_constant),
        vk::CreateVkValue(builder, vk::GraphTypes::Int, vk::CreateNull(builder).Union())};
    const std::vector<flatbuffers::Offset<vk::VkBytes>> constants = {
        vk::CreateVkBytes(builder, weights_offset, 8), vk::CreateVkBytesDirect(builder, kNamed, 16, bias_key)};
    const auto calls = create_call(builder);
    const std::vector<uint32_t> inputs = {0}, outputs = {0};
    const auto call_list = builder.CreateVector(calls);
    const auto value_list = builder.CreateVector(values);
    const auto input_list = builder.CreateVector(inputs), output_list = builder.CreateVector(outputs);
    const auto constant_list = builder.CreateVector(constants);
    const auto version_text = builder.CreateString(version);
    typename Graph::Builder graph(builder);
    graph.add_version(version_text);
    graph.add_chain(call_list);
    graph.add_values(value_list);
    graph.add_input_ids(input_list);
    graph.add_output_ids(output_list);
    graph.add_constants(constant_list);
    builder.Finish(graph.Finish(), identifier);
    return WithHeader({builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()});
  }

  std::vector<uint8_t> Blob() const {
    return BlobWith<vk::VkGraph>([](auto& builder) {
      const std::vector<int32_t> args = {0, 1, 2, 3, 0};
      return std::vector{vk::CreateOperatorCallDirect(builder, 7, "conv", &args),
                         vk::CreateOperatorCallDirect(builder, 8, "relu", &args)};
    });
  }

  // Small numbers end as a text must, which the other layout has in the place of the list.
  std::vector<uint8_t> Blob02(int32_t number = 1) const {
    return BlobWith<vk02::VkGraph>([&](auto& builder) {
      const std::vector<int32_t> args(3, number);
      return std::vector{vk02::CreateOperatorCallDirect(builder, "conv", &args),
                         vk02::CreateOperatorCallDirect(builder, "relu", &args)};
    });
  }

  static std::vector<uint8_t> WithHeader(const std::vector<uint8_t>& graph) {
    std::vector<uint8_t> blob((kGraphOffset + graph.size() + 15) / 16 * 16);
    std::memcpy(blob.data() + 4, "VH00", 4);
    PutAt<uint16_t>(blob, 8, 30);
    PutAt<uint32_t>(blob, 10, kGraphOffset);
    PutAt<uint32_t>(blob, 14, static_cast<uint32_t>(graph.size()));
    std::copy(graph.begin(), graph.end(), blob.begin() + kGraphOffset);
    PutAt<uint32_t>(blob, 18, static_cast<uint32_t>(blob.size()));
    PutAt<uint64_t>(blob, 22, 32);
    blob.resize(blob.size() + 32);
    return blob;
  }
};

TEST(Vulkan, DecodesLinear) {
  const DecodedBlob decoded = Decode(DecodeVulkan, test::FirstBlob("delegates/vk_lin.pte", "VulkanBackend"));
  EXPECT_EQ(decoded.operators, (Names{"aten.linear.default", "aten.gelu.default", "aten.linear.default",
                                      "aten.slice_copy.Tensor", "aten.sin.default", "aten.add.Tensor"}));
  const Names keys = {"cf136686445cfcb42308e5fd5ac787d9e52c381d544d0101029d99646be38d83",
                      "509fa1f2c2ee689fbd1aac288863bb0e96ed6f67c04e9431d6ccb7c03fe321a6",
                      "8957eaa91d59deac40f0d7a29701df23ea53b3308913545d5c0026db51eafe16",
                      "eee57eff43f35f6cbececd666609dc80e73d6456d1fcf5d2e82399ce375f62b4"};
  const Sizes bytes = {1024, 64, 256, 8};
  const std::vector<Sizes> sizes = {{32, 16}, {32}, {4, 32}, {4}};
  ASSERT_EQ(decoded.constants.size(), keys.size());
  for (size_t i = 0; i < keys.size(); ++i) {
    EXPECT_EQ(decoded.constants[i].key, keys[i]);
    EXPECT_EQ(decoded.constants[i].bytes, bytes[i]);
    EXPECT_EQ(decoded.constants[i].sizes, sizes[i]);
    EXPECT_EQ(decoded.constants[i].dtype, "FLOAT16");
    EXPECT_EQ(decoded.constants[i].name, "");
    EXPECT_EQ(decoded.constants[i].extent, Extent());
  }
  EXPECT_EQ(decoded.keys, (Names{keys[1], keys[2], keys[0], keys[3]}));
  EXPECT_EQ(test::PartsOf(decoded), (Names{"header 0+30", "padding 30+2", "graph 32+1664"}));
  EXPECT_EQ(test::FactsOf(decoded), Names{"graph_version=0"});
  EXPECT_EQ(decoded.arguments, 2U);
  EXPECT_EQ(test::WordsOf(decoded.problems), Names());
}

TEST(Vulkan, DecodesEveryRealBlob) {
  size_t count = 0;
  for (const std::string& path : test::AllModelFiles()) {
    SCOPED_TRACE(path);
    for (const std::vector<uint8_t>& blob : test::BlobsOf(test::OpenFile(path), "VulkanBackend")) {
      const DecodedBlob decoded = Decode(DecodeVulkan, blob);
      test::ExpectIsWhole(decoded, blob.size());
      EXPECT_FALSE(decoded.operators.empty());
      EXPECT_EQ(test::WordsOf(decoded.problems), Names());
      for (const BlobConstant& constant : decoded.constants) EXPECT_NE(constant.dtype, "");
      ++count;
    }
  }
  EXPECT_GE(count, 3U);
}

void ExpectIsSmallGraph(const std::vector<uint8_t>& blob) {
  const DecodedBlob decoded = Decode(DecodeVulkan, blob);
  const uint64_t constant_data = blob.size() - 32;
  test::ExpectIsWhole(decoded, blob.size());
  EXPECT_EQ(decoded.operators, (Names{"conv", "relu"}));
  ASSERT_EQ(decoded.constants.size(), 2U);
  EXPECT_EQ(decoded.constants[0].key, "");
  EXPECT_EQ(decoded.constants[0].extent, (Extent{constant_data, 8}));
  EXPECT_EQ(decoded.constants[0].bytes, 8U);
  EXPECT_EQ(decoded.constants[0].dtype, "INT8");
  EXPECT_EQ(decoded.constants[0].sizes, (Sizes{4, 2}));
  EXPECT_EQ(decoded.constants[1].key, "bias");
  EXPECT_EQ(decoded.constants[1].bytes, 16U);
  EXPECT_EQ(decoded.constants[1].sizes, (Sizes{4}));
  EXPECT_EQ(decoded.keys, Names{"bias"});
  EXPECT_EQ(test::PartsOf(decoded).back(), "constant data " + std::to_string(constant_data) + "+32");
  EXPECT_EQ(test::WordsOf(decoded.problems), Names());
}

TEST(Vulkan, DecodesConstantsInBlob) { ExpectIsSmallGraph(SmallGraph().Blob()); }

TEST(Vulkan, DecodesGraphOf02) {
  ExpectIsSmallGraph(SmallGraph().Blob02());
  ExpectIsSmallGraph(SmallGraph().Blob02(0x01010101));
}

TEST(Vulkan, NamesTypeItDoesNotKnow) {
  SmallGraph graph;
  graph.type = static_cast<vk::VkDataType>(42);
  EXPECT_EQ(Decode(DecodeVulkan, graph.Blob()).constants.at(0).dtype, "datatype 42");
}

template <class Edit>
std::string WhyRefusedAfter(Edit edit) {
  return test::WhyRefusedAfter(DecodeVulkan, SmallGraph().Blob(), edit);
}

TEST(Vulkan, RefusesDamagedHeader) {
  EXPECT_EQ(WhyRefused(DecodeVulkan, std::vector<uint8_t>(29)),
            "Vulkan header of 30 bytes at 0x0 is not inside the processed blob (29 bytes)");
  EXPECT_EQ(WhyRefusedAfter([](auto& blob) { blob[4] = 'X'; }), "Vulkan header does not say 'VH00' at byte 4");
  EXPECT_EQ(WhyRefusedAfter([](auto& blob) { PutAt<uint16_t>(blob, 8, 31); }),
            "Vulkan header says it has 31 bytes, 30 expected");
  const size_t size = SmallGraph().Blob().size();
  EXPECT_EQ(WhyRefusedAfter([](auto& blob) { PutAt<uint64_t>(blob, 22, ~uint64_t{0}); }),
            Text("constant data of 18446744073709551615 bytes at ", Hex(size - 32),
                 " is not inside the processed blob (", size, " bytes)"));
  EXPECT_EQ(WhyRefusedAfter([](auto& blob) {
              PutAt<uint32_t>(blob, 10, 16);
            }).substr(0, std::string_view("Vulkan graph of").size()),
            "Vulkan graph of");
  EXPECT_NE(WhyRefusedAfter([](auto& blob) { PutAt<uint32_t>(blob, 14, 1 << 20); }), "");
}

TEST(Vulkan, RefusesDamagedGraph) {
  EXPECT_EQ(WhyRefusedAfter([](auto& blob) { blob[kGraphOffset + 4] = 'X'; }),
            "Vulkan graph does not say 'VK00' at byte 4");
  EXPECT_EQ(WhyRefusedAfter([](auto& blob) {
              PutAt<uint32_t>(blob, kGraphOffset, 1 << 20);
            }).substr(0, std::string_view("Vulkan graph (").size()),
            "Vulkan graph (");
  SmallGraph graph;
  graph.version = "1";
  EXPECT_EQ(WhyRefused(DecodeVulkan, graph.Blob()), "Vulkan graph has version '1', '0' expected");
}

TEST(Vulkan, RefusesConstantThatIsNowhere) {
  SmallGraph outside;
  outside.weights_offset = 25;
  EXPECT_EQ(WhyRefused(DecodeVulkan, outside.Blob()),
            "constant 0 of the Vulkan graph has 8 bytes at 0x19 of the constant data, which has 32 bytes");
  SmallGraph without_key;
  without_key.bias_key = "";
  EXPECT_EQ(WhyRefused(DecodeVulkan, without_key.Blob()),
            "constant 1 of the Vulkan graph has neither a place nor a key");
  SmallGraph missing;
  missing.bias_constant = 2;
  EXPECT_EQ(WhyRefused(DecodeVulkan, missing.Blob()),
            "value 2 of the Vulkan graph is constant 2, which does not exist: there are 2");
}

TEST(Vulkan, RefusesOperatorWithoutName) {
  const auto blob =
      SmallGraph().BlobWith<vk::VkGraph>([](auto& builder) { return std::vector{vk::CreateOperatorCall(builder, 7)}; });
  EXPECT_EQ(WhyRefused(DecodeVulkan, blob), "Vulkan graph has operators without a name or arguments");
}

// One name for all of them, far longer than the graph would have room for.
TEST(Vulkan, RefusesGraphThatUnfolds) {
  const auto blob = SmallGraph().BlobWith<vk::VkGraph>([](auto& builder) {
    const std::vector<int32_t> args;
    const auto call = vk::CreateOperatorCallDirect(builder, 7, std::string(10000, 'x').c_str(), &args);
    return std::vector(1000, call);
  });
  EXPECT_EQ(WhyRefused(DecodeVulkan, blob),
            "Vulkan graph refers to its strings and lists so often that copies would be far larger than it");
}

TEST(Vulkan, WarnsOfNewerFields) {
  std::vector<uint8_t> blob =
      SmallGraph().BlobWith<vk::VkGraph>([](auto&) { return std::vector<flatbuffers::Offset<vk::OperatorCall>>(); });
  // A list of fields that is longer than any of ours: the root's own, moved behind the rest with three more fields.
  const uint32_t root = static_cast<uint32_t>(kGraphOffset) + Load<uint32_t>(blob.data() + kGraphOffset);
  const auto fields = root - static_cast<uint32_t>(Load<int32_t>(blob.data() + root));
  std::vector<uint8_t> list(24);
  std::copy_n(blob.begin() + fields, Load<uint16_t>(blob.data() + fields), list.begin());
  PutAt<uint16_t>(list, 0, 24);
  std::vector<uint8_t> graph(blob.begin() + kGraphOffset, blob.end() - 32);
  PutAt<int32_t>(graph, root - kGraphOffset,
                 static_cast<int32_t>(root - kGraphOffset) - static_cast<int32_t>(graph.size()));
  graph.insert(graph.end(), list.begin(), list.end());
  EXPECT_EQ(test::WordsOf(Decode(DecodeVulkan, SmallGraph::WithHeader(graph)).problems),
            Names{"blob-unknown-fields (warning): graph: table 'VkGraph' has fields that no release up to 1.5 knows"});
}

TEST(Vulkan, SurvivesDamage) {
  test::ExpectSurvivesDamage(DecodeVulkan, SmallGraph().Blob());
  test::ExpectSurvivesDamage(DecodeVulkan, SmallGraph().Blob02());
  test::ExpectSurvivesDamage(DecodeVulkan, test::FirstBlob("delegates/vk_lin.pte", "VulkanBackend"));
}

// Constant data is never read.
TEST(Vulkan, ReadsHeaderAndGraphOnly) {
  const std::vector<uint8_t> blob = SmallGraph().Blob();
  const auto source = MakeCallbackSource("blob", blob.size(), [&](uint64_t offset, MutableByteSpan out) -> Status {
    EXPECT_LE(offset + out.size, blob.size() - 32);
    std::copy_n(blob.begin() + static_cast<std::ptrdiff_t>(offset), out.size, out.data);
    return {};
  });
  EXPECT_TRUE(DecodeVulkan({source, {0, blob.size()}, {}, nullptr}));
}

}  // namespace
}  // namespace pteedit::vulkan_test
