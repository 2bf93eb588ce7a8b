#include "delegates/neuropilot.h"

#include <gtest/gtest.h>

#include "program_builder.h"
#include "pteedit/verify.h"
#include "test_blobs.h"

namespace pteedit::neuropilot_test {
namespace {

using namespace test;  // NOLINT: blobs and what is found in them
using Names = std::vector<std::string>;
constexpr const char* kBackend = "NeuropilotBackend";

TestBlob Network(const std::string& network, uint8_t version = 1, const std::string& key = "") {
  TestBlob blob;
  blob.bytes.push_back(version);
  Append(blob.bytes, uint32_t{2});
  Append(blob.bytes, uint32_t{1});
  Append(blob.bytes, static_cast<uint32_t>(network.size()));
  AppendText(blob.bytes, network);
  blob.specs = {{"platform-config", "mt6991"}};
  if (!key.empty()) blob.specs.emplace_back("ExtractSharedBlobKey", key);
  return blob;
}

TEST(Neuropilot, DecodesHeader) {
  const DecodedBlob decoded = Decoded(kBackend, Network("network"));
  EXPECT_EQ(PartWords(decoded), (Names{"header 0 13", "compiled network 13 7"}));
  EXPECT_EQ(FactOf(decoded, "platform-config"), "mt6991");
  EXPECT_EQ(FactOf(decoded, "inputs"), "2");
  EXPECT_EQ(FactOf(decoded, "outputs"), "1");
  EXPECT_TRUE(decoded.keys.empty() && decoded.constants.empty() && decoded.operators.empty());
}

TEST(Neuropilot, ListsKeyOfSharedWeights) {
  const Container program = ProgramBuilder().Method("forward").NamedData("shared", Pattern(40, 1)).Open();
  const ProgramSet named(program);
  const DecodedBlob decoded = Decoded(kBackend, Network("network", 1, "shared"), &named);
  EXPECT_EQ(decoded.keys, Names{"shared"});
  EXPECT_EQ(ConstantWords(decoded), Names{"shared weights shared  [] 40 @0"});
  EXPECT_EQ(Decoded(kBackend, Network("network", 1, std::string("a\0b", 3))).keys, Names{"a"});
}

TEST(Neuropilot, NamesDamage) {
  EXPECT_EQ(WhyOpaque(kBackend, {}), "header of 13 bytes at 0x0 is not inside the processed blob (0 bytes)");
  EXPECT_EQ(WhyOpaque(kBackend, Network("network", 2)), "blob is of version 2, 1 expected");
  TestBlob cut = Network("network");
  cut.bytes.pop_back();
  EXPECT_EQ(WhyOpaque(kBackend, cut), "header says the network has 7 bytes, the blob has 6 behind it");
  ExpectSurvivesDamage(kBackend, Network("network", 1, "shared"));
}

// Two delegates share a blob, but each says for itself which weights it wants.
TEST(Neuropilot, VerifyAsksEachDelegateForItsKey) {
  ProgramBuilder program;
  program.Method("forward").Delegate(kBackend, Network("network").bytes).NamedData("one", Pattern(8, 1));
  auto& delegates = program.LastPlan().delegates.items;
  delegates.push_back(delegates[0]);
  const auto ask = [](const std::string& key) {
    return tables::CompileSpec{tables::OwnText("ExtractSharedBlobKey"), test::Bytes(TextBytes(key))};
  };
  delegates[0].compile_specs = {true, {ask("one")}};
  delegates[1].compile_specs = {true, {ask("two")}};
  const auto found = VerifyOpened(program.Open());
  ASSERT_TRUE(found);
  Names missing;
  for (const Finding& finding : found->at(0).findings) {
    if (finding.id == "key-missing") missing.push_back(finding.where + " " + finding.message);
  }
  EXPECT_EQ(missing, Names{"delegate 'NeuropilotBackend_1' needs key 'two', which neither the program nor a data file "
                           "has"});
}

}  // namespace
}  // namespace pteedit::neuropilot_test
