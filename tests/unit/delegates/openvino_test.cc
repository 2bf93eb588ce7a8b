#include "delegates/openvino.h"

#include <gtest/gtest.h>

#include "test_blobs.h"

namespace pteedit::openvino_test {
namespace {

using namespace test;  // NOLINT: blobs and what is found in them
using Names = std::vector<std::string>;
constexpr const char* kBackend = "OpenvinoBackend";
constexpr size_t kHeaderBytes = 48;

struct SmallBlob {
  std::string text = "meta=1.0;ov=2026.4.1";
  std::string custom = "<cnndata/>";
  std::string constants = std::string(32, 'c');
  std::string xml = Xml("<data element_type=\"f32\" shape=\"2, 3\" offset=\"8\" size=\"24\"/>");
  bool is_xored = true;
  bool has_prefix = true;

  static std::string Xml(const std::string& data) {
    return "<?xml version=\"1.0\"?><net><layers><layer id=\"0\" name=\"in &amp; out\" "
           "type=\"Parameter\"><data/></layer>"
           "<layer id=\"1\" name=\"w\" type=\"Const\">" +
           data +
           "</layer><layer id=\"2\" type=\"Loop\"><body><layers><layer id=\"1\" type=\"Add\"/>"
           "<layer id=\"2\" type=\"Mul\"/></layers><edges><edge from-layer=\"1\" "
           "to-layer=\"2\"/></edges></body></layer>"
           "</layers><edges><edge from-layer=\"1\" to-layer=\"2\"/><edge from-layer=\"0\" "
           "to-layer=\"2\"/></edges></net>";
  }

