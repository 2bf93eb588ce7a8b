#include "delegates/mlx.h"

#include <gtest/gtest.h>

#include "decoded_blobs.h"
#include "delegates/mlx_schema.h"
#include "needs/releases.h"
#include "program_builder.h"
#include "small_files.h"

namespace pteedit::mlx_test {
namespace {

using test::Decode;
using test::Names;
using test::PutAt;
using test::Sizes;
using test::WhyRefused;
namespace mlx = schema::mlx;
using mlx::OpNode;

// Two constants, an input, and a chain with one operator behind a chain that runs once.
struct SmallGraph {
  const char* version = "1";
  OpNode type = OpNode::AddNode;
  const char* first_key = "0a9f/fc.weight";
  uint32_t first_index = 0;
  int8_t scalar_type = 6;
  size_t data_bytes = 0;

  std::vector<uint8_t> Blob() const {
    flatbuffers::FlatBufferBuilder builder;
    const auto node = mlx::CreateNoopNode(builder).Union();
    const auto chain = [&](OpNode op) {
      const std::vector<flatbuffers::Offset<mlx::Instruction>> list = {mlx::CreateInstruction(builder, op, node)};
      return mlx::CreateInstructionChainDirect(builder, &list);
    };
    const std::vector<flatbuffers::Offset<mlx::InstructionChain>> chains = {chain(OpNode::ARangeNode), chain(type)};
    const auto slot = [&](uint32_t index, mlx::SlotType kind = mlx::SlotType::TensorSlot) {
      return mlx::CreateSlotVariant(builder, index, kind);
    };
    const std::vector<flatbuffers::Offset<mlx::NamedSlot>> slots = {
        mlx::CreateNamedSlotDirect(builder, first_key, slot(first_index)),
        mlx::CreateNamedSlotDirect(builder, "fc/bias", slot(1)), mlx::CreateNamedSlotDirect(builder, "0a9f/x", slot(2)),
        mlx::CreateNamedSlotDirect(builder, "0a9f/length", slot(0, mlx::SlotType::IntValueSlot))};
    const auto meta = [&](const std::vector<int32_t>& sizes) {
      std::vector<flatbuffers::Offset<mlx::ShapeDim>> shape;
      for (const int32_t size : sizes) shape.push_back(mlx::CreateShapeDim(builder, size));
      return mlx::CreateTensorMetaDirect(builder, &shape, scalar_type);
    };
    const std::vector<flatbuffers::Offset<mlx::TensorMeta>> metas = {meta({4, 8}), meta({4})};
    const std::vector<flatbuffers::Offset<mlx::SlotVariant>> inputs = {slot(2)}, outputs = {slot(3), slot(4)};
    builder.Finish(mlx::CreateMLXGraphDirect(builder, version, 2, 1, 2, 0, 0, 0, &chains, 1, 0, &inputs, &outputs,
                                             nullptr, &slots, &metas));
    std::vector<uint8_t> blob((24 + builder.GetSize() + 15) / 16 * 16);
    std::memcpy(blob.data() + 4, "MLX0", 4);
    std::copy_n(builder.GetBufferPointer(), builder.GetSize(), blob.begin() + 24);
    PutAt<uint64_t>(blob, 8, blob.size());
    PutAt<uint64_t>(blob, 16, data_bytes);
    blob.resize(blob.size() + data_bytes);
    return blob;
  }
};

TEST(Mlx, DecodesLinear) {
  const DecodedBlob decoded = Decode(DecodeMlx, test::FirstBlob("delegates/mlx_lin.pte", "MLXBackend"));
  EXPECT_EQ(decoded.operators, (Names{"TransposeNode", "AddmmNode", "GeluNode", "TransposeNode", "AddmmNode",
                                      "SliceNode", "SinNode", "AddNode"}));
  const Names names = {"a.weight", "a.bias", "b.weight", "b.bias"};
  const std::vector<Sizes> sizes = {{32, 16}, {32}, {4, 32}, {4}};
  const Sizes bytes = {2048, 128, 512, 16};
  ASSERT_EQ(decoded.constants.size(), names.size());
  for (size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(decoded.constants[i].name, names[i]);
    EXPECT_EQ(decoded.constants[i].key, "a78f/" + names[i]);
    EXPECT_EQ(decoded.constants[i].dtype, "float32");
    EXPECT_EQ(decoded.constants[i].sizes, sizes[i]);
    EXPECT_EQ(decoded.constants[i].bytes, bytes[i]);
  }
  EXPECT_EQ(decoded.keys, (Names{"a78f/a.bias", "a78f/a.weight", "a78f/b.bias", "a78f/b.weight"}));
  EXPECT_EQ(test::PartsOf(decoded), (Names{"header 0+24", "graph 24+1176"}));
  EXPECT_EQ(test::FactsOf(decoded), Names{"graph_version=1"});
  EXPECT_EQ(decoded.arguments, 2U);
  EXPECT_EQ(test::WordsOf(decoded.problems), Names());
}

// Whose constants have as many bytes as the exporter stored.
TEST(Mlx, DecodesEveryRealBlob) {
  size_t count = 0;
  for (const std::string& path : test::AllModelFiles()) {
    SCOPED_TRACE(path);
    const Container file = test::OpenFile(path);
    for (const std::vector<uint8_t>& blob : test::BlobsOf(file, "MLXBackend")) {
      const DecodedBlob decoded = Decode(DecodeMlx, blob);
      test::ExpectIsWhole(decoded, blob.size());
      EXPECT_EQ(test::WordsOf(decoded.problems), Names());
      for (const NamedEntry& entry : file.named_data()) {
        for (const BlobConstant& constant : decoded.constants) {
          if (constant.key != entry.key) continue;
          EXPECT_EQ(constant.bytes, entry.extent.size) << entry.key;
          ++count;
        }
      }
    }
  }
  EXPECT_GE(count, 12U);
}

TEST(Mlx, DecodesAllChains) {
  SmallGraph graph;
  graph.data_bytes = 32;
  const std::vector<uint8_t> blob = graph.Blob();
  const DecodedBlob decoded = Decode(DecodeMlx, blob);
  EXPECT_EQ(decoded.operators, (Names{"ARangeNode", "AddNode"}));
  ASSERT_EQ(decoded.constants.size(), 2U);
  EXPECT_EQ(decoded.constants[0].name, "fc.weight");
  EXPECT_EQ(decoded.constants[0].bytes, 128U);
  EXPECT_EQ(decoded.constants[1].name, "fc/bias");
  EXPECT_EQ(decoded.keys, (Names{"0a9f/fc.weight", "fc/bias"}));
  EXPECT_EQ(decoded.arguments, 3U);
  EXPECT_EQ(test::PartsOf(decoded).back(), "data " + std::to_string(blob.size() - 32) + "+32");
  test::ExpectIsWhole(decoded, blob.size());
}

TEST(Mlx, NamesWithoutPrefixAreWhole) {
  SmallGraph graph;
  for (const char* key : {"0A9f/w", "0a9/w", "0a9f/", "w"}) {
    graph.first_key = key;
    EXPECT_EQ(Decode(DecodeMlx, graph.Blob()).constants.at(0).name, key);
  }
}

TEST(Mlx, TakesTensorsBehindTheConstantsForNone) {
  SmallGraph graph;
  graph.first_index = 2;
  EXPECT_EQ(Decode(DecodeMlx, graph.Blob()).keys, Names{"fc/bias"});
}

TEST(Mlx, LeavesUnknownTypeOpen) {
  SmallGraph graph;
  graph.scalar_type = 99;
  const DecodedBlob decoded = Decode(DecodeMlx, graph.Blob());
  EXPECT_EQ(decoded.constants.at(0).dtype, "scalar_type_99");
  EXPECT_EQ(decoded.constants.at(0).bytes, 0U);
}

TEST(Mlx, WarnsOfUnknownOperator) {
  SmallGraph graph;
  graph.type = static_cast<OpNode>(250);
  const DecodedBlob decoded = Decode(DecodeMlx, graph.Blob());
  EXPECT_EQ(decoded.operators, (Names{"ARangeNode", "op #250"}));
  EXPECT_EQ(
      test::WordsOf(decoded.problems),
      Names{"blob-unknown-operator (warning): graph: has operators of type 250, which no release up to 1.5 knows"});
}

TEST(Mlx, NamesTheLastOperator) {
  SmallGraph graph;
  graph.type = OpNode::MAX;
  EXPECT_EQ(Decode(DecodeMlx, graph.Blob()).operators.at(1), "FlipNode");
}

TEST(Mlx, NodesAskForTheFirstReleaseThatHasThem) {
  SmallGraph graph;
  const auto oldest = [&] {
    return *OldestRuntime(test::ProgramBuilder().Method("forward").Delegate("MLXBackend", graph.Blob()).Open());
  };
  EXPECT_EQ(oldest(), "1.3");
  graph.type = OpNode::IfNode;
  EXPECT_EQ(oldest(), "1.4");
  graph.type = OpNode::FlipNode;
  EXPECT_EQ(oldest(), "1.5");
  graph.type = static_cast<OpNode>(250);  // of no release, so it cannot be told
  EXPECT_EQ(oldest(), "1.3");
}

template <class Edit>
std::string WhyRefusedAfter(Edit edit) {
  return test::WhyRefusedAfter(DecodeMlx, SmallGraph().Blob(), edit);
}

TEST(Mlx, RefusesDamage) {
  const size_t size = SmallGraph().Blob().size();
  EXPECT_EQ(WhyRefused(DecodeMlx, std::vector<uint8_t>(23)),
            "MLX header of 24 bytes at 0x0 is not inside the processed blob (23 bytes)");
  EXPECT_EQ(WhyRefusedAfter([](auto& blob) { blob[7] = '1'; }), "MLX header does not say 'MLX0' at byte 4");
  EXPECT_EQ(WhyRefusedAfter([](auto& blob) { PutAt<uint64_t>(blob, 8, 24); }),
            "MLX data begins at 0x18, which leaves no room for a graph behind the 24 bytes of the header");
  EXPECT_EQ(WhyRefusedAfter([](auto& blob) { PutAt<uint64_t>(blob, 16, 1); }).substr(0, 21), "MLX data of 1 bytes a");
  EXPECT_EQ(WhyRefusedAfter([](auto& blob) { PutAt<uint32_t>(blob, 24, 1 << 20); }),
            "MLX graph (" + std::to_string(size - 24) +
                " bytes) is damaged: an offset leads out of it or a field is too long");
  SmallGraph newer;
  newer.version = "2";
  EXPECT_EQ(WhyRefused(DecodeMlx, newer.Blob()), "MLX graph has version '2', '1' expected");
}

TEST(Mlx, SurvivesDamage) {
  test::ExpectSurvivesDamage(DecodeMlx, SmallGraph().Blob());
  test::ExpectSurvivesDamage(DecodeMlx, test::FirstBlob("delegates/mlx_lin.pte", "MLXBackend"));
}

}  // namespace
}  // namespace pteedit::mlx_test
