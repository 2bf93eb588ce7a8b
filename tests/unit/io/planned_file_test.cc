#include "pteedit/planned_file.h"

#include <gtest/gtest.h>

#include <numeric>

#include "file_contents.h"
#include "test_files.h"

namespace pteedit::planned_file_test {
namespace {

using test::BytesOf;
using test::DataPath;
using test::ReadBytes;

TEST(PlannedFile, ReadsItsPiecesInOrder) {
  const auto source = MakeMemorySource("s", {1, 2, 3, 4, 5, 6});
  PlannedFile file;
  file.Append(source, {4, 2});
  file.AppendZeros(3);
  file.Append(source, {0, 1});
  EXPECT_EQ(file.size(), 6U);
  EXPECT_EQ(BytesOf(file), (std::vector<uint8_t>{5, 6, 0, 0, 0, 1}));
  EXPECT_EQ(BytesOf(*file.AsSource("plan"), {1, 4}), (std::vector<uint8_t>{6, 0, 0, 0}));
}

TEST(PlannedFile, JoinsPiecesThatFollowEachOther) {
  const auto source = MakeMemorySource("s", {1, 2, 3, 4, 5, 6});
  PlannedFile file;
  file.Append(source, {0, 2});
  file.Append(source, {2, 2});
  file.AppendZeros(1);
  file.AppendZeros(2);
  file.Append(source, {4, 1});
  file.Append(source, {4, 1});
  ASSERT_EQ(file.pieces().size(), 4U);
  EXPECT_EQ(file.pieces()[0].extent, (Extent{0, 4}));
  EXPECT_EQ(file.pieces()[1].extent.size, 3U);
  EXPECT_EQ(file.pieces()[1].source, nullptr);
}

// `count` pieces of two bytes, of which none follows the one before.
PlannedFile Scattered(const std::shared_ptr<const Source>& source, uint64_t first, uint64_t count) {
  PlannedFile file;
  for (uint64_t i = 0; i < count; ++i) file.Append(source, {first + 3 * i, 2});
  return file;
}

TEST(PlannedFile, IsPutBehindShorterAndLongerOnes) {
  std::vector<uint8_t> bytes(100);
  std::iota(bytes.begin(), bytes.end(), uint8_t{0});
  const auto source = MakeMemorySource("s", bytes);
  constexpr uint64_t kCounts[] = {0, 1, 2, 9};
  for (const uint64_t before : kCounts) {
    for (const uint64_t behind : kCounts) {
      for (const bool follows : {false, true}) {
        PlannedFile file = Scattered(source, 0, before);
        const uint64_t first = before == 0 || !follows ? 50 : 3 * before - 1;  // right behind the last
        const PlannedFile more = Scattered(source, first, behind);
        std::vector<uint8_t> wanted = BytesOf(file);
        const std::vector<uint8_t> rest = BytesOf(more);
        wanted.insert(wanted.end(), rest.begin(), rest.end());
        file.Append(more);
        EXPECT_EQ(BytesOf(file), wanted);
        EXPECT_EQ(file.size(), wanted.size());
        const bool joins = follows && before != 0 && behind != 0;
        EXPECT_EQ(file.pieces().size(), before + behind - (joins ? 1 : 0));
        EXPECT_EQ(more.pieces().size(), behind);  // a copy was taken
      }
    }
  }
}

TEST(PlannedFile, IsUnfoldedToWhereItsBytesComeFrom) {
  const auto source = MakeMemorySource("s", {1, 2, 3, 4, 5, 6});
  PlannedFile inner, middle, outer;
  inner.Append(source, {0, 2});
  inner.AppendZeros(2);
  inner.Append(source, {3, 3});
  middle.Append(inner.AsSource("inner"), {1, 5});
  outer.Append(MakeMemorySource("t", {7}), {0, 1});
  outer.Append(middle.AsSource("middle"), {0, 4});
  const PlannedFile unfolded = Unfolded(outer);
  EXPECT_EQ(BytesOf(unfolded), BytesOf(outer));
  ASSERT_EQ(unfolded.pieces().size(), 4U);
  EXPECT_EQ(unfolded.pieces()[1].source, source);
  EXPECT_EQ(unfolded.pieces()[1].extent, (Extent{1, 1}));
  EXPECT_EQ(unfolded.pieces()[3].extent, (Extent{3, 1}));
}

TEST(PlannedFile, KnowsTheHashesOfPartsOfItsPieces) {
  const Sha256Bytes sha256{1};
  PlannedFile file;
  file.AppendZeros(4);
  file.Append(MakeHashedSource(MakeMemorySource("s", {1, 2, 3, 4}), {{{1, 2}, sha256}}), {0, 4});
  const auto source = file.AsSource("plan");
  EXPECT_EQ(source->known_sha256({5, 2}), sha256);
  EXPECT_EQ(source->known_sha256({5, 3}), std::nullopt);
  EXPECT_EQ(source->known_sha256({3, 2}), std::nullopt);
  EXPECT_EQ(source->known_sha256({7, 2}), std::nullopt);
  EXPECT_EQ((*MakeWindowSource(source, {4, 4}))->known_sha256({1, 2}), sha256);
  EXPECT_EQ((*MakeWindowSource(source, {4, 2}))->known_sha256({1, 2}), std::nullopt);
}

TEST(PlannedFile, IsOpenedWhereItsTablesLieUnlessTheyAreNotAligned) {
  const std::vector<uint8_t> bytes = ReadBytes(DataPath("f01_add.pte"));
  const auto source = MakeMemorySource("s", bytes);
  PlannedFile file;
  file.Append(source, {0, bytes.size()});
  const Container opened = *Container::Open(file.AsSource("plan"));
  EXPECT_EQ(opened.tables().data, source->InMemory({0, 1}).get());

  std::vector<uint8_t> behind{0};
  behind.insert(behind.end(), bytes.begin(), bytes.end());
  const auto whole = MakeMemorySource("s", behind);
  const Container copied = *Container::Open(*MakeWindowSource(whole, {1, bytes.size()}));
  EXPECT_NE(copied.tables().data, whole->InMemory({1, 1}).get());
  EXPECT_EQ(copied.tables().size, opened.tables().size);

  PlannedFile pieces;
  pieces.Append(MakeMemorySource("s", {1, 2}), {0, 2});
  pieces.AppendZeros(2);
  EXPECT_EQ(pieces.AsSource("plan")->InMemory({1, 2}), nullptr) << "in two";
  EXPECT_EQ(pieces.AsSource("plan")->InMemory({2, 1}), nullptr) << "zeros";
}

TEST(PlannedFile, HasNoEmptyPieces) {
  PlannedFile file;
  file.Append(MakeMemorySource("s", {}), {0, 0});
  file.AppendZeros(0);
  EXPECT_TRUE(file.pieces().empty());
  EXPECT_EQ(BytesOf(file), std::vector<uint8_t>());
}

TEST(PlannedFile, AppendsAllOfAnother) {
  PlannedFile first, second;
  first.Append(MakeMemorySource("s", {1, 2}), {0, 2});
  second.AppendZeros(1);
  second.Append(first);
  EXPECT_EQ(BytesOf(second), (std::vector<uint8_t>{0, 1, 2}));
}

TEST(PlannedFile, RefusesToReadPastItsEnd) {
  PlannedFile file;
  file.AppendZeros(10);
  std::vector<uint8_t> bytes(3);
  const Status status = file.AsSource("out.pte")->Read(8, {bytes.data(), bytes.size()});
  EXPECT_EQ(test::Words(status), "out.pte: cannot read 3 bytes at 0x8 of a planned file of 10 bytes");
}

TEST(PlannedFile, PassesErrorsOfItsSourcesOn) {
  const auto broken =
      MakeCallbackSource("in.pte", 4, [](uint64_t, MutableByteSpan) -> Status { return IoError("gone"); });
  PlannedFile file;
  file.AppendZeros(1);
  file.Append(broken, {0, 4});
  uint8_t byte = 0;
  EXPECT_TRUE(file.AsSource("out.pte")->Read(0, {&byte, 1}));
  EXPECT_EQ(test::Words(file.AsSource("out.pte")->Read(1, {&byte, 1})), "in.pte: gone");
}

}  // namespace
}  // namespace pteedit::planned_file_test
