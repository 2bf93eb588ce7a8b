// The JSON of what is known about blobs, and what descriptions and sizes make of it.
#include "pteedit/delegate_metadata.h"

#include <gtest/gtest.h>

#include "decoded_blobs.h"
#include "io/digest.h"
#include "program_builder.h"
#include "pteedit/delegates.h"
#include "pteedit/diff.h"
#include "pteedit/sizes.h"

namespace pteedit::delegate_metadata_test {
namespace {

using test::AllModelFiles;
using test::DataPath;
using test::Names;
using test::OpenFile;
using test::Pattern;
using test::ProgramBuilder;

std::string WhyNoFile(const std::string& json) {
  const auto parsed = ParseDelegateMetadata(json);
  if (parsed) return "";
  EXPECT_EQ(parsed.error().code, ErrorCode::kMalformed);
  return parsed.error().message;
}

std::string WhyNoBlob(const std::string& json) {
  const auto parsed = ParseBlobMetadata(json);
  if (parsed) return "";
  EXPECT_EQ(parsed.error().code, ErrorCode::kMalformed);
  return parsed.error().message;
}

std::string WhyUnfit(const std::string& json, uint64_t bytes) {
  const auto parsed = ParseBlobMetadata(json);
  EXPECT_TRUE(parsed) << (parsed ? "" : parsed.error().message);
  const Status fits = CheckFits(*parsed, bytes);
  return fits ? "" : fits.error().message;
}

std::string FileWith(const std::string& blob) { return R"({"schema_version": 1, "delegates": [)" + blob + "]}"; }

const std::string kSha = std::string(63, '0') + "a";

TEST(ParseBlobMetadata, ReadsEveryMember) {
  const auto blob = ParseBlobMetadata(R"({
      "sha256": ")" + kSha + R"(", "bytes": 100, "backend": "B", "name": "B_0",
      "operators": ["add", "mul"],
      "constants": [{"name": "w", "key": "k", "dtype": "fp32", "sizes": [2, 3], "bytes": 24},
                    {"name": "b", "dtype": "int8", "sizes": [], "bytes": 1, "offset": 99}, {}],
      "parts": [{"name": "head", "size": 10}, {"name": "body", "size": 20}, {"name": "tail", "offset": 90, "size": 10}],
      "facts": {"version": "3", "soc": "X"}, "strings": ["s"], "keys": ["a", {"key": "?", "key_hex": "00ff"}],
      "debug_handles": {"0": [1, 2], "x": []}})");
  ASSERT_TRUE(blob) << blob.error().message;
  EXPECT_EQ(blob->sha256, kSha);
  EXPECT_EQ(blob->bytes, 100U);
  EXPECT_EQ(blob->backend, "B");
  EXPECT_EQ(blob->name, "B_0");
  EXPECT_EQ(blob->operators, (Names{"add", "mul"}));
  ASSERT_EQ(blob->constants->size(), 3U);
  EXPECT_EQ((*blob->constants)[0].key, "k");
  EXPECT_EQ((*blob->constants)[0].sizes, (std::vector<uint64_t>{2, 3}));
  EXPECT_EQ((*blob->constants)[0].bytes, 24U);
  EXPECT_EQ((*blob->constants)[0].offset(), std::nullopt);
  EXPECT_EQ((*blob->constants)[1].offset(), 99U);
  ASSERT_EQ(blob->parts->size(), 3U);
  EXPECT_EQ((*blob->parts)[1].extent, (Extent{10, 20}));
  EXPECT_EQ((*blob->parts)[2].extent, (Extent{90, 10}));
  ASSERT_EQ(blob->facts->size(), 2U);
  EXPECT_EQ((*blob->facts)[1].name + "=" + (*blob->facts)[1].value, "soc=X");
  EXPECT_EQ(blob->strings, Names{"s"});
  EXPECT_EQ(blob->keys, (Names{"a", std::string("\0\xff", 2)}));
}

TEST(ParseBlobMetadata, TellsWhatIsNotToldFromWhatIsNothing) {
  const auto blob = ParseBlobMetadata(R"({"operators": [], "constants": null})");
  ASSERT_TRUE(blob);
  EXPECT_EQ(blob->operators, Names{});
  EXPECT_EQ(blob->constants, std::nullopt);
  EXPECT_EQ(blob->parts, std::nullopt);
  EXPECT_EQ(blob->keys, std::nullopt);
}

TEST(ParseBlobMetadata, NamesWhatIsWrong) {
  const char* no_count = "is no whole number from 0 to 18446744073709551615";
  EXPECT_EQ(WhyNoBlob(""), "the text is no JSON from byte 1 on");
  EXPECT_EQ(WhyNoBlob("[]"), "the JSON is no object");
  EXPECT_EQ(WhyNoBlob(R"({"operator": []})"), "there is no member 'operator'");
  EXPECT_EQ(WhyNoBlob(R"({"sha256": "AB"})"), "'sha256' is no SHA-256 in 64 lower-case hex digits");
  EXPECT_EQ(WhyNoBlob(R"({"bytes": -1})"), std::string("'bytes' ") + no_count);
  EXPECT_EQ(WhyNoBlob(R"({"bytes": 18446744073709551616})"), std::string("'bytes' ") + no_count);
  EXPECT_EQ(WhyNoBlob(R"({"backend": 1})"), "'backend' is no text");
  EXPECT_EQ(WhyNoBlob(R"({"operators": "add"})"), "'operators' is no list");
  EXPECT_EQ(WhyNoBlob(R"({"operators": ["a", 1]})"), "'operators[1]' is no text");
  EXPECT_EQ(WhyNoBlob(R"({"constants": [1]})"), "'constants[0]' is no object");
  EXPECT_EQ(WhyNoBlob(R"({"constants": [{"shape": []}]})"), "'constants[0]': there is no member 'shape'");
  EXPECT_EQ(WhyNoBlob(R"({"constants": [{"sizes": [2.5]}]})"), std::string("'constants[0].sizes[0]' ") + no_count);
  EXPECT_EQ(WhyNoBlob(R"({"constants": [{"key": "k", "offset": 0}]})"),
            "'constants[0]' has both a key and an offset in the blob");
  EXPECT_EQ(WhyNoBlob(R"({"constants": [{"key_hex": "a"}]})"),
            "'constants[0].key_hex' is no even number of lower-case hex digits");
  EXPECT_EQ(WhyNoBlob(R"({"parts": [{"name": "a"}]})"), "'parts[0]' needs a name and a size");
  EXPECT_EQ(WhyNoBlob(R"({"parts": [{"size": 1}]})"), "'parts[0]' needs a name and a size");
  EXPECT_EQ(WhyNoBlob(R"({"parts": [{"name": "a", "offset": 1, "size": 18446744073709551615}]})"),
            "'parts[0]' ends after 18446744073709551615 bytes");
  EXPECT_EQ(WhyNoBlob(R"({"facts": ["a"]})"), "'facts' is no object");
  EXPECT_EQ(WhyNoBlob(R"({"facts": {"a": 1}})"), "'facts.'a'' is no text");
  EXPECT_EQ(WhyNoBlob(R"({"keys": [1]})"), "'keys[0]' is no object");
  EXPECT_EQ(WhyNoBlob(R"({"debug_handles": []})"), "'debug_handles' is no object");
  EXPECT_EQ(WhyNoBlob(R"({"debug_handles": {"0": 1}})"), "'debug_handles.'0'' is no list");
  EXPECT_EQ(WhyNoBlob(R"({"debug_handles": {"0": [-1]}})"), std::string("'debug_handles.'0'' ") + no_count);
}

TEST(ParseDelegateMetadata, NamesWhatIsWrong) {
  EXPECT_EQ(WhyNoFile("{}"), "'schema_version' is not 1");
  EXPECT_EQ(WhyNoFile(R"({"schema_version": 2, "delegates": []})"), "'schema_version' is not 1");
  EXPECT_EQ(WhyNoFile(R"({"schema_version": 1})"), "'delegates' is missing");
  EXPECT_EQ(WhyNoFile(R"({"schema_version": 1, "delegates": [], "x": 1})"), "there is no member 'x'");
  EXPECT_EQ(WhyNoFile(FileWith("{}")), "'delegates[0].sha256' is missing");
  EXPECT_EQ(WhyNoFile(FileWith(R"({"sha256": ")" + kSha + R"("}, {"parts": 1})")), "'delegates[1].parts' is no list");
}

TEST(CheckFits, RefusesWhatDoesNotLieInTheBlob) {
  EXPECT_EQ(WhyUnfit("{}", 0), "");
  EXPECT_EQ(WhyUnfit(R"({"bytes": 3})", 4), "metadata of a blob of 3 bytes, it has 4");
  EXPECT_EQ(WhyUnfit(R"({"parts": [{"name": "a", "offset": 2, "size": 2}]})", 4), "");
  EXPECT_EQ(WhyUnfit(R"({"parts": [{"name": "a", "offset": 3, "size": 2}]})", 4),
            "metadata's part 'a' of 2 bytes at 0x3 is not inside the processed blob (4 bytes)");
  EXPECT_EQ(WhyUnfit(R"({"parts": [{"name": "a", "size": 2}, {"name": "b", "offset": 1, "size": 1}]})", 4),
            "metadata's part 'b' begins at 0x1, before the end of the part before it at 0x2");
  EXPECT_EQ(WhyUnfit(R"({"constants": [{"bytes": 4, "offset": 0}]})", 4), "");
  EXPECT_EQ(WhyUnfit(R"({"constants": [{}, {"name": "w", "bytes": 4, "offset": 1}]})", 4),
            "metadata's constant 1 'w' of 4 bytes at 0x1 is not inside the processed blob (4 bytes)");
  EXPECT_EQ(
      WhyUnfit(R"({"constants": [{"bytes": 18446744073709551615, "offset": 18446744073709551615}]})", 4),
      "metadata's constant 0 of 18446744073709551615 bytes at 0xffffffffffffffff is not inside the processed blob "
      "(4 bytes)");
}

TEST(WriteDelegateMetadata, IsReadAgain) {
  BlobMetadata blob;
  blob.sha256 = kSha;
  blob.bytes = 100;
  blob.name = "a \"quoted\" \\ name";
  blob.constants = {{"w", std::string("\0k", 2), {}, 8, "fp32", {2}}, {"", "", {7, 0}, 0, "", {}}};
  blob.parts = {{"p", {1, 2}}};
  blob.keys = {"a", "\xff"};
  blob.facts = std::vector<BlobFact>();
  const std::string text = WriteDelegateMetadata({blob, blob});
  const auto read = ParseDelegateMetadata(text);
  ASSERT_TRUE(read) << read.error().message << "\n" << text;
  ASSERT_EQ(read->size(), 2U);
  const BlobMetadata& again = (*read)[1];
  EXPECT_EQ(again.name, blob.name);
  EXPECT_EQ((*again.constants)[0].key, (*blob.constants)[0].key);
  EXPECT_EQ((*again.constants)[1].offset(), 7U);
  EXPECT_EQ(again.keys, blob.keys);
  EXPECT_EQ(again.operators, std::nullopt);
  ASSERT_TRUE(again.facts.has_value());
  EXPECT_EQ(WriteDelegateMetadata(*read), text);
  EXPECT_EQ(WriteDelegateMetadata({}), "{\n \"schema_version\": 1,\n \"delegates\": []\n}\n");
}

std::string WordsOf(const DelegateDescription& delegate) {
  std::string words = delegate.name + (delegate.decoded ? " decoded" : " opaque: " + *delegate.why_opaque);
  for (const std::string& op : delegate.contents->operators) words += " op " + op;
  for (const BlobConstant& constant : delegate.contents->constants) {
    words += " constant " + constant.name + "," + constant.key + "," + constant.dtype + "," +
             std::to_string(constant.bytes) + "," + std::to_string(constant.sizes.size()) + "@" +
             (constant.offset() ? std::to_string(*constant.offset()) : "-");
  }
  for (const auto& part : PartsOf(delegate)) words += " part " + part.name + "," + std::to_string(part.extent.size);
  for (const auto& fact : delegate.contents->facts) words += " fact " + fact.name + "=" + fact.value;
  for (const auto& text : delegate.contents->strings) words += " string " + text;
  for (const auto& key : delegate.keys) words += " key " + key.key + "," + std::to_string(key.bytes.value_or(0));
  return words;
}

// What the library finds, written, read and used instead, is what it finds.
TEST(MetadataDecoder, ShowsWhatTheFileSays) {
  size_t decoded = 0;
  for (const std::string& path : AllModelFiles()) {
    const Container file = OpenFile(path);
    const auto found = DescribeDelegates(file);
    ASSERT_TRUE(found);
    const auto metadata = CollectMetadata(file, *found);
    ASSERT_TRUE(metadata);
    decoded += metadata->size();
    const auto read = ParseDelegateMetadata(WriteDelegateMetadata(*metadata));
    ASSERT_TRUE(read) << path << ": " << read.error().message;
    const auto told = DescribeDelegates(file, {MakeMetadataDecoder(*read)});
    ASSERT_TRUE(told && told->size() == found->size());
    for (size_t i = 0; i < told->size(); ++i) EXPECT_EQ(WordsOf((*told)[i]), WordsOf((*found)[i])) << path;
  }
  EXPECT_GT(decoded, 40U);
}

const std::vector<uint8_t> kBlob = Pattern(48, 1);

Container Program() {
  ProgramBuilder builder;
  builder.Method("forward").Delegate("MyBackend", kBlob).Delegate("MyBackend", kBlob).Delegate("Other", Pattern(8, 2));
  return builder.Open();
}

BlobMetadata ToldOf(const std::vector<uint8_t>& blob, const std::string& json) {
  auto metadata = ParseBlobMetadata(json);
  EXPECT_TRUE(metadata);
  metadata->sha256 = Sha256Of({blob.data(), blob.size()}).Hex();
  return *metadata;
}

std::vector<DelegateDescription> Describe(const std::vector<BlobDecoder>& decoders, const Container& file = Program()) {
  auto described = DescribeDelegates(file, decoders);
  EXPECT_TRUE(described);
  return described ? *described : std::vector<DelegateDescription>();
}

Names PartWords(const DelegateDescription& delegate) {
  Names words;
  for (const auto& part : PartsOf(delegate)) words.push_back(part.name + " " + std::to_string(part.extent.size));
  return words;
}

TEST(MetadataDecoder, OpensWhatNobodyCanDecode) {
  const auto delegates = Describe(
      {MakeMetadataDecoder({ToldOf(kBlob, R"({"operators": ["mul"], "parts": [{"name": "a", "offset": 4, "size": 4}],
                 "constants": [{"key": "k2"}], "keys": ["k3", "k1"]})")})});
  EXPECT_TRUE(delegates[0].decoded);
  EXPECT_EQ(delegates[0].contents->operators, Names{"mul"});
  EXPECT_EQ(PartWords(delegates[0]), (Names{"unattributed 4", "a 4", "unattributed 40"}));
  ASSERT_EQ(delegates[0].keys.size(), 3U);
  EXPECT_EQ(delegates[0].keys[1].key, "k2");
  EXPECT_TRUE(delegates[1].decoded);
  EXPECT_FALSE(delegates[2].decoded);
  EXPECT_EQ(*delegates[2].why_opaque, "");
}

TEST(MetadataDecoder, IsForItsBackendAndPrefersTheDelegatesName) {
  BlobMetadata other = ToldOf(kBlob, R"({"operators": ["other"], "backend": "Other"})");
  BlobMetadata first = ToldOf(kBlob, R"({"operators": ["first"], "backend": "MyBackend"})");
  BlobMetadata second = ToldOf(kBlob, R"({"operators": ["second"], "name": "MyBackend_1"})");
  BlobMetadata again = ToldOf(kBlob, R"({"operators": ["again"], "name": "MyBackend_1"})");
  const auto delegates = Describe({MakeMetadataDecoder({other, first, second, again})});
  EXPECT_EQ(delegates[0].contents->operators, Names{"first"});
  EXPECT_EQ(delegates[1].contents->operators, Names{"second"});
}

TEST(MetadataDecoder, LeavesABlobOpaqueThatItDoesNotFit) {
  const auto delegates = Describe({MakeMetadataDecoder({ToldOf(kBlob, R"({"parts": [{"name": "a", "size": 49}]})")})});
  EXPECT_FALSE(delegates[0].decoded);
  EXPECT_EQ(*delegates[0].why_opaque,
            "metadata's part 'a' of 49 bytes at 0x0 is not inside the processed blob (48 bytes)");
  EXPECT_EQ(PartWords(delegates[0]), Names{"opaque 48"});
}

TEST(BlobDecoders, WinOverThoseOfTheLibraryMemberByMember) {
  const Container file = OpenFile(DataPath("f03_mlp_xnn.pte"));
  const auto found = Describe({}, file);
  const auto told =
      Describe({[](const BlobView&) {
                 return Result<std::optional<BlobMetadata>>(*ParseBlobMetadata(R"({"operators": ["mine"]})"));
               }},
               file);
  EXPECT_EQ(told[0].contents->operators, Names{"mine"});
  EXPECT_EQ(PartWords(told[0]), PartWords(found[0]));
  EXPECT_EQ(told[0].contents->constants.size(), 6U);
  EXPECT_EQ(told[0].keys.size(), found[0].keys.size());
  const auto opaque =
      Describe({[](const BlobView&) -> Result<std::optional<BlobMetadata>> { return Malformed("it broke"); }}, file);
  EXPECT_FALSE(opaque[0].decoded);
  EXPECT_EQ(*opaque[0].why_opaque, "it broke");
  EXPECT_EQ(PartWords(opaque[0]), Names{"opaque 1600"});
}

TEST(BlobDecoders, SeeTheBlobAndItsCompileSpecs) {
  ProgramBuilder builder;
  builder.Method("forward").Delegate("MyBackend", kBlob);
  tables::CompileSpec spec;
  spec.key = tables::OwnText("k");
  spec.value = tables::Vector<uint8_t>::Own({1, 2});
  builder.LastPlan().delegates.items[0].compile_specs = {true, {spec}};
  size_t calls = 0;
  Describe({[&](const BlobView& view) -> Result<std::optional<BlobMetadata>> {
             ++calls;
             EXPECT_EQ(view.delegate, "MyBackend_0");
             EXPECT_EQ(view.backend, "MyBackend");
             std::vector<uint8_t> bytes(view.blob->size());
             EXPECT_TRUE(view.blob->Read(0, {bytes.data(), bytes.size()}));
             EXPECT_EQ(bytes, kBlob);
             EXPECT_EQ(view.compile_specs.size(), 1U);
             EXPECT_EQ(view.compile_specs[0].key, "k");
             EXPECT_EQ(view.compile_specs[0].value.size, 2U);
             return std::optional<BlobMetadata>();
           }},
           builder.Open());
  EXPECT_EQ(calls, 1U);
}

TEST(BlobDecoders, AreAskedInTurnUntilOneKnowsTheBlob) {
  Names asked;
  const auto decoder = [&](const char* name, bool knows) {
    return [&asked, name, knows](const BlobView& view) -> Result<std::optional<BlobMetadata>> {
      asked.push_back(name + std::string(" ") + std::string(view.delegate));
      return knows ? std::optional(BlobMetadata()) : std::nullopt;
    };
  };
  Describe({decoder("a", false), decoder("b", true), decoder("c", true)});
  EXPECT_EQ(asked,
            (Names{"a MyBackend_0", "b MyBackend_0", "a MyBackend_1", "b MyBackend_1", "a Other_0", "b Other_0"}));
}

TEST(BlobDecoders, EndTheOperationWhereABlobCannotBeRead) {
  const auto described = DescribeDelegates(
      Program(), {[](const BlobView&) -> Result<std::optional<BlobMetadata>> { return IoError("gone"); }});
  ASSERT_FALSE(described);
  EXPECT_EQ(described.error().message, "gone");
}

TEST(RememberAnswers, AsksOnceAboutEqualBlobs) {
  size_t calls = 0;
  const BlobDecoder decoder = RememberAnswers([&](const BlobView&) -> Result<std::optional<BlobMetadata>> {
    ++calls;
    return Malformed("no");
  });
  EXPECT_EQ(*Describe({decoder})[1].why_opaque, "no");
  EXPECT_EQ(calls, 2U);  // the two backends
  Describe({decoder});
  EXPECT_EQ(calls, 2U);
}

TEST(MeasureSizes, ShowsPartsThatDecodersTell) {
  const auto metadata = ToldOf(kBlob, R"({"parts": [{"name": "a", "size": 8}], "keys": ["k"]})");
  const auto sizes = MeasureSizes(Program(), {.look_inside = true, .decoders = {MakeMetadataDecoder({metadata})}});
  ASSERT_TRUE(sizes);
  const SizeNode* row = FindComponent(*sizes, "MyBackend_0");
  ASSERT_NE(row, nullptr);
  ASSERT_EQ(row->components.size(), 2U);
  EXPECT_EQ(row->components[0].name, "a");
  EXPECT_EQ(row->components[1].size, 40U);
  EXPECT_EQ(row->size, 48U);
  ASSERT_EQ(row->more->refers_to.size(), 1U);
  EXPECT_EQ(row->more->refers_to[0].key, "k");
}

TEST(DiffFiles, CountsOperatorsThatDecodersTell) {
  ProgramBuilder builder;
  builder.Method("forward").Delegate("MyBackend", Pattern(48, 9));
  const auto diff =
      DiffFiles(Program(), builder.Open(), 1,
                {MakeMetadataDecoder({ToldOf(kBlob, R"({"operators": ["mul"]})"),
                                      ToldOf(Pattern(48, 9), R"({"operators": ["mul", "mul", "mul"]})")})});
  ASSERT_TRUE(diff);
  ASSERT_EQ(diff->operators.size(), 1U);
  EXPECT_EQ(diff->operators[0].name, "mul");
  EXPECT_EQ(diff->operators[0].backend, "MyBackend");
  EXPECT_EQ(diff->operators[0].old_calls, 2U);  // of both delegates
  EXPECT_EQ(diff->operators[0].new_calls, 3U);
}

}  // namespace
}  // namespace pteedit::delegate_metadata_test
