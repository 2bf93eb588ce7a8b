#include <gtest/gtest.h>

#include "profile/etdump.h"
#include "pteedit/profile/profile_kind.h"
#include "pteedit/verify.h"
#include "record/etrecord.h"
#include "test_files.h"
#include "zip_builder.h"

namespace pteedit::profile_test {
namespace {

using test::ZipBuilder;
using test::ZipTestEntry;

constexpr uint32_t kChecksumOfBraces = 0xa3a6bf43;  // CRC-32 of "{}"
constexpr uint32_t kChecksumOfBrace = 0x15d54739;   // of "{"

std::shared_ptr<const Source> Memory(std::vector<uint8_t> bytes) { return MakeMemorySource("test", std::move(bytes)); }

std::vector<uint8_t> File(const char* name) { return test::ReadBytes(test::DataPath(name)); }

std::optional<ProfileKind> KindOf(std::vector<uint8_t> bytes) {
  const auto kind = FindProfileKind(Memory(std::move(bytes)));
  EXPECT_TRUE(kind);
  return *kind;
}

// Of a file of this kind, after a check that all of it adds up.
SizeNode Measured(std::vector<uint8_t> bytes, ProfileKind kind) {
  const uint64_t size = bytes.size();
  Result<SizeNode> sizes = MeasureProfile(Memory(std::move(bytes)), kind);
  EXPECT_TRUE(sizes) << sizes.error().message;
  if (!sizes) return {};
  EXPECT_EQ(sizes->size, size);
  const auto check = [](const auto& self, const SizeNode& node) -> void {
    uint64_t sum = 0;
    for (const SizeNode& component : node.components) sum += component.size;
    EXPECT_TRUE(node.components.empty() || sum == node.size) << node.name;
    for (const SizeNode& component : node.components) self(self, component);
  };
  check(check, *sizes);
  return *std::move(sizes);
}

Error WhyNot(std::vector<uint8_t> bytes, ProfileKind kind) {
  const Result<SizeNode> sizes = MeasureProfile(Memory(std::move(bytes)), kind);
  EXPECT_FALSE(sizes);
  return sizes ? Error() : sizes.error();
}

std::vector<std::string> NamesOf(const SizeNode& node) {
  std::vector<std::string> names;
  for (const SizeNode& component : node.components) names.push_back(component.name);
  return names;
}

std::vector<uint8_t> Record(const std::vector<ZipTestEntry>& more, bool is_64 = false) {
  std::vector<ZipTestEntry> entries{{"ETRECORD_V0", "", 0, 0, 0, 0}};
  entries.insert(entries.end(), more.begin(), more.end());
  return ZipBuilder().Build(entries, is_64);
}

TEST(Profile, TellsKindsByContent) {
  EXPECT_EQ(KindOf(File("profile/mlp.etdp")), ProfileKind::kEtdump);
  EXPECT_EQ(KindOf(File("profile/mlp_xnnpack.etrecord")), ProfileKind::kEtrecord);
  EXPECT_EQ(KindOf(File("f01_add.pte")), std::nullopt);
  EXPECT_EQ(KindOf({}), std::nullopt);
  EXPECT_EQ(KindOf(ZipBuilder().Build({{"other", "", 0, 0, 0, 0}})), std::nullopt);
  EXPECT_EQ(KindOf(ZipBuilder().Build({{"other", "", 0, 0, 0, 0}, {"ETRECORD_V0", "", 0, 0, 0, 0}})),
            ProfileKind::kEtrecord);
}

TEST(Profile, CountsEventsByRun) {
  const SizeNode sizes = Measured(File("profile/mlp.etdp"), ProfileKind::kEtdump);
  EXPECT_EQ(NamesOf(sizes), (std::vector<std::string>{"Profile Events", "Other Tables"}));
  const SizeNode& events = sizes.components.front();
  ASSERT_EQ(events.components.size(), 6U);
  EXPECT_EQ(events.components[0].more->note, "Default");
  EXPECT_EQ(events.components[5].name, "run_5");
  EXPECT_EQ(events.components[5].more->note, "Execute");
  EXPECT_EQ(events.components[4].size, events.components[5].size);
}

TEST(Profile, CountsEventsOfAllKinds) {
  const SizeNode debug = Measured(File("profile/mlp_debug.etdp"), ProfileKind::kEtdump);
  EXPECT_EQ(NamesOf(debug), (std::vector<std::string>{"Profile Events", "Debug Events", "Other Tables"}));
  const SizeNode allocation = Measured(File("profile/allocation.etdp"), ProfileKind::kEtdump);
  EXPECT_EQ(NamesOf(allocation), (std::vector<std::string>{"Profile Events", "Allocation Events", "Other Tables"}));
}

TEST(Profile, TakesDumpsWithoutPrefixAndWithBytesBehind) {
  std::vector<uint8_t> bytes = File("profile/mlp.etdp");
  const SizeNode whole = Measured(bytes, ProfileKind::kEtdump);
  const SizeNode bare = Measured({bytes.begin() + 4, bytes.end()}, ProfileKind::kEtdump);
  EXPECT_EQ(bare.components[0].size, whole.components[0].size);
  EXPECT_EQ(bare.components[1].size + 4, whole.components[1].size);
  bytes.insert(bytes.end(), 10, 0xff);
  const SizeNode longer = Measured(bytes, ProfileKind::kEtdump);
  EXPECT_EQ(longer.components.back().name, "Unattributed");
  EXPECT_EQ(longer.components.back().size, 10U);
}

TEST(Profile, RefusesDumpThatEndsBeforeItsPrefixSays) {
  std::vector<uint8_t> bytes = File("profile/mlp.etdp");
  bytes.resize(3000);
  const Error error = WhyNot(bytes, ProfileKind::kEtdump);
  EXPECT_EQ(error.code, ErrorCode::kMalformed);
  EXPECT_EQ(error.message, "ETDump ends at byte 4888, after the end of the file (3000 bytes)");
}

TEST(Profile, RefusesDumpWithOffsetThatLeadsOut) {
  std::vector<uint8_t> bytes = File("profile/allocation.etdp");
  bytes[6] = 0x10;  // of the root table's place
  const Error error = WhyNot(bytes, ProfileKind::kEtdump);
  EXPECT_EQ(error.code, ErrorCode::kMalformed);
  EXPECT_NE(error.message.find("ETDump (232 bytes) is damaged: an offset leads out of it"), std::string::npos)
      << error.message;
}

// A list of runs that are all the same table.
TEST(Profile, RefusesDumpThatReachesTooManyTables) {
  constexpr uint32_t kCount = 200'000;
  std::vector<uint32_t> words{16, 0x30304445, 8 | 8 << 16, 0 | 4 << 16, 8, 4, kCount};
  for (uint32_t i = 0; i < kCount; ++i) words.push_back((kCount - i) * 4);
  words.insert(words.end(), {(7 + kCount - 2) * 4, 0});  // the run, with the root's list of fields
  std::vector<uint8_t> bytes(words.size() * sizeof(uint32_t));
  std::memcpy(bytes.data(), words.data(), bytes.size());
  EXPECT_EQ(WhyNot(bytes, ProfileKind::kEtdump).message, "ETDump reaches its tables more often than it could hold any");
}

TEST(Profile, CountsEntriesAsStored) {
  const SizeNode sizes =
      Measured(Record({{"debug_handle_map", "{}", kChecksumOfBraces, 0, 0, 0}}), ProfileKind::kEtrecord);
  EXPECT_EQ(NamesOf(sizes), (std::vector<std::string>{"ETRECORD_V0", "debug_handle_map", "Zip Structure"}));
  EXPECT_EQ(sizes.components[0].size, 0U);
  EXPECT_EQ(sizes.components[1].size, 2U);
  EXPECT_EQ(sizes.components[1].more->note, "");
}

TEST(Profile, SaysWhatDeflatedEntriesInflateTo) {
  const SizeNode sizes = Measured(File("profile/mlp_xnnpack.etrecord"), ProfileKind::kEtrecord);
  const SizeNode* program = FindComponent(sizes, "edge_dialect_exported_program/forward");
  ASSERT_NE(program, nullptr);
  EXPECT_EQ(program->size, 1675U);
  EXPECT_EQ(program->more->note, "inflates to 13392 bytes");
}

TEST(Profile, CountsOverlappingEntriesOnce) {
  constexpr uint16_t kSizesFollow = 8;         // so those in the head of an entry do not count
  constexpr uint32_t kNextEntry = 30 + 1 + 2;  // its head, name and contents
  const std::vector<uint8_t> bytes = Record({{"a", "xyz", 0, kSizesFollow, 0, kNextEntry}, {"b", "pq", 0, 0, 0, 0}});
  const SizeNode sizes = Measured(bytes, ProfileKind::kEtrecord);
  EXPECT_EQ(FindComponent(sizes, "a")->size, 3 + kNextEntry);
  EXPECT_EQ(FindComponent(sizes, "b")->size, 0U);
}

TEST(Profile, RefusesEntriesThatLeadOutOfTheFile) {
  const std::vector<uint8_t> bytes = Record({{"a", "xyz", 0, 8, 0, 1000}});
  EXPECT_EQ(WhyNot(bytes, ProfileKind::kEtrecord).message,
            "entry 'a' has 1003 bytes at 0x48, which end after the end of the file (" + std::to_string(bytes.size()) +
                " bytes)");
}

TEST(Etrecord, ReadsJsonStoredDeflatedAndIn64BitFields) {
  const ZipTestEntry braces{"debug_handle_map", "{}", kChecksumOfBraces, 0, 0, 0};
  for (const bool is_64 : {false, true}) {
    const Result<Etrecord> record = Etrecord::Open(Memory(Record({braces}, is_64)));
    ASSERT_TRUE(record) << record.error().message;
    const Result<JsonValue> json = record->ReadJson("debug_handle_map");
    ASSERT_TRUE(json) << json.error().message;
    EXPECT_EQ(json->kind, JsonValue::Kind::kObject);
    EXPECT_EQ(record->ReadJson("absent")->kind, JsonValue::Kind::kNull);
  }
  const Result<Etrecord> record = Etrecord::Open(Memory(File("profile/mlp_xnnpack.etrecord")));
  ASSERT_TRUE(record);
  EXPECT_EQ(record->Methods(), std::vector<std::string>{"forward"});
  const Result<JsonValue> program = record->ReadJson(record->EdgeProgramEntry("forward"), {"tensor_values"});
  ASSERT_TRUE(program) << program.error().message;
  const JsonValue* graph = program->Find("graph_module")->Find("graph");
  EXPECT_NE(graph->Find("nodes"), nullptr);
  EXPECT_EQ(graph->Find("tensor_values"), nullptr);
}

TEST(Etrecord, FindsTheMethodOfOldRecords) {
  const Result<Etrecord> record =
      Etrecord::Open(Memory(Record({{"edge_dialect_exported_program", "{}", kChecksumOfBraces, 0, 0, 0}})));
  ASSERT_TRUE(record);
  EXPECT_EQ(record->Methods(), std::vector<std::string>{"forward"});
  EXPECT_EQ(record->EdgeProgramEntry("forward"), "edge_dialect_exported_program");
  EXPECT_EQ(record->EdgeProgramEntry("decode"), "");
}

std::string WhyUnreadable(const ZipTestEntry& entry) {
  const Result<Etrecord> record = Etrecord::Open(Memory(Record({entry})));
  if (!record) return record.error().message;
  const Result<JsonValue> json = record->ReadJson(entry.name);
  return json ? "" : json.error().message;
}

TEST(Etrecord, SaysWhyEntryCannotBeRead) {
  EXPECT_EQ(WhyUnreadable({"m", "{}", kChecksumOfBraces, 0, 0, 0}), "");
  const std::string damaged = "entry 'm' is damaged: its contents are not those that the directory promises";
  EXPECT_EQ(WhyUnreadable({"m", "{}", 1, 0, 0, 0}), damaged);
  EXPECT_EQ(WhyUnreadable({"m", "\xff\xff", 1, 0, 8, 0}), damaged);
  EXPECT_EQ(WhyUnreadable({"m", "", 0, 0, 8, 0}), damaged);
  const std::string unreadable = "entry 'm' is neither stored nor deflated, or is encrypted";
  EXPECT_EQ(WhyUnreadable({"m", "{}", kChecksumOfBraces, 1, 0, 0}), unreadable);
  EXPECT_EQ(WhyUnreadable({"m", "{}", kChecksumOfBraces, 0, 14, 0}), unreadable);
  EXPECT_EQ(WhyUnreadable({"m", "{", kChecksumOfBrace, 0, 0, 0}), "entry 'm' is no JSON from byte 2 on");
}

TEST(Etrecord, RefusesWhatIsNoRecord) {
  const Result<Etrecord> other = Etrecord::Open(Memory(ZipBuilder().Build({{"other", "", 0, 0, 0, 0}})));
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(other.error().message, "not an ETRecord: the archive has no entry 'ETRECORD_V0'");
  std::vector<uint8_t> bytes = File("profile/mlp_xnnpack.etrecord");
  bytes.resize(bytes.size() - 100);
  const Error cut = WhyNot(bytes, ProfileKind::kEtrecord);
  EXPECT_EQ(cut.message, "archive has no directory at its end: it is cut, or its directory is damaged");
}

TEST(Profile, EveryPrefixAndFlippedByteIsMeasuredOrRefused) {
  for (const char* name : {"profile/allocation.etdp", "profile/mlp_debug.etdp"}) {
    const std::vector<uint8_t> bytes = File(name);
    for (size_t size = 0; size < bytes.size(); size += 3) {
      const std::vector<uint8_t> prefix(bytes.begin(), bytes.begin() + static_cast<long>(size));
      EXPECT_FALSE(MeasureProfile(Memory(prefix), ProfileKind::kEtdump)) << name << " " << size;
    }
    for (size_t i = 0; i < bytes.size(); ++i) {
      std::vector<uint8_t> flipped = bytes;
      flipped[i] ^= 0xff;
      if (MeasureProfile(Memory(flipped), ProfileKind::kEtdump)) Measured(flipped, ProfileKind::kEtdump);
    }
  }
}

TEST(Profile, VerifiesDumpsAndRecords) {
  const auto findings = [](std::vector<uint8_t> bytes) {
    const auto source = Memory(std::move(bytes));
    const auto kind = FindProfileKind(source);
    EXPECT_TRUE(kind && *kind);
    const auto found = VerifyProfile(source, **kind);
    EXPECT_TRUE(found);
    std::vector<std::string> ids;
    for (const Finding& finding : found->findings) ids.push_back(finding.id);
    return ids;
  };
  using Ids = std::vector<std::string>;
  std::vector<uint8_t> dump = File("profile/mlp.etdp");
  EXPECT_EQ(findings(dump), Ids());
  dump.push_back(0);
  EXPECT_EQ(findings(dump), Ids{"trailing-bytes"});
  dump.resize(100);
  EXPECT_EQ(findings(dump), Ids{"file-cut"});
  EXPECT_EQ(findings(File("profile/mlp_xnnpack.etrecord")), Ids());
  EXPECT_EQ(findings(Record({{"debug_handle_map", "{}", 1, 0, 0, 0}})), Ids{"zip-damaged"});
  EXPECT_EQ(findings(Record({{"delegate_map", "{", kChecksumOfBrace, 0, 0, 0}})), Ids{"record-json"});
}

}  // namespace
}  // namespace pteedit::profile_test
