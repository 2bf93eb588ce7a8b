#include "formats/flat_tables.h"

#include <gtest/gtest.h>

#include "test_files.h"

namespace pteedit::flat_tables_test {
namespace {

constexpr FlatTables::Field kFirst = 4, kSecond = 6;

// A flatbuffer put together by hand, with zeros where nothing was put.
struct Bytes {
  std::vector<uint8_t> bytes;

  template <class T>
  void Put(size_t at, T value) {
    bytes.resize(std::max(bytes.size(), at + sizeof(value)));
    std::memcpy(bytes.data() + at, &value, sizeof(value));
  }
  // With the list of fields in front of the table: field 0 at its byte 4, field 1 at byte 8.
  void PutTable(size_t at) {
    Put<uint16_t>(at - 8, 8);
    Put<uint16_t>(at - 6, 12);
    Put<uint16_t>(at - 4, 4);
    Put<uint16_t>(at - 2, 8);
    Put<int32_t>(at, 8);
    Put<uint64_t>(at + 4, 0);
  }
  FlatTables Tables() const { return PartOf({0, bytes.size()}); }
  FlatTables PartOf(Extent part) const {
    return FlatTables(MakeViewSource("blob", {bytes.data(), bytes.size()}), part, "test");
  }
};

// The root at 16.
Bytes WithRoot() {
  Bytes file;
  file.Put<uint32_t>(0, 16);
  file.Put<uint32_t>(4, 0x54534554);  // TEST
  file.PutTable(16);
  return file;
}

TEST(FlatTables, ReadsNumbersTextsAndLists) {
  Bytes file = WithRoot();
  file.Put<int32_t>(20, -5);
  file.Put<uint32_t>(24, 8);  // from there
  file.Put<uint32_t>(32, 3);
  file.Put<int32_t>(36, 7);
  file.Put<int32_t>(40, -1);
  file.Put<int32_t>(44, 9);
  FlatTables tables = file.Tables();
  EXPECT_TRUE(tables.HasIdentifier("TEST"));
  EXPECT_FALSE(tables.HasIdentifier("TES0"));
  const FlatTables::Table root = tables.Root();
  EXPECT_EQ(tables.Get<int32_t>(root, kFirst, 1), -5);
  EXPECT_EQ(tables.GetSizes(root, kSecond), (std::vector<uint64_t>{7, 0, 9}));
  EXPECT_EQ(tables.GetText(root, kSecond), std::string("\7\0\0", 3));
  EXPECT_EQ(tables.GetVector(root, kSecond, 4).at, 36U);
  EXPECT_TRUE(tables.status());
}

TEST(FlatTables, AbsentFieldsAreEmpty) {
  Bytes file = WithRoot();
  FlatTables tables = file.Tables();
  constexpr FlatTables::Field kMissing = 8;
  EXPECT_EQ(tables.Get<int32_t>(tables.Root(), kMissing, 42), 42);
  EXPECT_EQ(tables.GetText(tables.Root(), kMissing), "");
  EXPECT_TRUE(tables.GetTables(tables.Root(), kMissing).empty());
  EXPECT_FALSE(tables.GetTable({}, kFirst));
  EXPECT_TRUE(tables.status());
}

TEST(FlatTables, ReadsAPartOfABlob) {
  Bytes file = WithRoot();
  file.Put<int32_t>(20, 77);
  file.bytes.insert(file.bytes.begin(), 100, 0xEE);
  file.bytes.resize(file.bytes.size() + 100, 0xEE);
  FlatTables tables = file.PartOf({100, 28});
  EXPECT_EQ(tables.Get<int32_t>(tables.Root(), kFirst, 0), 77);
  EXPECT_TRUE(tables.status());
  FlatTables cut = file.PartOf({100, 22});
  EXPECT_EQ(cut.Get<int32_t>(cut.Root(), kFirst, 42), 0);
  EXPECT_EQ(cut.status().error().message, "test (22 bytes) is damaged: an offset leads out of it, to 4 bytes at 0x14");
}

TEST(FlatTables, NamesListThatDoesNotFit) {
  Bytes file = WithRoot();
  file.Put<uint32_t>(24, 8);
  file.Put<uint32_t>(32, 2);
  file.Put<uint32_t>(36, 0);
  FlatTables tables = file.Tables();
  EXPECT_TRUE(tables.GetTables(tables.Root(), kSecond).empty());
  ASSERT_FALSE(tables.status());
  EXPECT_EQ(tables.status().error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(tables.status().error().message,
            "test (40 bytes) is damaged: an offset leads out of it, to 8 bytes at 0x24");
}

TEST(FlatTables, FieldsInFrontOfTheFlatbufferAreOutside) {
  Bytes file = WithRoot();
  file.Put<int32_t>(16, 17);
  FlatTables tables = file.Tables();
  EXPECT_EQ(tables.Get<int32_t>(tables.Root(), kFirst, 42), 42);
  EXPECT_EQ(tables.status().error().message,
            "test (28 bytes) is damaged: an offset leads out of it, to 2 bytes at 0xffffffffffffffff");
}

// Each table is on a page of its own.
TEST(FlatTables, BoundsMemory) {
  constexpr uint32_t kTables = 16400;
  constexpr size_t kPage = 4096, kFirstPage = 20 * kPage;
  Bytes file = WithRoot();
  file.Put<uint32_t>(24, 8);
  file.Put<uint32_t>(32, kTables);
  file.bytes.resize(kFirstPage + kTables * kPage);
  for (uint32_t i = 0; i < kTables; ++i) {
    const size_t offset = 36 + i * sizeof(uint32_t), table = kFirstPage + i * kPage + 64;
    file.Put<uint32_t>(offset, static_cast<uint32_t>(table - offset));
    file.PutTable(table);
  }
  FlatTables tables = file.Tables();
  const std::vector<FlatTables::Table> all = tables.GetTables(tables.Root(), kSecond);
  ASSERT_EQ(all.size(), kTables);
  for (const FlatTables::Table table : all) tables.Get<int32_t>(table, kFirst, 0);
  ASSERT_FALSE(tables.status());
  EXPECT_EQ(tables.status().error().message, "test has tables in over 16384 pages of 4096 bytes");
}

}  // namespace
}  // namespace pteedit::flat_tables_test
