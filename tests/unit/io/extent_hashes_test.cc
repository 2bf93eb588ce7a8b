#include "io/extent_hashes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "io/digest.h"
#include "program_builder.h"

namespace pteedit::extent_hashes_test {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20, kBytes = 40 * kMiB + 7;  // more than two windows

class CountedFile : public testing::TestWithParam<unsigned> {
 protected:
  const std::vector<uint8_t> content_ = test::Pattern(kBytes, 1);
  std::atomic<uint64_t> read_{0};
  const std::shared_ptr<const Source> source_ =
      MakeCallbackSource("file", kBytes, [this](uint64_t offset, MutableByteSpan out) -> Status {
        std::copy_n(content_.begin() + static_cast<std::ptrdiff_t>(offset), out.size, out.data);
        read_ += out.size;
        return {};
      });

  // Those of `places`, each taken once.
  template <class Hash>
  std::vector<std::string> HashesOf(const std::vector<Extent>& places) {
    std::vector<std::string> hashes(places.size());
    const Status hashed = HashExtents<Hash>(*source_, places, GetParam(),
                                            [&](size_t place, const auto& digest) { hashes[place] += digest.Hex(); });
    EXPECT_TRUE(hashed);
    return hashes;
  }

  template <class Digest>
  void ExpectHashes(const std::vector<Extent>& places, const std::vector<std::string>& hashes, Digest digest) {
    for (size_t i = 0; i < places.size(); ++i) {
      const ByteSpan bytes{content_.data() + places[i].offset, static_cast<size_t>(places[i].size)};
      EXPECT_EQ(hashes[i], digest(bytes).Hex()) << places[i].offset << ' ' << places[i].size;
    }
  }
};

TEST_P(CountedFile, IsReadOnceHoweverItsPlacesOverlap) {
  const std::vector<Extent> places{{0, kBytes},
                                   {0, 5},
                                   {0, 16 * kMiB},
                                   {3, 0},
                                   {3, 35 * kMiB},
                                   {16 * kMiB, 1},
                                   {16 * kMiB, 16 * kMiB},
                                   {20 * kMiB, 64},
                                   {32 * kMiB - 1, 2},
                                   {kBytes - 1, 1},
                                   {kBytes, 0}};
  ExpectHashes(places, HashesOf<Xxh128>(places), [](ByteSpan bytes) { return Xxh128Of(bytes); });
  EXPECT_EQ(read_, kBytes);
  ExpectHashes(places, HashesOf<Sha256>(places), [](ByteSpan bytes) { return Sha256Of(bytes); });
}

TEST_P(CountedFile, IsNotReadWhereNoPlaceIs) {
  const std::vector<Extent> places{{1, 10}, {35 * kMiB, 10}};
  ExpectHashes(places, HashesOf<Xxh128>(places), [](ByteSpan bytes) { return Xxh128Of(bytes); });
  EXPECT_LE(read_, 22 * kMiB);  // a window, and the rest of the file
  EXPECT_TRUE(HashExtents<Xxh128>(*source_, {}, GetParam(), [](size_t, const auto&) { ADD_FAILURE(); }));
}

INSTANTIATE_TEST_SUITE_P(Threads, CountedFile, testing::Values(1U, 3U));

}  // namespace
}  // namespace pteedit::extent_hashes_test