  TestBlob Blob() const {
    TestBlob blob;
    if (has_prefix) {
      AppendText(blob.bytes, "RR_UPCVO");
      Append(blob.bytes, uint32_t{1});
      Append(blob.bytes, uint64_t{text.size()});
      AppendText(blob.bytes, text);
    }
    std::string model = xml;
    const uint8_t key[] = {0x30, 0x60, 0x70, 0x02, 0x04, 0x08, 0x3F, 0x6F, 0x72, 0x74, 0x78, 0x7F};
    for (size_t i = 0; is_xored && i < model.size(); ++i) model[i] = static_cast<char>(model[i] ^ key[i % 12]);
    uint64_t offset = kHeaderBytes;
    for (const std::string* section : {&custom, &constants, static_cast<const std::string*>(&model)}) {
      Append(blob.bytes, offset);
      Append(blob.bytes, uint64_t{section->size()});
      offset += section->size();
    }
    for (const std::string* section : {&custom, &constants, static_cast<const std::string*>(&model)}) {
      AppendText(blob.bytes, *section);
    }
    return blob;
  }
};

template <class Edit>
std::string WhyAfter(Edit edit) {
  SmallBlob small;
  edit(small);
  return WhyOpaque(kBackend, small.Blob());
}

std::string WhyWithData(const std::string& data) {
  return WhyAfter([&](SmallBlob& small) { small.xml = SmallBlob::Xml(data); });
}

TEST(Openvino, FindsWhatAnotherDecoderFound) {
  const TestBlob blob = BlobOfFile("delegates/ov_conv.pte", kBackend);
  const DecodedBlob decoded = Decoded(kBackend, blob);
  ExpectIsWhole(decoded, blob.bytes.size());
  const nlohmann::json expected = ExpectedBlob("delegates/ov_conv.json");
  Names operators, constants;
  for (const nlohmann::json& layer : expected.at("layers")) {
    const std::string type = layer.at(1);
    if (type == "Const") constants.push_back(layer.at(0));
    if (type != "Const" && type != "Parameter" && type != "Result") operators.push_back(type);
  }
  EXPECT_EQ(decoded.operators, operators);
  const nlohmann::json& header = expected.at("data_header");
  const uint64_t base = expected.at("data_header_offset").get<uint64_t>();
  const uint64_t first = base + header.at("consts_offset").get<uint64_t>();
  ASSERT_EQ(decoded.constants.size(), constants.size());
  for (size_t i = 0; i < constants.size(); ++i) {
    const BlobConstant& constant = decoded.constants[i];
    const nlohmann::json& one = expected.at("consts").at(i);
    EXPECT_EQ(constant.name, constants[i]);
    EXPECT_EQ(constant.dtype, one.at(0).get<std::string>());
    std::string sizes;
    for (const uint64_t size : constant.sizes) sizes += (sizes.empty() ? "" : ", ") + std::to_string(size);
    EXPECT_EQ(sizes, one.at(1).get<std::string>());
    EXPECT_EQ(std::to_string(constant.extent.offset - first), one.at(2).get<std::string>());
    EXPECT_EQ(std::to_string(constant.bytes), one.at(3).get<std::string>());
    EXPECT_EQ(constant.extent.size, constant.bytes);
  }
  const auto words = [&](const std::string& name, const std::string& key) {
    return name + " " + std::to_string(base + header.at(key + "_offset").get<uint64_t>()) + " " +
           header.at(key + "_size").dump();
  };
  EXPECT_EQ(PartWords(decoded),
            (Names{"header 0 " + std::to_string(base + kHeaderBytes), words("custom data", "custom_data"),
                   words("constants", "consts"), words("model", "model")}));
  EXPECT_EQ(FactOf(decoded, "runtime"), expected.at("runtime_info").get<std::string>());
  EXPECT_EQ(FactOf(decoded, "device"), "CPU");
}

TEST(Openvino, DecodesEveryGeneration) {
  for (const bool is_xored : {false, true}) {
    for (const bool has_prefix : {false, true}) {
      SmallBlob small;
      small.is_xored = is_xored;
      small.has_prefix = has_prefix;
      const TestBlob blob = small.Blob();
      const DecodedBlob decoded = Decoded(kBackend, blob);
      ExpectIsWhole(decoded, blob.bytes.size());
      EXPECT_EQ(ReadsOf(decoded), (Names{"Loop: w", "Add:", "Mul:"}));
      const size_t constants = (has_prefix ? 20 + small.text.size() : 0) + kHeaderBytes + small.custom.size();
      EXPECT_EQ(ConstantWords(decoded), Names{"w  f32 [2,3] 24 @" + std::to_string(constants + 8)});
      EXPECT_EQ(FactOf(decoded, "runtime"), has_prefix ? small.text : "");
    }
  }
}

TEST(Openvino, NamesWhatItCannotRead) {
  const auto why = [](std::vector<uint8_t> bytes, const char* device) {
    return WhyOpaque(kBackend, {std::move(bytes), {{"device", device}}});
  };
  EXPECT_EQ(why(std::vector<uint8_t>(19), "CPU"), "blob has 19 bytes, at least 20 expected");
  EXPECT_EQ(why(std::vector<uint8_t>(47), "CPU"),
            "header of 48 bytes at 0x0 is not inside the processed blob (47 bytes)");
  EXPECT_EQ(why(std::vector<uint8_t>(47), "NPU"),
            "blob is for device 'NPU', only those of the CPU plugin are looked into");
  EXPECT_EQ(why(std::vector<uint8_t>(48), "CPU"), "model at 0x0 is no XML");
  const auto after = [](size_t at, auto value) {
    TestBlob blob = SmallBlob().Blob();
    std::copy_n(reinterpret_cast<const uint8_t*>(&value), sizeof(value),
                blob.bytes.begin() + static_cast<std::ptrdiff_t>(at));
    return WhyOpaque(kBackend, blob);
  };
  const size_t header = 20 + SmallBlob().text.size();
  EXPECT_EQ(after(8, uint32_t{2}), "blob is of version 2, 1 expected");
  EXPECT_EQ(after(12, ~uint64_t{0}).substr(0, 62), "text about the runtime of 18446744073709551615 bytes at 0x14 i");
  EXPECT_EQ(after(header + 16, ~uint64_t{0}),
            "section begins at 0xffffffffffffffff after the header, which no blob has");
  EXPECT_EQ(after(header + 16, uint64_t{0}),
            "constants of 32 bytes at 0x28 begins before 0x62, where what precedes it ends");
  EXPECT_EQ(after(header + 24, uint64_t{1} << 40).substr(0, 45), "constants of 1099511627776 bytes at 0x62 is n");
  EXPECT_EQ(WhyAfter([](SmallBlob& small) { small.xml = "<net/>"; }), "model at 0x82 is no XML");
  EXPECT_EQ(WhyAfter([](SmallBlob& small) { small.xml = "<?xml?><layer type='Add'>"; }),
            "layer '' of the model does not end");
  EXPECT_EQ(WhyAfter([](SmallBlob& small) { small.xml = "<?xml?></layer>"; }),
            "model ends a layer that it did not begin");
  EXPECT_EQ(WhyWithData("<data offset='0' size='33'/>"),
            "layer 'w' has 33 bytes at 0x0 of the constants, which have 32 bytes");
  EXPECT_EQ(WhyWithData("<data offset='33' size='0'/>"),
            "layer 'w' has 0 bytes at 0x21 of the constants, which have 32 bytes");
  EXPECT_EQ(WhyWithData("<data offset='x' size='1'/>"), "layer 'w' has 'x' as 'offset', a number expected");
  EXPECT_EQ(WhyWithData("<data offset='1'/>"), "layer 'w' has '' as 'size', a number expected");
}

TEST(Openvino, BoundsModels) {
  std::string many = "<?xml?>";
  for (int i = 0; i < 100'001; ++i) many += "<layer/>";
  EXPECT_EQ(WhyAfter([&](SmallBlob& small) { small.xml = many; }), "model has more than 100000 layers");
  std::string deep = "<?xml?>";
  for (int i = 0; i < 33; ++i) deep += "<layer>";
  EXPECT_EQ(WhyAfter([&](SmallBlob& small) { small.xml = deep; }), "model has more than 32 layers in each other");
}

TEST(Openvino, ReadsNoConstants) {
  const TestBlob blob = BlobOfFile("delegates/ov_conv.pte", kBackend);
  const Extent constants = Decoded(kBackend, blob).parts.at(2).extent;
  const auto source =
      MakeCallbackSource("blob", blob.bytes.size(), [&](uint64_t offset, MutableByteSpan out) -> Status {
        EXPECT_TRUE(offset + out.size <= constants.offset || offset >= constants.offset + constants.size) << offset;
        std::copy_n(blob.bytes.begin() + static_cast<std::ptrdiff_t>(offset), out.size, out.data);
        return {};
      });
  EXPECT_TRUE(DecodeOpenvino({source, {0, blob.bytes.size()}, {}, nullptr}));
}

TEST(Openvino, SurvivesDamage) {
  ExpectSurvivesDamage(kBackend, SmallBlob().Blob());
  ExpectSurvivesDamage(kBackend, BlobOfFile("delegates/ov_conv.pte", kBackend), 211);
}

}  // namespace
}  // namespace pteedit::openvino_test
