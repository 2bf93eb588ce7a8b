// What verification and stripping make of decoded blobs: the real blob of each backend in a program put together here.
#include <gtest/gtest.h>

#include "decoded_blobs.h"
#include "delegates/aoti.h"
#include "delegates/coreai.h"
#include "delegates/coreml.h"
#include "delegates/enn.h"
#include "delegates/ethosu.h"
#include "delegates/mlx.h"
#include "delegates/mps.h"
#include "delegates/native.h"
#include "delegates/neuropilot.h"
#include "delegates/neutron.h"
#include "delegates/openvino.h"
#include "delegates/qnn.h"
#include "delegates/tensorrt.h"
#include "delegates/tosa.h"
#include "delegates/vgf.h"
#include "delegates/vulkan.h"
#include "delegates/xnnpack.h"
#include "program_builder.h"
#include "pteedit/verify.h"
#include "strip_files.h"

namespace pteedit::decoders_test {
namespace {

using test::DataFileBuilder;
using test::Ints;
using test::Names;
using test::Pattern;
using test::ProgramBuilder;

struct Backend {
  const char* id;
  const char* file;
};

constexpr Backend kBackends[] = {{"VulkanBackend", "delegates/vk_lin.pte"},
                                 {"NativeBackend", "delegates/native_lin.pte"},
                                 {"MLXBackend", "delegates/mlx_lin.pte"},
                                 {"TOSABackend", "delegates/tosa_conv.pte"},
                                 {"VgfBackend", "delegates/vgf_conv.pte"}};

TEST(FindDecoder, KnowsTheBackends) {
  const std::vector<std::pair<std::string, test::DecodeFunction>> expected = {{"XnnpackBackend", DecodeXnnpack},
                                                                              {"VulkanBackend", DecodeVulkan},
                                                                              {"NativeBackend", DecodeNative},
                                                                              {"MLXBackend", DecodeMlx},
                                                                              {"TOSABackend", DecodeTosa},
                                                                              {"VgfBackend", DecodeVgf},
                                                                              {"EthosUBackend", DecodeEthosU},
                                                                              {"CoreMLBackend", DecodeCoreml},
                                                                              {"QnnBackend", DecodeQnn},
                                                                              {"OpenvinoBackend", DecodeOpenvino},
                                                                              {"NeuropilotBackend", DecodeNeuropilot},
                                                                              {"CudaBackend", DecodeAoti},
                                                                              {"MetalBackend", DecodeAoti},
                                                                              {"MPSBackend", DecodeMps},
                                                                              {"NeutronBackend", DecodeNeutron},
                                                                              {"EnnBackend", DecodeEnn},
                                                                              {"CoreAIBackend", DecodeCoreai},
                                                                              {"TensorRTBackend", DecodeTensorrt}};
  EXPECT_EQ(AllDecoders().size(), expected.size());
  for (const auto& [id, decode] : expected) {
    const Decoder* decoder = FindDecoder(id);
    ASSERT_NE(decoder, nullptr) << id;
    EXPECT_EQ(decoder->decode, decode) << id;
    EXPECT_TRUE(decoder->lists_all_keys) << id;
  }
}

std::vector<BlobConstant> KeyedConstants(const Backend& backend) {
  std::vector<BlobConstant> constants =
      test::Decode(FindDecoder(backend.id)->decode, test::FirstBlob(backend.file, backend.id)).constants;
  std::erase_if(constants, [](const BlobConstant& constant) { return constant.key.empty(); });
  return constants;
}

// Calls the delegate with so many arguments.
ProgramBuilder WithBlob(const Backend& backend, size_t arguments = 2) {
  ProgramBuilder program;
  program.Method("forward");
  program.Delegate(backend.id, test::FirstBlob(backend.file, backend.id));
  for (size_t i = 0; i < 2; ++i) program.Tensor(0, test::Floats({1, 4}));
  tables::Chain chain;
  chain.instructions = {true, {{tables::DelegateCall{0, arguments == 2 ? Ints({0, 1}) : Ints({0})}}}};
  program.LastPlan().chains = {true, {std::move(chain)}};
  return program;
}

// "id: where: message" of errors and warnings, in the program and then in the data files. The builder's programs lack
// lists that a runtime wants.
Names Findings(const ProgramBuilder& program, const std::vector<DataFileBuilder>& data = {}) {
  std::vector<std::shared_ptr<const Source>> sources;
  for (const DataFileBuilder& file : data) sources.push_back(MakeMemorySource("d.ptd", file.Bytes()));
  const auto all = Verify(MakeMemorySource("m.pte", program.Bytes()), sources, {false, 1});
  EXPECT_TRUE(all) << (all ? "" : all.error().message);
  Names words;
  for (const FileFindings& file : *all) {
    for (const std::string& finding : test::WordsOf(file.findings)) {
      if (!finding.starts_with("field-missing")) words.push_back(finding);
    }
  }
  return words;
}

TEST(Decoders, VerificationFindsKeysInTheProgram) {
  for (const Backend& backend : kBackends) {
    SCOPED_TRACE(backend.id);
    ProgramBuilder program = WithBlob(backend);
    for (const BlobConstant& constant : KeyedConstants(backend))
      program.NamedData(constant.key, Pattern(constant.bytes, 1));
    EXPECT_EQ(Findings(program), Names());
  }
}

TEST(Decoders, VerificationFindsKeysInDataFiles) {
  for (const Backend& backend : kBackends) {
    SCOPED_TRACE(backend.id);
    const std::vector<BlobConstant> constants = KeyedConstants(backend);
    if (constants.empty()) continue;
    DataFileBuilder data;
    for (const BlobConstant& constant : constants) data.Key(constant.key, Pattern(constant.bytes, 1));
    EXPECT_EQ(Findings(WithBlob(backend), {data}), Names());
    data.Key("unused", Pattern(8, 1));
    EXPECT_EQ(Findings(WithBlob(backend), {data}),
              Names{"keys-unused (warning): : has 1 of 5 keys (8 bytes) that m.pte does not use, the first "
                    "'unused'"});
  }
}

TEST(Decoders, VerificationNamesMissingAndShortKeys) {
  for (const Backend& backend : kBackends) {
    SCOPED_TRACE(backend.id);
    const std::vector<BlobConstant> constants = KeyedConstants(backend);
    if (constants.empty()) continue;
    const std::string delegate = std::string(backend.id) + "_0";
    ProgramBuilder program = WithBlob(backend);
    ASSERT_EQ(Findings(program).size(), 1U);  // only the first of a place is told
    EXPECT_EQ(Findings(program).at(0), "key-missing: delegate '" + delegate + "': needs key '" + constants[0].key +
                                           "', which neither the program nor a data file has");
    for (const BlobConstant& constant : constants)
      program.NamedData(constant.key, Pattern(constant.bytes - (&constant == &constants[0]), 1));
    const std::string bytes = std::to_string(constants[0].bytes);
    EXPECT_EQ(Findings(program),
              Names{"segment-too-short: key '" + constants[0].key + "': has " + std::to_string(constants[0].bytes - 1) +
                    " bytes, delegate '" + delegate + "' needs " + bytes});
  }
}

TEST(Decoders, VerificationCountsArguments) {
  for (const Backend& backend : kBackends) {
    SCOPED_TRACE(backend.id);
    if (!test::Decode(FindDecoder(backend.id)->decode, test::FirstBlob(backend.file, backend.id)).arguments) continue;
    ProgramBuilder program = WithBlob(backend, 1);
    for (const BlobConstant& constant : KeyedConstants(backend))
      program.NamedData(constant.key, Pattern(constant.bytes, 1));
    EXPECT_EQ(Findings(program), Names{"delegate-arguments: instruction 0 of method 'forward': gives 1 arguments to '" +
                                       std::string(backend.id) + "_0', which takes 2"});
  }
}

TEST(Decoders, VerificationPassesOverBlobsThatCannotBeRead) {
  for (const Backend& backend : kBackends) {
    SCOPED_TRACE(backend.id);
    ProgramBuilder program = WithBlob(backend);
    program.segments.contents[1].resize(100);
    EXPECT_EQ(Findings(program).size(), 1U);
    EXPECT_EQ(Findings(program).at(0).substr(0, 21), "blob-unread (warning)");
  }
}

TEST(Decoders, StrippingKeepsTheKeysThatBlobsAskFor) {
  const std::string unused(64, 'a');  // tells nothing but its content
  for (const Backend& backend : kBackends) {
    SCOPED_TRACE(backend.id);
    ProgramBuilder program = WithBlob(backend);
    for (const BlobConstant& constant : KeyedConstants(backend))
      program.NamedData(constant.key, Pattern(constant.bytes, 1));
    const auto before = test::NamedBytes(program.Open());
    program.NamedData(unused, Pattern(16, 2));
    const test::StrippedFile stripped = test::Stripped(program.Open(), test::StripOnly(&StripOptions::unreferenced));
    EXPECT_EQ(stripped.removed(), Names{"named-data " + unused});
    EXPECT_EQ(test::NamedBytes(stripped.file), before);
  }
}

// A blob that cannot be read may ask for anything.
TEST(Decoders, StrippingKeepsAllKeysBesideDamage) {
  for (const Backend& backend : kBackends) {
    SCOPED_TRACE(backend.id);
    ProgramBuilder program = WithBlob(backend);
    program.segments.contents[1].resize(100);
    program.NamedData(std::string(64, 'a'), Pattern(16, 2));
    EXPECT_EQ(test::Stripped(program.Open(), test::StripOnly(&StripOptions::unreferenced)).removed(), Names());
  }
}

}  // namespace
}  // namespace pteedit::decoders_test
