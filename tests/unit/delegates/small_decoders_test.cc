// Backends of whose blobs little can be told: MPS, Neutron, ENN, Core AI.
#include <gtest/gtest.h>

#include "delegates/coreai.h"
#include "delegates/enn.h"
#include "delegates/mps.h"
#include "delegates/neutron.h"
#include "enn_options_generated.h"
#include "mps_generated.h"
#include "test_blobs.h"

namespace pteedit::small_decoders_test {
namespace {

using namespace test;  // NOLINT: blobs and what is found in them
using Names = std::vector<std::string>;
namespace mps = schema::mps;

struct SmallMps {
  mps::MPSNodeUnion type = mps::MPSNodeUnion::MPSAdd;
  mps::MPSDataType datatype = mps::MPSDataType::mps_data_type_float16;
  uint64_t size = 12, segment_offset = 16, data_size = 32;
  int32_t constant = 1;

  TestBlob Blob() const {
    flatbuffers::FlatBufferBuilder builder;
    const auto node = mps::CreateNode(builder).Union();
    const auto operation = mps::CreateMPSNode(builder, type, node);
    const auto input = mps::CreateMPSTensor(builder);
    const auto dims = builder.CreateVector(std::vector<int32_t>{2, 3});
    const auto weight = mps::CreateMPSTensor(builder, datatype, 2, dims, size, 0, segment_offset);
    const auto ids = builder.CreateVector(std::vector<int32_t>{constant});
    const auto nodes = builder.CreateVector(std::vector{operation});
    const auto values = builder.CreateVector(std::vector{input, weight});
    builder.Finish(mps::CreateMPSGraph(builder, 0, nodes, values, 0, 0, ids), "MP00");
    TestBlob blob;
    Append(blob.bytes, uint32_t{0});
    AppendText(blob.bytes, "MP00");
    const uint64_t data = (24 + builder.GetSize() + 15) / 16 * 16;
    Append(blob.bytes, data);
    Append(blob.bytes, data_size);
    blob.bytes.insert(blob.bytes.end(), builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize());
    blob.bytes.resize(data + 32);
    return blob;
  }
};

template <class Edit>
std::string WhyMpsAfter(Edit edit) {
  SmallMps graph;
  edit(graph);
  return WhyOpaque("MPSBackend", graph.Blob());
}

TEST(Mps, DecodesGraph) {
  const TestBlob blob = SmallMps().Blob();
  const DecodedBlob decoded = Decoded("MPSBackend", blob);
  ExpectIsWhole(decoded, blob.bytes.size());
  EXPECT_EQ(decoded.operators, Names{"MPSAdd"});
  const uint64_t data = blob.bytes.size() - 32;
  EXPECT_EQ(ConstantWords(decoded), Names{"  float16 [2,3] 12 @" + std::to_string(data + 16)});
  EXPECT_EQ(PartWords(decoded), (Names{"header 0 24", "graph 24 " + std::to_string(data - 24),
                                       "constant data " + std::to_string(data) + " 32"}));
}

TEST(Mps, NumbersOperatorsAsTheExporterDoes) {
  EXPECT_EQ(static_cast<int>(mps::MPSNodeUnion::MPSHardTanh), 1);
  EXPECT_EQ(static_cast<int>(mps::MPSNodeUnion::MPSConv2D), 76);
  EXPECT_EQ(static_cast<int>(mps::MPSNodeUnion::MPSDequantizePerChannelGroup), 90);
  SmallMps graph;
  graph.type = static_cast<mps::MPSNodeUnion>(91);
  graph.datatype = static_cast<mps::MPSDataType>(18);
  const DecodedBlob decoded = Decoded("MPSBackend", graph.Blob());
  EXPECT_EQ(decoded.operators, Names{"op #91"});
  EXPECT_EQ(decoded.constants.at(0).dtype, "type 18");
  graph.datatype = mps::MPSDataType::mps_data_type_bool;
  EXPECT_EQ(Decoded("MPSBackend", graph.Blob()).constants.at(0).dtype, "bool");
}

TEST(Mps, NamesDamage) {
  EXPECT_EQ(WhyOpaque("MPSBackend", {}), "header of 24 bytes at 0x0 is not inside the processed blob (0 bytes)");
  TestBlob old = SmallMps().Blob();
  old.bytes[0] = 1;
  EXPECT_EQ(WhyOpaque("MPSBackend", old),
            "blob does not begin with four zero bytes and 'MP00', as blobs have since 0.4");
  EXPECT_EQ(WhyMpsAfter([](SmallMps& graph) { graph.constant = 2; }),
            "constant is value 2 of the graph, which does not exist: there are 2");
  EXPECT_EQ(WhyMpsAfter([](SmallMps& graph) { graph.constant = -1; }),
            "constant is value -1 of the graph, which does not exist: there are 2");
  EXPECT_EQ(WhyMpsAfter([](SmallMps& graph) { graph.segment_offset = 21; }),
            "value 1 has 12 bytes at 0x15 of the constant data, which has 32 bytes");
  EXPECT_NE(WhyMpsAfter([](SmallMps& graph) { graph.data_size = 33; }), "");
  TestBlob damaged = SmallMps().Blob();
  damaged.bytes[27] = 0x7F;
  EXPECT_EQ(WhyOpaque("MPSBackend", damaged).substr(0, 11), "MPS graph (");
  ExpectSurvivesDamage("MPSBackend", SmallMps().Blob());
}

TEST(Neutron, DecodesHeader) {
  TestBlob blob{{2, 1, 1, 0, 1, 0, 0, 1, 0, 1}, {}};
  blob.bytes.resize(48);
  const DecodedBlob decoded = Decoded("NeutronBackend", blob);
  EXPECT_EQ(PartWords(decoded), (Names{"header 0 16", "microcode, weights and kernels 16 32"}));
  EXPECT_EQ(FactOf(decoded, "inputs"), "2");
  EXPECT_EQ(FactOf(decoded, "outputs"), "1");
  EXPECT_EQ(FactOf(decoded, "payload_version"), "1");
  ExpectSurvivesDamage("NeutronBackend", blob);
  blob.bytes[9] = 2;
  EXPECT_EQ(WhyOpaque("NeutronBackend", blob), "blob is of version 2, 0 or 1 expected");
  blob.bytes[4] = 2;
  EXPECT_EQ(WhyOpaque("NeutronBackend", blob), "format 1 in the header is 2, 0 or 1 expected");
  blob.bytes[0] = 255;
  EXPECT_EQ(WhyOpaque("NeutronBackend", blob),
            "header of 528 bytes at 0x0 is not inside the processed blob (48 bytes)");
}

TEST(Enn, TellsTheChip) {
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(schema::enn::CreateEnnExecuTorchOptions(builder, 9955, schema::enn::PerformanceMode::HIGH_PERFORMANCE),
                 "EETO");
  std::string options(reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize());
  TestBlob blob{std::vector<uint8_t>(10), {{"enn_compile_options", options}}};
  const DecodedBlob decoded = Decoded("EnnBackend", blob);
  EXPECT_EQ(PartWords(decoded), Names{"network 0 10"});
  EXPECT_EQ(FactOf(decoded, "chipset"), "9955");
  EXPECT_EQ(FactOf(decoded, "perf_mode"), "1");
  for (size_t i = 0; i < options.size(); ++i) {
    blob.specs[0].second = options.substr(0, i);
    EXPECT_EQ(PartWords(Decoded("EnnBackend", blob)), Names{"network 0 10"});
  }
  EXPECT_TRUE(Decoded("EnnBackend", {}).parts.empty());
}

TestBlob Manifest(const std::string& json) {
  TestBlob blob;
  AppendText(blob.bytes, json);
  return blob;
}

TEST(Coreai, ListsKeysOfFiles) {
  const TestBlob blob = Manifest(
      R"({"files": ["m.aimodel/b", "m.aimodel/a"], "packaging": "inline", "hash": "1f", "min_deployment_version": "27.0",)"
      R"( "archs": {"h17": "1f/x", "h18": "1f/y"}})");
  const DecodedBlob decoded = Decoded("CoreAIBackend", blob);
  ExpectIsWhole(decoded, blob.bytes.size());
  EXPECT_EQ(decoded.keys, (Names{"coreai/1f/m.aimodel/a", "coreai/1f/m.aimodel/b"}));
  EXPECT_EQ(FactOf(decoded, "packaging"), "inline");
  EXPECT_EQ(FactOf(decoded, "min_deployment_version"), "27.0");
  EXPECT_EQ(FactOf(decoded, "architectures"), "h17, h18");
  ExpectSurvivesDamage("CoreAIBackend", blob);
  EXPECT_TRUE(Decoded("CoreAIBackend", Manifest(R"({"packaging": "sidecar", "hash": "1f"})")).keys.empty());
}

TEST(Coreai, NamesDamage) {
  const auto why = [](const std::string& json) { return WhyOpaque("CoreAIBackend", Manifest(json)); };
  EXPECT_EQ(why("model"), "manifest is no JSON from byte 1 on");
  EXPECT_EQ(why("{}"), "manifest does not say how the model is packaged");
  EXPECT_EQ(why(R"({"packaging": "inline", "files": ["a"]})"), "manifest lists files but has no hash");
  EXPECT_EQ(why(R"({"packaging": "inline", "hash": "1", "files": [1]})"), "manifest lists a file without a name");
}

}  // namespace
}  // namespace pteedit::small_decoders_test
