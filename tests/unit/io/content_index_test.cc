#include "io/content_index.h"

#include <gtest/gtest.h>

#include "colliding_contents.h"
#include "counted_source.h"
#include "file_contents.h"
#include "io/streaming.h"

namespace pteedit::content_index_test {
namespace {

using Bytes = std::vector<uint8_t>;
using Groups = std::vector<uint32_t>;
using test::CountedSource;

ContentPlace PlaceOf(Bytes bytes) {
  const uint64_t size = bytes.size();
  return {MakeMemorySource("s", std::move(bytes)), {0, size}};
}

Groups Group(const std::vector<ContentPlace>& places, unsigned threads = 1) {
  Result<Groups> groups = GroupByContent(places, threads);
  EXPECT_TRUE(groups) << test::Words(groups);
  return groups ? *groups : Groups();
}

// Beyond two pieces, so that pieces begin and end inside.
Bytes LongContent() {
  Bytes bytes(2 * kStreamPieceBytes + 5000);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i * 7 + i / 256);
  return bytes;
}

TEST(GroupByContent, FindsTheFirstWithEqualBytes) {
  EXPECT_EQ(Group({PlaceOf({1, 2}), PlaceOf({3, 4}), PlaceOf({1, 2}), PlaceOf({1, 2, 3}), PlaceOf({3, 4})}),
            (Groups{0, 1, 0, 3, 1}));
}

TEST(GroupByContent, ComparesToTheLastByte) {
  const Bytes content = LongContent();
  Bytes other = content;
  other.back() ^= 1;
  EXPECT_EQ(Group({PlaceOf(content), PlaceOf(other), PlaceOf(content)}), (Groups{0, 1, 0}));
}

TEST(GroupByContent, LooksAtThePlaceOnly) {
  const auto source = MakeMemorySource("s", {0, 5, 6, 5, 6, 7});
  EXPECT_EQ(Group({{source, {1, 2}}, {source, {3, 2}}, {source, {4, 2}}}), (Groups{0, 0, 2}));
}

TEST(GroupByContent, TellsContentsApartThatXxh3CannotTell) {
  const auto [a, b] = test::CollidingContents();
  EXPECT_EQ(Group({PlaceOf(a), PlaceOf(b), PlaceOf(b), PlaceOf(a)}), (Groups{0, 1, 1, 0}));
}

TEST(GroupByContent, TakesContentsWithoutBytesForEqual) {
  CountedSource source({1, 2, 3});
  EXPECT_EQ(Group({source.place({0, 0}), source.place({2, 0}), PlaceOf({})}), (Groups{0, 0, 0}));
  EXPECT_EQ(source.total(), 0U);
}

// The source, with the hash of all of it.
ContentPlace Hashed(const CountedSource& counted, uint8_t hash) {
  const Extent whole{0, counted.size()};
  Sha256Bytes sha256{};
  sha256[0] = hash;
  return {MakeHashedSource(counted.source(), {{whole, sha256}}), whole};
}

TEST(GroupByContent, GoesByKnownHashesWithoutReading) {
  const CountedSource a({1, 2, 3}), b({1, 2, 3}), c({4, 5, 6});
  EXPECT_EQ(Group({Hashed(c, 2), Hashed(a, 1), Hashed(b, 1)}), (Groups{0, 1, 1}));
  EXPECT_EQ(a.total() + b.total() + c.total(), 0U);
}

TEST(GroupByContent, ReadsAllOfASizeOfWhichOneHashIsNotKnown) {
  const CountedSource a({1, 2, 3}), b({1, 2, 3});
  EXPECT_EQ(Group({Hashed(a, 1), PlaceOf({1, 2, 3}), Hashed(b, 1)}), (Groups{0, 0, 0}));
  EXPECT_EQ(a.total() + b.total(), 6U);
}

TEST(GroupByContent, NeedsNoSourceWhereThereAreNoBytes) {
  const Result<Groups> groups = GroupByContent(
      3, [](size_t) { return ContentView(); }, 1);
  ASSERT_TRUE(groups) << test::Words(groups);
  EXPECT_EQ(*groups, (Groups{0, 0, 0}));
}

TEST(GroupByContent, RefusesMoreThanItCanNumber) {
  const auto none = [](size_t) { return ContentView(); };
  EXPECT_EQ(test::Words(GroupByContent(static_cast<size_t>(uint64_t{1} << 32), none, 1)),
            "comparing 4294967296 contents; at most 4294967295 can be");
}

TEST(GroupByContent, FindsNothingInNothing) { EXPECT_TRUE(Group({}).empty()); }

TEST(GroupByContent, DoesNotReadWhatIsTheSamePlaceOrAloneInSize) {
  CountedSource source({1, 2, 3});
  EXPECT_EQ(Group({source.place(), source.place(), source.place({0, 2})}), (Groups{0, 0, 2}));
  EXPECT_EQ(source.total(), 0U);
}

TEST(GroupByContent, ReadsNoByteTwice) {
  CountedSource a(LongContent()), b(LongContent()), c(LongContent());
  EXPECT_EQ(Group({a.place(), b.place(), a.place(), c.place()}), (Groups{0, 0, 0, 0}));
  for (const CountedSource* source : {&a, &b, &c}) {
    EXPECT_EQ(source->most(), 1);
    EXPECT_EQ(source->total(), LongContent().size());
  }
}

TEST(GroupByContent, ReadsLittleOfWhatDiffersEarly) {
  Bytes other = LongContent();
  other[100] ^= 1;
  CountedSource a(LongContent()), b(std::move(other));
  EXPECT_EQ(Group({a.place(), b.place()}), (Groups{0, 1}));
  EXPECT_LE(a.total(), 4096U);
  EXPECT_LE(b.total(), 4096U);
}

TEST(GroupByContent, BoundsMemoryWhateverThereIsToCompare) {
  constexpr size_t kCount = 3000, kBytes = 20000;
  Bytes all(kCount * kBytes);
  for (size_t i = 0; i < kCount; ++i) {
    // Equal through the first piece, then all different: every piece has to be kept for comparison.
    for (size_t k = 0; k < sizeof(i); ++k) all[i * kBytes + 19000 + k] = static_cast<uint8_t>(i / 2 >> (8 * k));
  }
  CountedSource source(std::move(all));
  std::vector<ContentPlace> places;
  for (size_t i = 0; i < kCount; ++i) places.push_back(source.place({i * kBytes, kBytes}));
  const Groups groups = Group(places, 3);
  ASSERT_EQ(groups.size(), kCount);
  for (size_t i = 0; i < kCount; ++i) EXPECT_EQ(groups[i], i / 2 * 2);
  EXPECT_EQ(source.most(), 1);
  EXPECT_LE(source.longest() * kCount, size_t{32} << 20);
}

TEST(GroupByContent, DoesNotDependOnThreads) {
  std::vector<ContentPlace> places;
  for (size_t i = 0; i < 200; ++i) places.push_back(PlaceOf(Bytes(1 + i % 7, static_cast<uint8_t>(i % 5))));
  const Groups one = Group(places, 1);
  EXPECT_EQ(one[36], 1U);
  EXPECT_EQ(Group(places, 4), one);
}

TEST(GroupByContent, PassesReadErrorsOn) {
  const auto broken = [](const char* name) {
    return MakeCallbackSource(name, 100, [](uint64_t, MutableByteSpan) -> Status { return IoError("gone"); });
  };
  const std::vector<ContentPlace> places = {
      {broken("c"), {0, 50}}, {broken("d"), {0, 50}}, {broken("a"), {0, 10}}, {broken("b"), {0, 10}}};
  // Of several the same one whatever the threads do: that of the smallest contents.
  EXPECT_EQ(test::Words(GroupByContent(places, 1)), "a: gone");
  EXPECT_EQ(test::Words(GroupByContent(places, 4)), "a: gone");
}

}  // namespace
}  // namespace pteedit::content_index_test
