#include "pteedit/profile/slim_record.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include "record/etrecord.h"
#include "record/zip_contents.h"
#include "test_files.h"
#include "zip_builder.h"

namespace pteedit::slim_record_test {
namespace {

using test::ZipBuilder;
using test::ZipTestEntry;

const std::string kEdge = "edge_dialect_exported_program/forward";

std::shared_ptr<const Source> Memory(std::vector<uint8_t> bytes) { return MakeMemorySource("test", std::move(bytes)); }

ZipTestEntry Entry(const std::string& name, const std::string& contents) {
  const auto* bytes = reinterpret_cast<const Bytef*>(contents.data());
  return {name, contents, static_cast<uint32_t>(crc32_z(0, bytes, contents.size())), 0, 0, 0};
}

std::vector<ZipTestEntry> Entries(const std::vector<ZipTestEntry>& more = {}) {
  std::vector<ZipTestEntry> entries{Entry("ETRECORD_V0", ""), Entry(kEdge, "{\"a\":\"" + std::string(100, 'b') + "\"}"),
                                    Entry(kEdge + "_state_dict", std::string(1000, 'w')),
                                    Entry(kEdge + "_constants", "c"), Entry(kEdge + "_example_inputs", "")};
  entries.insert(entries.end(), more.begin(), more.end());
  return entries;
}

std::vector<uint8_t> BytesOf(const PlannedFile& file) {
  std::vector<uint8_t> bytes(file.size());
  EXPECT_TRUE(file.AsSource("plan")->Read(0, {bytes.data(), bytes.size()}));
  return bytes;
}

SlimmedRecord Slimmed(std::vector<uint8_t> bytes) {
  Result<SlimmedRecord> slimmed = SlimRecord(Memory(std::move(bytes)));
  EXPECT_TRUE(slimmed) << (slimmed ? "" : slimmed.error().message);
  return slimmed ? *std::move(slimmed) : SlimmedRecord();
}

Error WhyNot(std::vector<uint8_t> bytes) {
  const Result<SlimmedRecord> slimmed = SlimRecord(Memory(std::move(bytes)));
  EXPECT_FALSE(slimmed);
  return slimmed ? Error() : slimmed.error();
}

ZipFile Opened(const PlannedFile& file) {
  Result<ZipFile> zip = ZipFile::Open(file.AsSource("slim"));
  EXPECT_TRUE(zip) << (zip ? "" : zip.error().message);
  return *std::move(zip);
}

std::string ContentsOf(const ZipFile& zip, const std::string& name) {
  const ZipEntry* entry = zip.Find(name);
  EXPECT_NE(entry, nullptr) << name;
  if (entry == nullptr) return {};
  Result<std::string> contents = ReadContents(zip, *entry, 1 << 20);
  EXPECT_TRUE(contents) << (contents ? "" : contents.error().message);
  return contents ? *contents : "";
}

TEST(SlimRecord, EmptiesWhatIsSavedOfProgramsAndDeflatesPrograms) {
  const std::vector<uint8_t> bytes = ZipBuilder().Build(Entries());
  const SlimmedRecord slimmed = Slimmed(bytes);
  EXPECT_TRUE(slimmed.changed);
  ASSERT_EQ(slimmed.report.items.size(), 2U);  // the third had no bytes
  EXPECT_EQ(slimmed.report.items[0].what, "entry");
  EXPECT_EQ(slimmed.report.items[0].name, kEdge + "_state_dict");
  EXPECT_EQ(slimmed.report.items[0].bytes, 1000U);
  EXPECT_EQ(slimmed.report.items[1].bytes, 1U);
  const ZipFile zip = Opened(slimmed.file);
  ASSERT_EQ(zip.entries().size(), 5U);
  for (const char* end : {"_state_dict", "_constants", "_example_inputs"}) EXPECT_EQ(ContentsOf(zip, kEdge + end), "");
  EXPECT_EQ(ContentsOf(zip, kEdge), Entries()[1].contents);
  EXPECT_EQ(zip.Find(kEdge)->method, 8U);
  EXPECT_LT(zip.Find(kEdge)->stored.size, 30U);
}

TEST(SlimRecord, LeavesOutBlobsAndWeightsOfLoweredModules) {
  const std::string program =
      R"({"as_string": "{\"backend_id\": \"B\", \"processed_bytes\": \"AAAA\"}", "rest": "as it was"})";
  std::vector<ZipTestEntry> entries = Entries();
  entries[1] = Entry(kEdge, program);
  const SlimmedRecord slimmed = Slimmed(ZipBuilder().Build(entries));
  EXPECT_EQ(slimmed.report.items[0].what, "delegate");
  EXPECT_EQ(slimmed.report.items[0].bytes, 4U);
  std::string expected = program;
  expected.erase(expected.find("AAAA"), 4);
  EXPECT_EQ(ContentsOf(Opened(slimmed.file), kEdge), expected);
}

TEST(SlimRecord, LeavesASlimRecordByteForByte) {
  const std::vector<uint8_t> once = BytesOf(Slimmed(ZipBuilder().Build(Entries())).file);
  const SlimmedRecord again = Slimmed(once);
  EXPECT_FALSE(again.changed);
  EXPECT_TRUE(again.report.items.empty());
  EXPECT_EQ(BytesOf(again.file), once);
}

TEST(SlimRecord, KeepsAndNamesWhatItDoesNotKnow) {
  const std::string odd("\0PK\x01\x02\xff", 6);
  const SlimmedRecord slimmed = Slimmed(ZipBuilder().Build(
      Entries({Entry("delegate_info", odd), Entry("reference_outputs", odd), Entry("other_state_dict", odd)})));
  ASSERT_EQ(slimmed.report.skipped.size(), 3U);
  EXPECT_EQ(slimmed.report.skipped[0].name, "delegate_info");
  EXPECT_EQ(slimmed.report.skipped[0].reason, "of a kind that is not known");
  EXPECT_EQ(slimmed.report.skipped[1].reason, "programs can be tried with it");
  EXPECT_EQ(slimmed.report.skipped[2].name, "other_state_dict");  // of no program here
  const ZipFile zip = Opened(slimmed.file);
  for (const char* name : {"delegate_info", "reference_outputs", "other_state_dict"})
    EXPECT_EQ(ContentsOf(zip, name), odd);
}

TEST(SlimRecord, KeepsAProgramWhoseNameEndsLikeOneOfItsParts) {
  const std::string program = kEdge + "_constants";  // of the method 'forward_constants', and constants of 'forward'
  const SlimmedRecord slimmed = Slimmed(ZipBuilder().Build(Entries({Entry(program + "_state_dict", "weights")})));
  const ZipFile zip = Opened(slimmed.file);
  EXPECT_EQ(ContentsOf(zip, program), "c");
  EXPECT_EQ(ContentsOf(zip, program + "_state_dict"), "");
}

TEST(SlimRecord, WritesNoFieldsOf64BitsWhereNoneAreNeeded) {
  const SlimmedRecord slimmed = Slimmed(ZipBuilder().Build(Entries(), /*is_64=*/true));
  const SlimmedRecord plain = Slimmed(ZipBuilder().Build(Entries()));
  EXPECT_EQ(slimmed.file.size(), plain.file.size());
  EXPECT_EQ(ContentsOf(Opened(slimmed.file), kEdge), Entries()[1].contents);
}

TEST(SlimRecord, KeepsTheCommentOfTheArchive) {
  std::vector<uint8_t> bytes = ZipBuilder().Build(Entries());
  bytes[bytes.size() - 2] = 3;
  bytes.insert(bytes.end(), {'a', 'b', 'c'});
  const std::vector<uint8_t> slim = BytesOf(Slimmed(bytes).file);
  EXPECT_EQ(std::string(slim.end() - 5, slim.end()), std::string("\3\0abc", 5));
}

// A record in a directory with an extra field of 64 bits and one of another kind, and a comment.
std::vector<uint8_t> Listed() {
  std::vector<uint8_t> record(46);
  const uint16_t sizes[] = {1, 12 + 6, 2};  // name, extra fields, comment
  std::memcpy(record.data() + 28, sizes, sizeof(sizes));
  record[8] = 8;      // sizes follow the contents
  record[12] = 0x5a;  // time
  const std::vector<uint8_t> rest{'n', 1, 0, 8, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0x55, 0x54, 2, 0, 'u', 'v', 'c', 'd'};
  record.insert(record.end(), rest.begin(), rest.end());
  return record;
}

TEST(ZipPlan, KeepsDatesCommentsAndOtherExtraFields) {
  const std::vector<uint8_t> listed = Listed();
  ZipPlan plan;
  plan.Add({listed.data(), listed.size()}, PackContents("x"));
  const std::vector<uint8_t> bytes = BytesOf(std::move(plan).Finish({}));
  const size_t directory = 30 + 1 + 1;
  ASSERT_EQ(bytes.size(), directory + 46 + 1 + 6 + 2 + 22);
  EXPECT_EQ(bytes[6], 0);  // flags: the head has the sizes
  EXPECT_EQ(bytes[10], 0x5a);
  EXPECT_EQ(bytes[18], 1);
  EXPECT_EQ(std::string(bytes.begin() + directory + 46, bytes.begin() + directory + 55),
            std::string("n\x55\x54\2\0uvcd", 9));
}

// Where nothing but sizes is looked at.
ZipContents Large(uint64_t bytes) {
  ZipContents contents{{}, bytes, 0, 0};
  contents.stored.AppendZeros(bytes);
  return contents;
}

TEST(ZipPlan, TellsLargeSizesAndPlacesIn64Bits) {
  const std::vector<uint8_t> listed = Listed();
  constexpr uint64_t kLarge = uint64_t{5} << 30;
  ZipPlan plan;
  plan.Add({listed.data(), listed.size()}, Large(kLarge));
  plan.Add({listed.data(), listed.size()}, PackContents("behind"));
  const PlannedFile file = std::move(plan).Finish({});
  const ZipFile zip = Opened(file);
  ASSERT_EQ(zip.entries().size(), 2U);
  EXPECT_EQ(zip.entries()[0].bytes, kLarge);
  EXPECT_EQ(zip.entries()[0].stored.size, kLarge);
  EXPECT_GT(zip.entries()[1].head, kLarge);
  EXPECT_EQ(*ReadContents(zip, zip.entries()[1], 10), "behind");
}

TEST(ZipPlan, AlignsContentsWhereverTheyComeToLie) {
  const std::vector<uint8_t> listed = Listed();
  ZipPlan plan;
  for (const uint64_t bytes : {uint64_t{1}, uint64_t{16383}, uint64_t{5} << 30, uint64_t{16331}, uint64_t{0}})
    plan.Add({listed.data(), listed.size()}, Large(bytes), 16384);
  const ZipFile zip = Opened(std::move(plan).Finish({}));
  for (const ZipEntry& entry : zip.entries()) EXPECT_EQ(entry.stored.offset % 16384, 0U) << entry.bytes;
  EXPECT_LE(zip.entries()[4].stored.offset, (uint64_t{5} << 30) + 6 * 16384);
}

TEST(ZipPlan, CountsEntriesBeyond16Bits) {
  std::vector<uint8_t> listed = Listed();
  for (const size_t count : {size_t{0xfffe}, size_t{0xffff}, size_t{0x10000}}) {
    ZipPlan plan;
    for (size_t i = 0; i < count; ++i) plan.Add({listed.data(), listed.size()}, {});
    EXPECT_EQ(Opened(std::move(plan).Finish({})).entries().size(), count);
  }
}

TEST(SlimRecord, RefusesEncryptedEntries) {
  std::vector<ZipTestEntry> entries = Entries({Entry("delegate_map", "{}")});
  entries.back().flags = 1;
  const Error error = WhyNot(ZipBuilder().Build(entries));
  EXPECT_EQ(error.code, ErrorCode::kUnsupported);
  EXPECT_EQ(error.message, "entry 'delegate_map' is encrypted, so the record cannot be written again");
  EXPECT_EQ(error.file, "test");
}

TEST(SlimRecord, RefusesEntriesInsideOthers) {
  std::vector<ZipTestEntry> entries = Entries();
  entries[2].extra_size = 40;
  const Error error = WhyNot(ZipBuilder().Build(entries));
  EXPECT_EQ(error.code, ErrorCode::kMalformed);
  EXPECT_NE(error.message.find("entry '" + kEdge + "_constants' begins at 0x"), std::string::npos);
  EXPECT_NE(error.message.find("inside entry '" + kEdge + "_state_dict'"), std::string::npos);
}

TEST(SlimRecord, RefusesDamagedProgramsAndMaps) {
  std::vector<ZipTestEntry> entries = Entries();
  entries[1].checksum ^= 1;
  const Error error = WhyNot(ZipBuilder().Build(entries));
  EXPECT_EQ(error.code, ErrorCode::kMalformed);
  EXPECT_NE(error.message.find(kEdge), std::string::npos);
}

TEST(SlimRecord, RefusesWhatIsNoRecord) {
  EXPECT_EQ(WhyNot(ZipBuilder().Build({Entry("other", "")})).code, ErrorCode::kUnsupported);
  EXPECT_EQ(WhyNot(test::ReadBytes(test::DataPath("f01_add.pte"))).code, ErrorCode::kUnsupported);
  EXPECT_EQ(WhyNot({}).code, ErrorCode::kUnsupported);
}

TEST(SlimRecord, EveryPrefixOfARecordIsRefused) {
  const std::vector<uint8_t> whole = test::ReadBytes(test::DataPath("profile/mlp_xnnpack.etrecord"));
  for (size_t size = 0; size < whole.size(); size += 7) WhyNot({whole.data(), whole.data() + size});
}

TEST(SlimRecord, FlippedBytesAreRefusedOrGiveARecord) {
  const std::vector<uint8_t> whole = test::ReadBytes(test::DataPath("profile/mlp_xnnpack.etrecord"));
  for (size_t i = 0; i < whole.size(); i += 3) {
    std::vector<uint8_t> flipped = whole;
    flipped[i] ^= 0x41;
    const Result<SlimmedRecord> slimmed = SlimRecord(Memory(std::move(flipped)));
    if (!slimmed) continue;
    EXPECT_LE(slimmed->file.size(), whole.size()) << i;
    EXPECT_TRUE(Etrecord::Open(slimmed->file.AsSource("slim"))) << i;
  }
}

}  // namespace
}  // namespace pteedit::slim_record_test
