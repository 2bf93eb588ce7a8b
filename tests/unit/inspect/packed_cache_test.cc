// XNNPACK's packed-weight cache: a real one, and what is done to it.
#include "pteedit/packed_cache.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "pteedit/verify.h"
#include "test_files.h"

namespace pteedit::packed_cache_test {
namespace {

using test::DataPath;
using Words = std::vector<std::string>;

std::vector<uint8_t> RealCache() { return test::ReadBytes(DataPath("xnnpack/packed_cache.bin")); }

std::shared_ptr<const Source> SourceOf(std::vector<uint8_t> bytes) {
  return MakeMemorySource("cache.bin", std::move(bytes));
}

// "Packed Weights 5: 9728", with how many rows there are in it.
Words ComponentsOf(const std::vector<ProgramSet>& programs) {
  const auto source = SourceOf(RealCache());
  const Result<SizeNode> sizes = MeasurePackedCache(source, programs);
  EXPECT_TRUE(sizes) << (sizes ? "" : sizes.error().message);
  Words words;
  uint64_t sum = 0;
  for (const SizeNode& component : sizes->components) {
    sum += component.size;
    words.push_back(component.name + " " + std::to_string(component.components.size()) + ": " +
                    std::to_string(component.size));
  }
  EXPECT_EQ(sum, source->size());
  return words;
}

TEST(PackedCache, ListsWhatTheRuntimeWrote) {
  const Result<PackedCache> cache = ReadPackedCache(*SourceOf(RealCache()));
  ASSERT_TRUE(cache);
  ASSERT_EQ(cache->entries.size(), 5U);
  EXPECT_EQ(cache->index.offset, 28672U);
  for (const PackedCacheEntry& entry : cache->entries) {
    EXPECT_EQ(entry.key.size(), 128U) << "a weight's and a bias's";
    EXPECT_EQ(entry.place.offset % 4096, 0U);
    EXPECT_NE(entry.seed, 0U);
  }
}

TEST(PackedCache, TellsWhatNoProgramAsksFor) {
  const ProgramSet mlp(test::OpenFile(DataPath("f03_mlp_xnn.pte")));
  const ProgramSet linear(test::OpenFile(DataPath("delegates/xnn_lin.pte")));
  const ProgramSet other(test::OpenFile(DataPath("f02_linear.pte")));
  const Words all = {"Packed Weights 5: 12800", "Index 0: 780", "Padding 0: 11776", "Dead Bytes 0: 4096"};
  EXPECT_EQ(ComponentsOf({}), all);
  EXPECT_EQ(ComponentsOf({mlp, linear}), all);
  EXPECT_EQ(ComponentsOf({mlp}).at(1), "Stale Weights 2: 4288");
  EXPECT_EQ(ComponentsOf({linear}).at(1), "Stale Weights 3: 8512");
  EXPECT_EQ(ComponentsOf({other}).at(0), "Stale Weights 5: 12800");
}

// What is found after `number` was put at this many bytes before the end.
template <class Number>
std::string FoundWith(size_t from_end, Number number) {
  std::vector<uint8_t> bytes = RealCache();
  std::memcpy(bytes.data() + bytes.size() - from_end, &number, sizeof(number));
  const auto found = Verify(SourceOf(std::move(bytes)), {});
  EXPECT_TRUE(found) << (found ? "" : found.error().message);
  const std::vector<Finding>& findings = found->front().findings;
  return findings.empty() ? "clean" : findings.front().where + ": " + findings.front().message;
}

TEST(PackedCache, DamageIsFound) {
  EXPECT_EQ(FoundWith<uint32_t>(4, 2), "clean");
  EXPECT_EQ(FoundWith<uint32_t>(4, 1), ": version is 1, 2 expected");
  EXPECT_EQ(FoundWith<uint64_t>(20, 29432), ": index begins at byte 29432, not before the footer at byte 29432");
  EXPECT_EQ(FoundWith<uint64_t>(20, ~uint64_t{0}).substr(0, 22), ": index begins at byte");
  EXPECT_EQ(FoundWith<uint32_t>(12, 6), "entry 5: ends behind the index, which should have 6 entries");
  EXPECT_EQ(FoundWith<uint64_t>(40, 28672),
            "entry 4: has 2176 bytes at 0x7000, which do not end before the index at 0x7000");
  EXPECT_EQ(FoundWith<uint64_t>(32, ~uint64_t{0}).substr(0, 8), "entry 4:");
}

TEST(PackedCache, WhatOnlyEndsLikeOneIsNone) {
  std::vector<uint8_t> bytes = test::ReadBytes(DataPath("f03_mlp_xnn.pte"));
  const std::vector<uint8_t> cache = RealCache();
  bytes.insert(bytes.end(), cache.end() - 20, cache.end());
  EXPECT_FALSE(*IsPackedCache(*SourceOf(bytes)));
  EXPECT_FALSE(*IsPackedCache(*SourceOf({1, 2, 3})));
  EXPECT_EQ(ReadPackedCache(*SourceOf({1, 2, 3})).error().message,
            "is no packed-weight cache of XNNPACK: it does not end with 'CWPX' and a version");
}

TEST(PackedCache, AnyPrefixAndAnyFlippedBitOfTheIndexIsAnErrorOrACache) {
  const std::vector<uint8_t> bytes = RealCache();
  for (size_t at = 28672; at < bytes.size(); ++at) {
    std::vector<uint8_t> damaged = bytes;
    damaged[at] ^= static_cast<uint8_t>(1U << (at % 8));
    const Result<SizeNode> sizes = MeasurePackedCache(SourceOf(std::move(damaged)));
    EXPECT_TRUE(sizes || !sizes.error().message.empty());
    EXPECT_FALSE(ReadPackedCache(*SourceOf({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(at)})));
  }
}

}  // namespace
}  // namespace pteedit::packed_cache_test
