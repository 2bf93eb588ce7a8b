#include "package/delta_pieces.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "noise.h"
#include "package/zstd_frames.h"
#include "test_files.h"

namespace pteedit::test::delta_pieces_test {
namespace {

using Bytes = std::vector<uint8_t>;

std::shared_ptr<const Source> View(const Bytes& bytes) { return MakeViewSource("view", {bytes.data(), bytes.size()}); }

// The pieces of `now` made of `old`, which is also what it takes the place of.
std::vector<DeltaPiece> PiecesOf(const Bytes& old, const Bytes& now) {
  OldContents contents;
  EXPECT_TRUE(contents.Add(View(old)));
  const std::vector<Region> regions = RegionsOf(View(now)).value();
  const std::vector<FoundCopy> copies = contents.FindCopies(*View(now), regions).value();
  return CutPieces(contents, now.size(), regions, copies, 0);
}

TEST(DeltaPieces, CopyAllOfWhatIsThere) {
  const Bytes old = Noise(1'000'000, 1);
  const std::vector<DeltaPiece> pieces = PiecesOf(old, old);
  ASSERT_EQ(pieces.size(), 1U);
  EXPECT_EQ(pieces[0].copied->extent, (Extent{0, old.size()}));
}

TEST(DeltaPieces, ReachUpToTheByteThatChanged) {
  const Bytes old = Noise(1'000'000, 1);
  Bytes now = old;
  now[500'000] ^= 1;
  const std::vector<DeltaPiece> pieces = PiecesOf(old, now);
  ASSERT_EQ(pieces.size(), 3U);
  EXPECT_EQ(pieces[1].extent, (Extent{500'000, 1}));
  ASSERT_TRUE(pieces[1].dictionary);
  EXPECT_LE(pieces[1].dictionary->extent.offset, 500'000U);
  EXPECT_EQ(pieces[2].copied->extent, (Extent{500'001, 499'999}));
}

TEST(DeltaPieces, LeaveShortCopiesToTheDictionary) {
  const Bytes old = Noise(100'000, 1);
  Bytes now = old;
  for (size_t i = 0; i < now.size(); i += 5000) now[i] ^= 1;
  const std::vector<DeltaPiece> pieces = PiecesOf(old, now);
  ASSERT_EQ(pieces.size(), 1U);
  EXPECT_EQ(pieces[0].dictionary->extent, (Extent{0, old.size()}));
}

TEST(DeltaPieces, OfNewBytesAreFramesWithDictionariesInTheirLimits) {
  const std::vector<DeltaPiece> pieces = PiecesOf(Noise(9'000'000, 1), Noise(7'000'000, 2));
  ASSERT_EQ(pieces.size(), 4U);
  for (const DeltaPiece& piece : pieces) {
    EXPECT_LE(piece.extent.size, kMaxFrameBytes);
    EXPECT_LE(piece.dictionary->extent.size, kMaxDictionaryBytes);
    EXPECT_LE(piece.dictionary->extent.offset, piece.extent.offset);
  }
}

TEST(DeltaPieces, BehindTheEndOfAShorterOldFileTakeItsEnd) {
  const std::vector<DeltaPiece> pieces = PiecesOf(Noise(1000, 1), Noise(7'000'000, 2));
  EXPECT_EQ(pieces.back().dictionary->extent, (Extent{0, 1000}));
  EXPECT_FALSE(PiecesOf({}, Noise(1000, 2))[0].dictionary);
}

TEST(Regions, OfAProgramHaveNamesAndCoverIt) {
  for (const char* name : {"f08/b_xnn_v0.pte", "f03_mlp_xnn.pte", "f02_linear.pte", "f11_bundled_xnn.bpte"}) {
    const Bytes bytes = ReadBytes(DataPath(name));
    const std::vector<Region> regions = RegionsOf(View(bytes)).value();
    uint64_t at = 0;
    for (const Region& region : regions) {
      EXPECT_EQ(region.extent.offset, at);
      EXPECT_NE(region.extent.size, 0U);
      at += region.extent.size;
    }
    EXPECT_EQ(at, bytes.size());
    const auto has = [&](const std::string& begin) {
      return std::any_of(regions.begin(), regions.end(),
                         [&](const Region& region) { return region.name.starts_with(begin); });
    };
    EXPECT_TRUE(has("tables")) << name;
    EXPECT_TRUE(has("key ") || has("constant ") || has("segment ")) << name;
  }
}

TEST(Regions, OfAnythingElseAreOne) {
  const Bytes bytes = Noise(1000, 1);
  const std::vector<Region> regions = RegionsOf(View(bytes)).value();
  ASSERT_EQ(regions.size(), 1U);
  EXPECT_EQ(regions[0].name, "");
  EXPECT_TRUE(RegionsOf(View({})).value().empty());
}

}  // namespace
}  // namespace pteedit::test::delta_pieces_test
