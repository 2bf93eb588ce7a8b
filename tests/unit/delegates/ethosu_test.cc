#include "delegates/ethosu.h"

#include <gtest/gtest.h>

#include "pteedit/verify.h"
#include "small_files.h"
#include "test_blobs.h"

namespace pteedit::ethosu_test {
namespace {

using namespace test;  // NOLINT: blobs and what is found in them
constexpr const char* kBackend = "EthosUBackend";
const std::string kKey = "8123c655236bea2103aa621c3ad42b37f45476c7c262db43af4cf4daca718ea2";

void AddBlock(TestBlob& blob, const std::string& name, const std::vector<uint8_t>& payload, uint8_t storage = 0) {
  std::string head = name;
  head.resize(16);
  AppendText(blob.bytes, head);
  Append(blob.bytes, static_cast<uint32_t>(payload.size()));
  blob.bytes.push_back(storage);
  blob.bytes.resize(blob.bytes.size() + 11);
  blob.bytes.insert(blob.bytes.end(), payload.begin(), payload.end());
  blob.bytes.resize((blob.bytes.size() + 15) / 16 * 16);
}

std::vector<uint8_t> Bytes(std::string_view text) { return {text.begin(), text.end()}; }

// Beginning, the block, end.
TestBlob WithBlock(const std::string& name, const std::vector<uint8_t>& payload, uint8_t storage = 0) {
  TestBlob blob;
  AddBlock(blob, "vela_bin_stream", {});
  AddBlock(blob, name, payload, storage);
  AddBlock(blob, "vela_end_stream", {});
  return blob;
}

std::string ArgumentWords(const nlohmann::json& argument) {
  std::string words;
  for (const auto& size : argument.at("shape")) words += (words.empty() ? "" : "x") + size.dump();
  return words + ", element size " + argument.at("elem_size").dump() + ", offset " + argument.at("offset").dump() +
         ", region " + argument.at("region").dump();
}

TEST(EthosU, FindsWhatAnotherDecoderFound) {
  for (const std::string name : {"delegates/ethosu55_conv", "delegates/ethosu85_ext"}) {
    SCOPED_TRACE(name);
    const TestBlob blob = BlobOfFile(name + ".pte", kBackend);
    const DecodedBlob decoded = Decoded(kBackend, blob);
    ExpectIsWhole(decoded, blob.bytes.size());
    const nlohmann::json expected = ExpectedBlob(name + ".json");
    const nlohmann::json& blocks = expected.at("blocks");
    ASSERT_EQ(decoded.parts.size(), blocks.size());
    size_t arguments = 0;
    for (size_t i = 0; i < blocks.size(); ++i) {
      const nlohmann::json& block = blocks[i];
      EXPECT_EQ(decoded.parts[i].name, block.at("name").get<std::string>());
      EXPECT_EQ(decoded.parts[i].extent.offset, block.at("offset"));
      EXPECT_EQ(decoded.parts[i].extent.size, 32 + (block.at("size").get<uint64_t>() + 15) / 16 * 16);
      if (block.contains("value")) {
        EXPECT_EQ(FactOf(decoded, "scratch_bytes"), block.at("value").dump());
      }
      if (!block.contains("ios")) continue;
      const std::string fact = block.at("name") == "inputs" ? "input_0" : "output_0";
      EXPECT_EQ(FactOf(decoded, fact), ArgumentWords(block.at("ios").at(0)));
      arguments += block.at("ios").size();
    }
    EXPECT_EQ(decoded.arguments, arguments);
    ASSERT_EQ(decoded.constants.size(), 1U);
    EXPECT_EQ(decoded.constants[0].bytes, expected.at("weights_bytes"));
    EXPECT_TRUE(decoded.operators.empty());
  }
}

TEST(EthosU, DecodesEmbeddedWeights) {
  const DecodedBlob decoded = Decoded(kBackend, BlobOfFile("delegates/ethosu55_conv.pte", kBackend));
  EXPECT_EQ(ConstantWords(decoded), std::vector<std::string>{"weight_data   [] 7264 @2736"});
  EXPECT_TRUE(decoded.keys.empty());
  EXPECT_EQ(FactOf(decoded, "target"), "ethos-u55-128");
  EXPECT_EQ(FactOf(decoded, "tosa_spec"), "TOSA-1.0+INT+int16+int4+u55");
  EXPECT_EQ(FactOf(decoded, "command_stream"), "COP1");
}

TEST(EthosU, DecodesWeightsUnderKey) {
  const TestBlob blob = BlobOfFile("delegates/ethosu85_ext.pte", kBackend);
  EXPECT_EQ(ConstantWords(Decoded(kBackend, blob)), std::vector<std::string>{"weight_data " + kKey + "  [] 0 @0"});
  const Container program = OpenFile(DataPath("delegates/ethosu85_ext.pte"));
  const std::vector<Container> data = {OpenFile(DataPath("delegates/ethosu_weights.ptd"))};
  const ProgramSet named(program, data);
  const DecodedBlob decoded = Decoded(kBackend, blob, &named);
  EXPECT_EQ(decoded.keys, std::vector<std::string>{kKey});
  EXPECT_EQ(decoded.constants.at(0).bytes, data[0].named_data().at(0).extent.size);
}

// The key hashes more than the bytes, so verification must not compare the two.
TEST(EthosU, VerifyMissesKeyOnlyWhereItIs) {
  const Container program = OpenFile(DataPath("delegates/ethosu85_ext.pte"));
  const auto ids = [&](const std::vector<Container>& data) {
    std::vector<std::string> found;
    const auto files = VerifyOpened({program, data});
    EXPECT_TRUE(files);
    for (const FileFindings& file : *files) {
      for (const Finding& finding : file.findings) found.push_back(finding.id);
    }
    return found;
  };
  EXPECT_EQ(ids({}), std::vector<std::string>{"key-missing"});
  EXPECT_EQ(ids({OpenFile(DataPath("delegates/ethosu_weights.ptd"))}), std::vector<std::string>());
}

TEST(EthosU, ListsKeysOfAnyBlock) {
  const DecodedBlob decoded = Decoded(kBackend, WithBlock("cmd_data", Bytes(kKey), 1));
  EXPECT_EQ(decoded.keys, std::vector<std::string>{kKey});
  EXPECT_TRUE(decoded.constants.empty());
}

TEST(EthosU, NamesWhatItCannotRead) {
  const auto why = [](const TestBlob& blob) { return WhyOpaque(kBackend, blob); };
  EXPECT_EQ(why({}), "head of a block of 32 bytes at 0x0 is not inside the processed blob (0 bytes)");
  TestBlob alone;
  AddBlock(alone, "cmd_data", {});
  EXPECT_EQ(why(alone), "block 0 at 0x0 is called 'cmd_data', 'vela_bin_stream' expected");
  EXPECT_EQ(why(WithBlock("vela_more", {})), "block 1 at 0x20 is called 'vela_more', which no release up to 1.5 knows");
  EXPECT_EQ(why(WithBlock("weight_data", Bytes("a"), 2)),
            "block 1 at 0x20 says it is stored in way 2, 0 or 1 expected");
  EXPECT_EQ(why(WithBlock("weight_data", Bytes("a"), 1)), "block 1 at 0x20 has a key of 1 bytes, 64 expected");
  EXPECT_EQ(why(WithBlock("scratch_size", Bytes("abc"))), "block 'scratch_size' has 3 bytes, at least 4 expected");
  EXPECT_EQ(why(WithBlock("cmd_data", Bytes("COP3"))), "commands begin with 'COP3', 'COP1' or 'COP2' expected");
  EXPECT_EQ(why(WithBlock("inputs", {1, 0, 0, 0})), "block 'inputs' has 4 bytes for 1 arguments, 40 expected");
  EXPECT_EQ(why(WithBlock("outputs", {255, 255, 255, 255})),
            "block 'outputs' has 4 bytes for -1 arguments, 4 expected");
  TestBlob longer = WithBlock("weight_data", Bytes("a"));
  longer.bytes.resize(longer.bytes.size() + 16);
  EXPECT_EQ(why(longer), "block 'vela_end_stream' ends at 0x70, the blob has 128 bytes");
  TestBlob shorter = WithBlock("weight_data", Bytes("a"));
  shorter.bytes[32 + 16] = 200;
  EXPECT_EQ(why(shorter), "block 1 at 0x20 has a payload of 200 bytes, which ends after the blob (112 bytes)");
  TestBlob many;
  AddBlock(many, "vela_bin_stream", {});
  for (int i = 0; i < 64; ++i) AddBlock(many, "weight_data", {});
  EXPECT_EQ(why(many), "blob has more than 64 blocks");
}

TEST(EthosU, SurvivesDamage) {
  ExpectSurvivesDamage(kBackend, BlobOfFile("delegates/ethosu55_conv.pte", kBackend));
  ExpectSurvivesDamage(kBackend, BlobOfFile("delegates/ethosu85_ext.pte", kBackend));
}

}  // namespace
}  // namespace pteedit::ethosu_test
