#include "delegates/qnn.h"

#include <gtest/gtest.h>

#include "qnn_options_generated.h"
#include "test_blobs.h"

namespace pteedit::qnn_test {
namespace {

using namespace test;  // NOLINT: blobs and what is found in them
using Names = std::vector<std::string>;
namespace qnn = schema::qnn;
constexpr const char* kBackend = "QnnBackend";

void AddName(std::vector<uint8_t>& bytes, const std::string& name) {
  bytes.resize((bytes.size() + 3) / 4 * 4);
  Append(bytes, static_cast<uint32_t>(name.size()));
  AppendText(bytes, name);
  bytes.push_back(0);
}

std::vector<uint8_t> ContextOf(const Names& names) {
  std::vector<uint8_t> context = {0, 0, 0, 2};
  for (const std::string& name : names) AddName(context, name);
  return context;
}

// `before` bytes of header, `says` the size in it.
TestBlob WithHeader(const std::vector<uint8_t>& context, size_t before, uint64_t says) {
  TestBlob blob;
  Append(blob.bytes, uint32_t{0x5678ABCD});
  Append(blob.bytes, uint64_t{0x1122});
  Append(blob.bytes, says);
  blob.bytes.resize(before);
  blob.bytes.insert(blob.bytes.end(), context.begin(), context.end());
  return blob;
}

std::string OptionsOf(qnn::QcomChipset chip, int arch) {
  flatbuffers::FlatBufferBuilder builder;
  const auto htp = qnn::CreateHtpInfo(builder, static_cast<qnn::HtpArch>(arch), 8);
  const auto soc = qnn::CreateSocInfo(builder, chip, htp);
  const auto backend = qnn::CreateQnnExecuTorchBackendOptions(builder, qnn::QnnExecuTorchBackendType::kHtpBackend);
  builder.Finish(qnn::CreateQnnExecuTorchOptions(builder, soc, backend));
  return {reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize()};
}

TEST(Qnn, DecodesContextBehindEitherHeader) {
  const std::vector<uint8_t> context = ContextOf({"kv_forward", "input_1_tokens@0"});
  for (const size_t before : {20U, 256U}) {
    const TestBlob blob = WithHeader(context, before, context.size());
    const DecodedBlob decoded = Decoded(kBackend, blob);
    ExpectIsWhole(decoded, blob.bytes.size());
    EXPECT_EQ(PartWords(decoded),
              (Names{"header 0 " + std::to_string(before),
                     "context binary " + std::to_string(before) + " " + std::to_string(context.size())}));
    EXPECT_EQ(decoded.strings, (Names{"kv_forward", "input_1_tokens@0"}));
    EXPECT_EQ(FactOf(decoded, "signature"), "0x1122");
    EXPECT_TRUE(decoded.operators.empty() && decoded.constants.empty() && decoded.keys.empty());
  }
}

TEST(Qnn, TellsTheSdkThatMadeTheContext) {
  const auto sdk_of = [](const Names& names) {
    return FactOf(Decoded(kBackend, TestBlob{ContextOf(names), {}}), "qnn_sdk_version");
  };
  EXPECT_EQ(sdk_of({"forward", "v2.37.0.250724175447_124859", "v2.38.0.1_2"}), "2.37.0.250724175447_124859");
  EXPECT_EQ(sdk_of({"v2.37.0", "values.1.2.3", "1.2.3.4"}), "");
}

TEST(Qnn, DecodesContextAlone) {
  const TestBlob blob{ContextOf({"forward", "a long name of a tensor"}), {}};
  const DecodedBlob decoded = Decoded(kBackend, blob);
  EXPECT_EQ(PartWords(decoded), Names{"context binary 0 " + std::to_string(blob.bytes.size())});
  EXPECT_EQ(decoded.strings, (Names{"forward", "a long name of a tensor"}));
  EXPECT_EQ(WhyOpaque(kBackend, {std::vector<uint8_t>(19), {}}), "blob has 19 bytes, at least 20 expected");
}

TEST(Qnn, DecodesGraphToBePreparedOnTheDevice) {
  const std::vector<uint8_t> graph = ContextOf({"aten_add"});
  TestBlob blob;
  Append(blob.bytes, uint32_t{0x1234ABCD});
  Append(blob.bytes, static_cast<uint32_t>(graph.size()));
  Append(blob.bytes, uint64_t{8});
  blob.bytes.insert(blob.bytes.end(), graph.begin(), graph.end());
  TestBlob cut = blob;
  blob.bytes.resize(blob.bytes.size() + 8);
  const DecodedBlob decoded = Decoded(kBackend, blob);
  EXPECT_EQ(PartWords(decoded), (Names{"header 0 16", "graph 16 17", "data 33 8"}));
  EXPECT_EQ(decoded.strings, Names{"aten_add"});
  EXPECT_EQ(WhyOpaque(kBackend, cut), "graph of 17 bytes and data of 8 bytes are more than the blob has (33 bytes)");
}

TEST(Qnn, NamesContextOfAnotherSize) {
  EXPECT_EQ(WhyOpaque(kBackend, WithHeader(std::vector<uint8_t>(44), 256, 43)),
            "context binary has 43 bytes of the blob's 300, all but 20 or 256 expected");
  EXPECT_EQ(WhyOpaque(kBackend, WithHeader({}, 20, ~uint64_t{0})),
            "context binary has 18446744073709551615 bytes of the blob's 20, all but 20 or 256 expected");
}

TEST(Qnn, TellsTheChip) {
  TestBlob blob{ContextOf({"forward_graph"}), {{"qnn_compile_spec", OptionsOf(qnn::QcomChipset::SM8650, 75)}}};
  DecodedBlob decoded = Decoded(kBackend, blob);
  EXPECT_EQ(FactOf(decoded, "soc_model"), "SM8650");
  EXPECT_EQ(FactOf(decoded, "htp_arch"), "V75");
  EXPECT_EQ(FactOf(decoded, "vtcm_size_in_mb"), "8");
  EXPECT_EQ(FactOf(decoded, "backend_type"), "kHtpBackend");
  blob.specs[0].second = OptionsOf(static_cast<qnn::QcomChipset>(1234), 68);
  EXPECT_EQ(FactOf(Decoded(kBackend, blob), "soc_model"), "1234");
}

TEST(Qnn, SurvivesDamagedOptions) {
  const std::string options = OptionsOf(qnn::QcomChipset::SM8650, 75);
  TestBlob blob{ContextOf({"forward_graph"}), {{"qnn_compile_spec", options}}};
  for (size_t i = 0; i < options.size(); ++i) {
    blob.specs[0].second = options;
    blob.specs[0].second[i] = static_cast<char>(options[i] ^ 0x7F);
    EXPECT_EQ(Decoded(kBackend, blob).strings.size(), 1U);
    blob.specs[0].second.resize(i);
    EXPECT_EQ(Decoded(kBackend, blob).strings.size(), 1U);
  }
}

TEST(Qnn, ListsEachNameOnceAndOnlyNames) {
  const std::string odd("bad\x01name", 8);
  const std::vector<uint8_t> context =
      ContextOf({"name", "abc", std::string(200, 'a'), std::string(201, 'b'), odd, "name", "last name"});
  EXPECT_EQ(Decoded(kBackend, {context, {}}).strings, (Names{"name", std::string(200, 'a'), "last name"}));
}

TEST(Qnn, FindsNamesAcrossPieces) {
  for (size_t at = 65536 - 16; at <= 65536 + 4; at += 4) {
    std::vector<uint8_t> context(at);
    AddName(context, "a name");
    context.resize(200'000);
    EXPECT_EQ(Decoded(kBackend, {context, {}}).strings, Names{"a name"}) << at;
  }
}

TEST(Qnn, ListsSoManyNamesAndNoMore) {
  std::vector<uint8_t> context(20);
  for (int i = 0; i < 5000; ++i) AddName(context, "name" + std::to_string(i));
  EXPECT_EQ(Decoded(kBackend, {context, {}}).strings.size(), 4096U);
}

TEST(Qnn, SeeksInTheFirstPartOnly) {
  static constexpr uint64_t kSought = uint64_t{16} << 20;
  const auto source = MakeCallbackSource("huge", uint64_t{1} << 40, [](uint64_t offset, MutableByteSpan out) -> Status {
    EXPECT_LE(offset + out.size, kSought);
    std::fill_n(out.data, out.size, uint8_t{0});
    return {};
  });
  EXPECT_TRUE(DecodeQnn({source, {0, source->size()}, {}, nullptr}));
}

TEST(Qnn, SurvivesDamage) {
  const std::vector<uint8_t> context = ContextOf({"kv_forward", "input_1_tokens@0"});
  ExpectSurvivesDamage(kBackend, WithHeader(context, 256, context.size()));
  ExpectSurvivesDamage(kBackend, WithHeader(context, 20, context.size()));
}

}  // namespace
}  // namespace pteedit::qnn_test
