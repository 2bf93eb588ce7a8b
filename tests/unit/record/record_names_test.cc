#include "record/record_names.h"

#include <gtest/gtest.h>

#include "pteedit/describe.h"
#include "pteedit/profile/name_files.h"
#include "pteedit/profile/slim_record.h"
#include "test_files.h"
#include "zip_builder.h"

namespace pteedit::record_names_test {
namespace {

std::shared_ptr<const Source> FileOf(const std::string& name) {
  return *OpenFileSource(test::DataPath("names/" + name));
}

std::shared_ptr<const Source> TextOf(const std::string& text) {
  return MakeMemorySource("names.json", std::vector<uint8_t>(text.begin(), text.end()));
}

// What each key is called.
std::map<std::string, std::vector<std::string>> NamesBy(const std::shared_ptr<const Source>& source) {
  std::map<std::string, std::vector<std::string>> names;
  const auto contents = ReadNames(source);
  EXPECT_TRUE(contents) << (contents ? "" : contents.error().message);
  const auto file = ContentNames(*contents).Name(test::OpenFile(test::DataPath("names/layers_xnnpack.pte")));
  EXPECT_TRUE(file);
  for (const NamedDataDescription& entry : Describe(*file).named_data) names[entry.key] = entry.names;
  return names;
}

Error WhyNot(const std::string& text) {
  const auto names = ReadNames(TextOf(text));
  EXPECT_FALSE(names);
  return names ? Error() : names.error();
}

TEST(RecordNames, OfARecordAreThoseOfTheCheckpoint) {
  const auto names = NamesBy(FileOf("layers_xnnpack.etrecord"));
  EXPECT_EQ(names.size(), 9U);
  EXPECT_EQ(names, NamesBy(FileOf("layers.safetensors")));
}

// Which torch's own permutations were asked for.
TEST(RecordNames, AreThoseThatTheKeysWereMadeOf) {
  const std::vector<uint8_t> bytes = test::ReadBytes(test::DataPath("names/layers.expected.json"));
  const auto expected = ParseJson({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, "text");
  ASSERT_TRUE(expected);
  for (const auto& [key, names] : NamesBy(FileOf("layers.safetensors"))) {
    const JsonValue* known = expected->Find(key);
    ASSERT_NE(known, nullptr) << key;
    ASSERT_EQ(known->items.size(), names.size());
    for (size_t i = 0; i < names.size(); ++i) EXPECT_EQ(known->items[i].text, names[i]);
  }
}

TEST(RecordNames, AreStillThereWhereARecordHasLostItsWeights) {
  const auto slim = SlimRecord(FileOf("layers_xnnpack.etrecord"), 2);
  ASSERT_TRUE(slim && slim->changed);
  EXPECT_EQ(NamesBy(slim->file.AsSource("slim")), NamesBy(FileOf("layers.safetensors")));
  const auto again = SlimRecord(slim->file.AsSource("slim"));
  ASSERT_TRUE(again);
  EXPECT_FALSE(again->changed);
}

TEST(RecordNames, OfMetadataAreThoseOfConstantsWhoseKeyIsAHash) {
  const std::string key(64, 'a');
  const auto names = ReadNames(TextOf(R"({"schema_version": 1, "delegates": [{"sha256": ")" + std::string(64, '0') +
                                      R"(", "constants": [{"name": "w", "key": ")" + key +
                                      R"(", "dtype": "fp32", "sizes": [2], "bytes": 8},
                                          {"name": "v", "dtype": "fp32", "sizes": [2], "bytes": 8}]}]})"));
  ASSERT_TRUE(names) << names.error().message;
  ASSERT_EQ(names->size(), 1U);
  EXPECT_EQ((*names)[0].name, "w");
  EXPECT_EQ((*names)[0].sha256, key);
}

TEST(RecordNames, ATableWithoutHashesIsRefused) {
  EXPECT_EQ(WhyNot(R"({"schema_version": 1, "names": [{"name": "w", "bytes": 8}]})").message,
            "name 0 of the table lacks 'bytes' or the 64 digits of 'sha256'");
  EXPECT_EQ(WhyNot(R"({"names": []})").message, "table of names lacks 'schema_version' or 'names'");
  EXPECT_EQ(WhyNot(R"({"schema_version": "x", "names": []})").message, "table of names has version 0, 1 expected");
  const std::string hash(64, '0');
  EXPECT_EQ(WhyNot(R"({"schema_version": 1, "names": [{"name": "w", "bytes": 8, "sizes": [-1], "sha256": ")" + hash +
                   R"("}]})")
                .message,
            "name 0 of the table has 'sizes' that are no list of counts");
  EXPECT_EQ(WhyNot(R"({"schema_version": 2, "names": []})").message, "table of names has version 2, 1 expected");
}

TEST(RecordNames, WhatIsNoneOfTheKindsIsRefused) {
  const auto expect = [](const Error& error, const std::string& what) {
    EXPECT_EQ(error.code, ErrorCode::kUnsupported);
    EXPECT_EQ(error.message,
              "has no names: " + what + "; a safetensors file, an ETRecord or metadata of delegates (JSON) has");
  };
  expect(WhyNot("PK"), "it begins with 'PK'");
  expect(WhyNot(R"({"a": 1})"), "it is JSON without 'names' or 'delegates'");
  const auto program = ReadNames(*OpenFileSource(test::DataPath("f02_linear.pte")));
  ASSERT_FALSE(program);
  expect(program.error(), "it is a program");
  const auto archive = ReadNames(MakeMemorySource("a.zip", test::ZipBuilder().Build({{"a", "b"}})));
  ASSERT_FALSE(archive);
  expect(archive.error(), "not an ETRecord: the archive has no entry 'ETRECORD_V0'");
  EXPECT_EQ(WhyNot("PK").file, "names.json");
}

}  // namespace
}  // namespace pteedit::record_names_test
