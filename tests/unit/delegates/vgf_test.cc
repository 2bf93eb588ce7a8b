#include "delegates/vgf.h"

#include <gtest/gtest.h>

#include "decoded_blobs.h"
#include "delegates/spirv.h"
#include "delegates/vgf_schema.h"
#include "small_files.h"

namespace pteedit::vgf_test {
namespace {

using test::Decode;
using test::Names;
using test::PutAt;
using test::Sizes;
using test::WhyRefused;
namespace vgf = schema::vgf;

std::vector<uint8_t> BytesOf(const flatbuffers::FlatBufferBuilder& builder) {
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

// The words of a module: sets 5, TOSA's, and 6, another, and an instruction of either.
std::vector<uint32_t> Module(uint32_t instruction = 2) {
  return {0x07230203,    0x10500, 0,          100,        0,                        //
          6U << 16 | 11, 5,       0x41534F54, 0x3130302E, 0x2E303030,  0x00000031,  // TOSA.001000.1
          5U << 16 | 11, 6,       0x41534F54, 0x0000002D, 0,                        // TOSA-
          5U << 16 | 12, 1,       2,          5,          instruction, 5U << 16 | 12, 1, 3, 6, 7, 1U << 16 | 56};
}

// Two constants of one resource each.
struct SmallBlob {
  std::vector<uint32_t> words = Module();
  uint32_t format = 14;
  uint32_t second_resource = 1;
  uint64_t second_offset = 8;
  bool has_constant_table = false;  // as older blobs
  uint8_t minor = 5;

  std::vector<uint8_t> Blob() const {
    std::vector<uint8_t> blob(128);
    std::memcpy(blob.data(), "VGF1", 4);
    PutAt<uint16_t>(blob, 4, 300);
    blob[9] = minor;
    blob[10] = 1;
    size_t at = 16;
    for (const std::vector<uint8_t>& section :
         {Modules(), Sequence(), Resources(), has_constant_table ? ConstantTable() : ConstantList()}) {
      blob.resize((blob.size() + 7) / 8 * 8);
      PutAt<uint64_t>(blob, at, blob.size());
      PutAt<uint64_t>(blob, at + 8, section.size());
      at += 16;
      blob.insert(blob.end(), section.begin(), section.end());
    }
    return blob;
  }

 private:
  std::vector<uint8_t> Modules() const {
    flatbuffers::FlatBufferBuilder builder;
    const auto code = vgf::CreateSPIRVDirect(builder, &words).Union();
    const auto shader = vgf::CreateSourceDirect(builder, "void main() {}").Union();
    const std::vector<flatbuffers::Offset<vgf::Module>> modules = {
        vgf::CreateModuleDirect(builder, vgf::ModuleType::GRAPH, "graph", "main", vgf::ModuleCode::SPIRV, code),
        vgf::CreateModuleDirect(builder, vgf::ModuleType::COMPUTE, "shader", "main", vgf::ModuleCode::GLSL, shader)};
    builder.Finish(vgf::CreateModuleTableDirect(builder, &modules));
    return BytesOf(builder);
  }
  static std::vector<uint8_t> Sequence() {
    flatbuffers::FlatBufferBuilder builder;
    const std::vector<flatbuffers::Offset<vgf::BindingSlot>> inputs = {vgf::CreateBindingSlot(builder, 0, 0)},
                                                             outputs = {vgf::CreateBindingSlot(builder, 1, 1),
                                                                        vgf::CreateBindingSlot(builder, 2, 1)};
    builder.Finish(vgf::CreateModelSequenceTableDirect(builder, nullptr, &inputs, &outputs));
    return BytesOf(builder);
  }
  std::vector<uint8_t> Resources() const {
    flatbuffers::FlatBufferBuilder builder;
    const std::vector<int64_t> sizes = {2, 4};
    const auto resource = [&] {
      return vgf::CreateModelResourceTableEntry(builder, 0, format, vgf::ResourceCategory::CONSTANT,
                                                vgf::CreateDescriptionDirect(builder, &sizes));
    };
    const std::vector<flatbuffers::Offset<vgf::ModelResourceTableEntry>> entries = {resource(), resource()};
    builder.Finish(vgf::CreateModelResourceTableDirect(builder, &entries));
    return BytesOf(builder);
  }
  std::vector<uint8_t> ConstantList() const {
    std::vector<uint8_t> list(16 + 2 * 24);
    list.resize(list.size() + 16, 0x44);
    std::memcpy(list.data(), "CONST00", 7);
    PutAt<uint64_t>(list, 8, 2);
    for (const size_t entry : {0U, 1U}) {
      PutAt<uint32_t>(list, 16 + entry * 24, entry == 0 ? 0 : second_resource);
      PutAt<int32_t>(list, 20 + entry * 24, -1);
      PutAt<uint64_t>(list, 24 + entry * 24, 8 - entry * 3);
      PutAt<uint64_t>(list, 32 + entry * 24, entry * second_offset);
    }
    return list;
  }
  std::vector<uint8_t> ConstantTable() const {
    flatbuffers::FlatBufferBuilder builder;
    const std::vector<uint8_t> first(8, 0x11), second(5, 0x22);
    const std::vector<flatbuffers::Offset<vgf::ConstantData>> constants = {
        vgf::CreateConstantDataDirect(builder, 0, -1, &first),
        vgf::CreateConstantDataDirect(builder, second_resource, -1, &second)};
    builder.Finish(vgf::CreateConstantSectionDirect(builder, &constants));
    return BytesOf(builder);
  }
};

TEST(Vgf, DecodesConvolution) {
  const DecodedBlob decoded = Decode(DecodeVgf, test::FirstBlob("delegates/vgf_conv.pte", "VgfBackend"));
  // As in tosa_conv, made of the same model, but for the constants there.
  EXPECT_EQ(decoded.operators, (Names{"TRANSPOSE", "CONV2D", "CLAMP", "MAX_POOL2D", "TRANSPOSE", "RESHAPE", "CONV2D",
                                      "RESHAPE", "REDUCE_MAX", "SUB", "EXP", "REDUCE_SUM", "RECIPROCAL", "MUL"}));
  EXPECT_EQ(test::PartsOf(decoded), (Names{"header 0+128", "modules 128+2656", "model sequence 2784+348",
                                           "padding 3132+4", "resources 3136+344", "constants 3480+21408"}));
  EXPECT_EQ(test::FactsOf(decoded),
            (Names{"vgf_version=0.5.0", "vk_header_version=0", "vulkan_extensions=VK_ARM_data_graph+VK_ARM_tensors"}));
  ASSERT_EQ(decoded.constants.size(), 2U);
  EXPECT_EQ(decoded.constants[0].sizes, (Sizes{8, 3, 3, 3}));
  EXPECT_EQ(decoded.constants[0].dtype, "VK_FORMAT_R32_SFLOAT");
  EXPECT_EQ(decoded.constants[0].bytes, 864U);
  EXPECT_EQ(decoded.constants[0].extent, (Extent{3544, 864}));
  EXPECT_EQ(decoded.constants[1].sizes, (Sizes{10, 1, 1, 512}));
  EXPECT_EQ(decoded.constants[1].bytes, 20480U);
  EXPECT_EQ(decoded.constants[1].extent, (Extent{4408, 20480}));
  EXPECT_EQ(decoded.arguments, 2U);
  EXPECT_EQ(decoded.keys, Names());
}

TEST(Vgf, DecodesEveryRealBlob) {
  size_t count = 0;
  for (const std::string& path : test::AllModelFiles()) {
    SCOPED_TRACE(path);
    for (const std::vector<uint8_t>& blob : test::BlobsOf(test::OpenFile(path), "VgfBackend")) {
      const DecodedBlob decoded = Decode(DecodeVgf, blob);
      test::ExpectIsWhole(decoded, blob.size());
      EXPECT_FALSE(decoded.operators.empty());
      ++count;
    }
  }
  EXPECT_GE(count, 2U);
}

TEST(Vgf, DecodesConstantsOfEitherForm) {
  SmallBlob small;
  for (const bool has_table : {false, true}) {
    small.has_constant_table = has_table;
    const std::vector<uint8_t> blob = small.Blob();
    const DecodedBlob decoded = Decode(DecodeVgf, blob);
    test::ExpectIsWhole(decoded, blob.size());
    EXPECT_EQ(decoded.operators, Names{"CONV2D"});
    ASSERT_EQ(decoded.constants.size(), 2U);
    EXPECT_EQ(decoded.constants[0].sizes, (Sizes{2, 4}));
    EXPECT_EQ(decoded.constants[0].dtype, "VK_FORMAT_R8_SINT");
    EXPECT_EQ(decoded.constants[0].bytes, 8U);
    EXPECT_EQ(decoded.constants[1].bytes, 5U);
    EXPECT_EQ(blob[decoded.constants[1].extent.offset + 4], has_table ? 0x22 : 0x44);
    EXPECT_EQ(decoded.arguments, 3U);
    EXPECT_EQ(test::FactsOf(decoded), (Names{"vgf_version=0.5.1", "vk_header_version=300"}));
  }
}

TEST(Vgf, NamesWhatItDoesNotKnow) {
  SmallBlob small;
  small.words = Module(66);
  small.format = 1;
  const DecodedBlob decoded = Decode(DecodeVgf, small.Blob());
  EXPECT_EQ(decoded.operators, Names{"op #66"});
  EXPECT_EQ(decoded.constants.at(0).dtype, "VkFormat 1");
  small.words = Module(65);
  EXPECT_EQ(Decode(DecodeVgf, small.Blob()).operators, Names{"RESCALE"});
}

TEST(Vgf, RefusesDamagedModule) {
  SmallBlob small;
  small.words = {1, 2, 3, 4, 5};
  EXPECT_EQ(WhyRefused(DecodeVgf, small.Blob()), "SPIR-V module of 5 words has no header");
  small.words = Module();
  small.words.back() = 2U << 16 | 56;
  EXPECT_EQ(WhyRefused(DecodeVgf, small.Blob()), "SPIR-V instruction at word 26 has 2 words, 1 are left");
  small.words.back() = 56;
  EXPECT_EQ(WhyRefused(DecodeVgf, small.Blob()), "SPIR-V instruction at word 26 has 0 words, 1 are left");
}

template <class Edit>
std::string WhyRefusedAfter(Edit edit) {
  return test::WhyRefusedAfter(DecodeVgf, SmallBlob().Blob(), edit);
}

TEST(Vgf, RefusesDamagedHeader) {
  EXPECT_EQ(WhyRefused(DecodeVgf, std::vector<uint8_t>(127)),
            "VGF header of 128 bytes at 0x0 is not inside the processed blob (127 bytes)");
  EXPECT_EQ(WhyRefusedAfter([](auto& blob) { blob[3] = '2'; }), "VGF header does not begin with 'VGF1'");
  EXPECT_EQ(WhyRefusedAfter([](auto& blob) { blob[9] = 6; }), "VGF header has version 0.6.1, 0.x up to 0.5 expected");
  EXPECT_EQ(WhyRefusedAfter([](auto& blob) { blob[8] = 1; }), "VGF header has version 1.5.1, 0.x up to 0.5 expected");
  EXPECT_EQ(WhyRefusedAfter([](auto& blob) { PutAt<uint64_t>(blob, 16, 64); }).substr(0, 24),
            "VGF section 'modules' of");
  EXPECT_EQ(WhyRefusedAfter([](auto& blob) { PutAt<uint64_t>(blob, 72, 10000); }).substr(0, 24),
            "VGF section 'constants' ");
}

TEST(Vgf, RefusesConstantThatIsNowhere) {
  SmallBlob small;
  small.second_offset = 12;
  EXPECT_EQ(WhyRefused(DecodeVgf, small.Blob()),
            "VGF constant 1 of 5 bytes at 0xc is not inside the 16 bytes of constants");
  small.second_offset = 8;
  small.second_resource = 2;
  EXPECT_EQ(WhyRefused(DecodeVgf, small.Blob()), "VGF constant 1 is resource 2, which does not exist: there are 2");
  EXPECT_EQ(WhyRefusedAfter([](auto& blob) { blob[blob.size() - 64 - 8] = 3; }),
            "VGF constants are 3, at most 2 fit into their section (80 bytes)");
}

TEST(Vgf, SurvivesDamage) {
  SmallBlob with_table;
  with_table.has_constant_table = true;
  test::ExpectSurvivesDamage(DecodeVgf, SmallBlob().Blob());
  test::ExpectSurvivesDamage(DecodeVgf, with_table.Blob());
}

// Constants are never read, however large.
TEST(Vgf, ReadsTablesOnly) {
  const std::vector<uint8_t> blob = test::FirstBlob("delegates/vgf_conv.pte", "VgfBackend");
  const auto source = MakeCallbackSource("blob", blob.size(), [&](uint64_t offset, MutableByteSpan out) -> Status {
    EXPECT_LE(offset + out.size, 3544U);
    std::copy_n(blob.begin() + static_cast<std::ptrdiff_t>(offset), out.size, out.data);
    return {};
  });
  EXPECT_TRUE(DecodeVgf({source, {0, blob.size()}, {}, nullptr}));
}

}  // namespace
}  // namespace pteedit::vgf_test
