#include "package/chunks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "noise.h"

namespace pteedit::test::chunks_test {
namespace {

std::vector<Chunk> ChunksOf(const std::vector<uint8_t>& bytes) {
  const auto source = MakeViewSource("bytes", {bytes.data(), bytes.size()});
  return CutChunks(*source, {0, bytes.size()}).value();
}

constexpr size_t kNoiseBytes = size_t{4} << 20;

TEST(Chunks, CoverEverythingAndKeepToTheirLimits) {
  const std::vector<uint8_t> bytes = Noise(kNoiseBytes, 1);
  const std::vector<Chunk> chunks = ChunksOf(bytes);
  uint64_t at = 0;
  for (size_t i = 0; i < chunks.size(); ++i) {
    EXPECT_EQ(chunks[i].extent.offset, at);
    EXPECT_LE(chunks[i].extent.size, kMaxChunkBytes);
    EXPECT_TRUE(i + 1 == chunks.size() || chunks[i].extent.size >= kMinChunkBytes);
    at += chunks[i].extent.size;
  }
  EXPECT_EQ(at, bytes.size());
  const size_t mean = bytes.size() / chunks.size();
  EXPECT_GT(mean, kUsualChunkBytes / 2);
  EXPECT_LT(mean, kUsualChunkBytes * 2);
}

TEST(Chunks, StayTheSameBehindInsertedBytes) {
  std::vector<uint8_t> bytes = Noise(kNoiseBytes, 1);
  std::set<Xxh128Digest> before;
  for (const Chunk& chunk : ChunksOf(bytes)) before.insert(chunk.digest);
  bytes.insert(bytes.begin() + 100'000, 7, uint8_t{1});
  const std::vector<Chunk> after = ChunksOf(bytes);
  const auto changed =
      std::count_if(after.begin(), after.end(), [&](const Chunk& chunk) { return !before.contains(chunk.digest); });
  EXPECT_LE(changed, 4);
  EXPECT_GT(after.size(), 30U);
}

TEST(Chunks, AreAsLongAsTheyMayBeWhereNothingIsToCutAt) {
  const std::vector<Chunk> chunks = ChunksOf(std::vector<uint8_t>(kMaxChunkBytes * 3 + 5));
  ASSERT_EQ(chunks.size(), 4U);
  EXPECT_EQ(chunks.back().extent, (Extent{kMaxChunkBytes * 3, 5}));
}

TEST(Chunks, OfAPartAreThoseOfItsBytes) {
  const std::vector<uint8_t> bytes = Noise(300'000, 2);
  const auto source = MakeViewSource("bytes", {bytes.data(), bytes.size()});
  const std::vector<Chunk> part = CutChunks(*source, {1000, 200'000}).value();
  const std::vector<Chunk> alone = ChunksOf({bytes.begin() + 1000, bytes.begin() + 201'000});
  ASSERT_EQ(part.size(), alone.size());
  for (size_t i = 0; i < part.size(); ++i) EXPECT_EQ(part[i].digest, alone[i].digest);
  EXPECT_TRUE(CutChunks(*source, {5, 0}).value().empty());
}

}  // namespace
}  // namespace pteedit::test::chunks_test
