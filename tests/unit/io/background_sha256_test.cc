#include "io/background_sha256.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "io/streaming.h"

namespace pteedit::background_sha256_test {
namespace {

std::string Hashed(const std::vector<uint8_t>& bytes, size_t step, uint64_t announced) {
  BackgroundSha256 hash(announced);
  std::vector<uint8_t> piece;  // used again at once, as buffers are
  for (size_t done = 0; done < bytes.size(); done += step) {
    piece.assign(bytes.begin() + static_cast<std::ptrdiff_t>(done),
                 bytes.begin() + static_cast<std::ptrdiff_t>(std::min(done + step, bytes.size())));
    hash.Update({piece.data(), piece.size()});
  }
  return hash.Finish().Hex();
}

TEST(BackgroundSha256, IsTheOneOfAllBytesInOrder) {
  std::vector<uint8_t> bytes(5 * kStreamPieceBytes + 3);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i * i >> 3);
  const std::string expected = Sha256Of(ByteSpan{bytes.data(), bytes.size()}).Hex();
  for (const size_t step : {size_t{1000}, kStreamPieceBytes / 2, kStreamPieceBytes, bytes.size()}) {
    EXPECT_EQ(Hashed(bytes, step, bytes.size()), expected) << step;  // with a thread
    EXPECT_EQ(Hashed(bytes, step, 1), expected) << step;             // without
  }
}

TEST(BackgroundSha256, OfNothingIsThatOfNothing) {
  EXPECT_EQ(Hashed({}, 1, 0), Sha256Of(ByteSpan{}).Hex());
  EXPECT_EQ(Hashed({}, 1, 10 * kStreamPieceBytes), Sha256Of(ByteSpan{}).Hex());
}

TEST(BackgroundSha256, MayBeLeftUnfinished) {
  BackgroundSha256 hash(10 * kStreamPieceBytes);
  const std::vector<uint8_t> bytes(kStreamPieceBytes);
  for (int i = 0; i < 3; ++i) hash.Update({bytes.data(), bytes.size()});
}

}  // namespace
}  // namespace pteedit::background_sha256_test
