#include "delegates/tosa.h"

#include <gtest/gtest.h>

#include "decoded_blobs.h"
#include "delegates/tosa_schema.h"

namespace pteedit::tosa_test {
namespace {

using test::Decode;
using test::Names;
using test::Sizes;
using test::WhyRefused;
namespace tosa = schema::tosa;

// One block: an operator of each kind listed, a weight, a tensor without data, and a shape.
struct SmallGraph {
  std::vector<uint32_t> operators = {3, 9};
  int32_t major = 1;
  bool is_draft = false;
  std::vector<uint8_t> weight = std::vector<uint8_t>(24, 0x11);
  uint64_t weight_offset = 0, weight_size = 0;  // for those that lie outside the table
  uint32_t type = 7;

  std::vector<uint8_t> Blob(const char* identifier = "TOSA") const {
    flatbuffers::FlatBufferBuilder builder;
    std::vector<flatbuffers::Offset<tosa::TosaOperator>> calls;
    for (const uint32_t op : operators) {
      const auto inputs = builder.CreateVectorOfStrings({"x", "shape", "weight"});
      calls.push_back(tosa::CreateTosaOperator(builder, static_cast<tosa::Op>(op), tosa::Attribute::NONE, 0, inputs));
    }
    const std::vector<int32_t> sizes = {2, 3}, unknown = {-1, 3};
    builder.ForceVectorAlignment(weight.size(), 1, 8);
    const auto data = weight.empty() ? 0 : builder.CreateVector(weight);
    const auto weight_name = builder.CreateString("weight");
    const auto weight_sizes = builder.CreateVector(sizes);
    const std::vector<flatbuffers::Offset<tosa::TosaTensor>> tensors = {
        tosa::CreateTosaTensor(builder, weight_name, weight_sizes, static_cast<tosa::DType>(type), data, false, false,
                               weight_offset, weight_size),
        tosa::CreateTosaTensorDirect(builder, "x", &unknown, tosa::DType::FP32)};
    const std::vector<uint8_t> shape_data(16);
    const std::vector<flatbuffers::Offset<tosa::TosaShape>> shapes = {
        tosa::CreateTosaShapeDirect(builder, "shape", 2, &shape_data)};
    const std::vector<flatbuffers::Offset<tosa::TosaBasicBlock>> blocks = {
        tosa::CreateTosaBasicBlockDirect(builder, "main", &calls, &tensors, nullptr, nullptr, &shapes)};
    const std::vector<flatbuffers::Offset<tosa::TosaRegion>> regions = {
        tosa::CreateTosaRegionDirect(builder, "main", &blocks)};
    const auto version = tosa::CreateVersion(builder, major, 1, 2, is_draft);
    builder.Finish(tosa::CreateTosaGraphDirect(builder, version, &regions), identifier);
    return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
  }
};

TEST(Tosa, DecodesConvolution) {
  const std::vector<uint8_t> blob = test::FirstBlob("delegates/tosa_conv.pte", "TOSABackend");
  const DecodedBlob decoded = Decode(DecodeTosa, blob);
  EXPECT_EQ(decoded.operators, (Names{"TRANSPOSE", "CONV2D", "CLAMP", "MAX_POOL2D", "TRANSPOSE", "RESHAPE", "CONV2D",
                                      "RESHAPE", "REDUCE_MAX", "SUB", "EXP", "REDUCE_SUM", "RECIPROCAL", "MUL"}));
  struct Expected {
    const char* name;
    Sizes sizes;
    const char* dtype;
    uint64_t bytes;
  };
  const Expected expected[] = {{"aten_convolution_default_weight_ohwi", {8, 3, 3, 3}, "FP32", 864},
                               {"p_conv_bias", {8}, "FP32", 32},
                               {"aten_convolution_default_1_weight_ohwi", {10, 1, 1, 512}, "FP32", 20480},
                               {"p_fc_bias", {10}, "FP32", 40},
                               {"tosa_conv2d_default_input_zp", {1}, "FP32", 4},
                               {"tosa_conv2d_default_weight_zp", {1}, "FP32", 4},
                               {"tosa_conv2d_default_1_input_zp", {1}, "FP32", 4},
                               {"tosa_conv2d_default_1_weight_zp", {1}, "FP32", 4},
                               {"tosa_mul_default_shift", {1}, "INT8", 1}};
  ASSERT_EQ(decoded.constants.size(), std::size(expected) + 2);
  for (size_t i = 0; i < std::size(expected); ++i) {
    EXPECT_EQ(decoded.constants[i].name, expected[i].name);
    EXPECT_EQ(decoded.constants[i].sizes, expected[i].sizes);
    EXPECT_EQ(decoded.constants[i].dtype, expected[i].dtype);
    EXPECT_EQ(decoded.constants[i].bytes, expected[i].bytes);
    EXPECT_EQ(decoded.constants[i].extent.size, expected[i].bytes);
    EXPECT_EQ(decoded.constants[i].key, "");
  }
  EXPECT_EQ(test::ReadsOf(decoded).at(1),
            "CONV2D: aten_convolution_default_weight_ohwi p_conv_bias tosa_conv2d_default_input_zp "
            "tosa_conv2d_default_weight_zp");
  EXPECT_EQ(test::ReadsOf(decoded).at(13), "MUL: tosa_mul_default_shift");
  for (size_t i = std::size(expected); i < decoded.constants.size(); ++i)
    EXPECT_EQ(decoded.constants[i].dtype, "SHAPE");
  EXPECT_EQ(test::PartsOf(decoded), Names{"graph 0+27632"});
  EXPECT_EQ(test::FactsOf(decoded), Names{"tosa_version=1.0.0"});
  EXPECT_EQ(decoded.keys, Names());
  test::ExpectIsWhole(decoded, blob.size());
}

TEST(Tosa, TellsWhichTosaItWasMadeFor) {
  const std::vector<uint8_t> blob = SmallGraph().Blob();
  const auto source = MakeViewSource("blob", {blob.data(), blob.size()});
  const std::string spec = "TOSA-1.0+FP", other = "vgf", binary("a\0b", 3);
  const auto bytes = [](const std::string& text) {
    return ByteSpan{reinterpret_cast<const uint8_t*>(text.data()), text.size()};
  };
  const Result<DecodedBlob> decoded =
      DecodeTosa({source,
                  {0, blob.size()},
                  {{"tosa_spec", bytes(binary)}, {"output_format", bytes(other)}, {"tosa_spec", bytes(spec)}},
                  nullptr});
  ASSERT_TRUE(decoded);
  EXPECT_EQ(test::FactsOf(*decoded), (Names{"tosa_version=1.1.2", "tosa_spec=TOSA-1.0+FP"}));
}

TEST(Tosa, DecodesDataInTables) {
  const std::vector<uint8_t> blob = SmallGraph().Blob();
  const DecodedBlob decoded = Decode(DecodeTosa, blob);
  EXPECT_EQ(test::ReadsOf(decoded), (Names{"CONV2D: weight shape", "RFFT2D: weight shape"}));
  ASSERT_EQ(decoded.constants.size(), 2U);
  EXPECT_EQ(decoded.constants[0].name, "weight");
  EXPECT_EQ(decoded.constants[0].dtype, "FP32");
  const Extent extent = decoded.constants[0].extent;
  EXPECT_EQ(extent.size, 24U);
  EXPECT_EQ(std::vector<uint8_t>(blob.begin() + static_cast<std::ptrdiff_t>(extent.offset),
                                 blob.begin() + static_cast<std::ptrdiff_t>(extent.offset + 24)),
            SmallGraph().weight);
  EXPECT_EQ(decoded.constants[1].name, "shape");
  EXPECT_EQ(decoded.constants[1].sizes, Sizes{2});
  EXPECT_EQ(decoded.constants[1].bytes, 16U);
}

TEST(Tosa, NamesWhatItDoesNotKnow) {
  SmallGraph graph;
  graph.operators = {0, 96, 97, 0xFFFFFFFF};
  graph.type = 200;
  graph.is_draft = true;
  const DecodedBlob decoded = Decode(DecodeTosa, graph.Blob());
  EXPECT_EQ(decoded.operators, (Names{"op #0", "AVG_POOL2D_ADAPTIVE", "op #97", "op #4294967295"}));
  EXPECT_EQ(decoded.constants.at(0).dtype, "type 200");
  EXPECT_EQ(test::FactsOf(decoded), Names{"tosa_version=1.1.2 (draft)"});
}

TEST(Tosa, DecodesDataOutsideOfTables) {
  SmallGraph graph;
  graph.weight.clear();
  graph.weight_offset = 8;
  graph.weight_size = 24;
  EXPECT_EQ(Decode(DecodeTosa, graph.Blob()).constants.at(0).extent, (Extent{8, 24}));
  graph.weight_offset = 1000;
  const std::string size = std::to_string(graph.Blob().size());
  EXPECT_EQ(WhyRefused(DecodeTosa, graph.Blob()),
            "tensor 'weight' of the TOSA graph has 24 bytes at 0x3e8, the blob has " + size + " bytes");
}

TEST(Tosa, RefusesOtherVersions) {
  SmallGraph graph;
  graph.major = 0;
  EXPECT_EQ(WhyRefused(DecodeTosa, graph.Blob()), "TOSA graph has version 0.1.2, 1.x expected");
  EXPECT_EQ(WhyRefused(DecodeTosa, SmallGraph().Blob("TOSB")), "TOSA graph does not say 'TOSA' at byte 4");
}

TEST(Tosa, RefusesDamage) {
  EXPECT_EQ(WhyRefused(DecodeTosa, {}),
            "TOSA graph (0 bytes) is damaged: an offset leads out of it, to 4 bytes at 0x4");
  std::vector<uint8_t> blob = SmallGraph().Blob();
  blob[2] = 1;
  EXPECT_NE(WhyRefused(DecodeTosa, blob), "");
  std::vector<uint8_t> without_root = SmallGraph().Blob();
  std::fill_n(without_root.begin(), 4, uint8_t{0});
  EXPECT_EQ(WhyRefused(DecodeTosa, without_root), "TOSA graph has no root table");
}

// A list that names one operator over and over.
TEST(Tosa, RefusesMoreTablesThanItHasRoomFor) {
  flatbuffers::FlatBufferBuilder builder;
  const std::vector calls(500001, tosa::CreateTosaOperator(builder, tosa::Op::ABS));
  const auto block = tosa::CreateTosaBasicBlockDirect(builder, "main", &calls);
  const std::vector<flatbuffers::Offset<tosa::TosaBasicBlock>> blocks = {block, block};
  const std::vector<flatbuffers::Offset<tosa::TosaRegion>> regions = {
      tosa::CreateTosaRegionDirect(builder, "main", &blocks)};
  const auto version = tosa::CreateVersion(builder, 1, 0, 0, false);
  builder.Finish(tosa::CreateTosaGraphDirect(builder, version, &regions), "TOSA");
  EXPECT_EQ(WhyRefused(DecodeTosa, {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()}),
            "TOSA graph reaches its tables more often than it could hold any");
}

// Weights of a gigabyte are not touched.
TEST(Tosa, ReadsTablesOnly) {
  SmallGraph graph;
  graph.weight.assign(1 << 20, 0x11);
  const std::vector<uint8_t> blob = graph.Blob();
  uint64_t bytes = 0;
  const auto source = MakeCallbackSource("blob", blob.size(), [&](uint64_t offset, MutableByteSpan out) -> Status {
    bytes += out.size;
    std::copy_n(blob.begin() + static_cast<std::ptrdiff_t>(offset), out.size, out.data);
    return {};
  });
  const Result<DecodedBlob> decoded = DecodeTosa({source, {0, blob.size()}, {}, nullptr});
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->constants.at(0).bytes, uint64_t{1} << 20);
  EXPECT_LE(bytes, 4U * 4096);
}

TEST(Tosa, PassesErrorsOfTheSourceOn) {
  const auto source =
      MakeCallbackSource("gone", 4096, [](uint64_t, MutableByteSpan) -> Status { return IoError("is gone"); });
  const Result<DecodedBlob> decoded = DecodeTosa({source, {0, 4096}, {}, nullptr});
  ASSERT_FALSE(decoded);
  EXPECT_EQ(decoded.error().code, ErrorCode::kIo);
}

TEST(Tosa, SurvivesDamage) { test::ExpectSurvivesDamage(DecodeTosa, SmallGraph().Blob()); }

// The middle is weights.
TEST(Tosa, SurvivesDamageOfRealBlob) {
  const std::vector<uint8_t> blob = test::FirstBlob("delegates/tosa_conv.pte", "TOSABackend");
  std::vector<uint8_t> damaged = blob;
  for (size_t i = 0; i<blob.size(); i += i> 2048 ? 61 : 1) {
    ASSERT_TRUE(test::IsRefusedOrWhole(
        DecodeTosa, std::vector<uint8_t>(blob.begin(), blob.begin() + static_cast<std::ptrdiff_t>(i))));
    damaged[i] ^= 0x81;
    ASSERT_TRUE(test::IsRefusedOrWhole(DecodeTosa, damaged)) << i;
    damaged[i] = blob[i];
  }
}

}  // namespace
}  // namespace pteedit::tosa_test
