// The expected values come from Python's hashlib and xxhash.
#include "io/digest.h"

#include <gtest/gtest.h>

#include "colliding_contents.h"
#include "file_contents.h"
#include "io/streaming.h"

namespace pteedit::digest_test {
namespace {

// Longer than two pieces of streaming.
std::vector<uint8_t> LongContent() {
  std::vector<uint8_t> bytes(2 * kStreamPieceBytes + 3);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(7 * i);
  return bytes;
}

std::shared_ptr<const Source> SourceOf(std::vector<uint8_t> bytes) { return MakeMemorySource("s", std::move(bytes)); }
std::shared_ptr<const Source> Abc() { return SourceOf({'x', 'a', 'b', 'c', 'x'}); }

std::shared_ptr<const Source> Broken() {
  return MakeCallbackSource("broken", 100, [](uint64_t, MutableByteSpan) -> Status { return IoError("gone"); });
}

TEST(Sha256, IsTheOneThatEverybodyComputes) {
  EXPECT_EQ(Sha256Of(*Abc(), {0, 0})->Hex(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Sha256Of(*Abc(), {1, 3})->Hex(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  const std::vector<uint8_t> content = LongContent();
  const char* expected = "fa76ddc2190a64cb8955c079e207644498a3eabc160e73a073e881c7ef2a76f7";
  EXPECT_EQ(Sha256Of(ByteSpan{content.data(), content.size()}).Hex(), expected);
  EXPECT_EQ(Sha256Of(*SourceOf(content), {0, content.size()})->Hex(), expected);
}

TEST(Sha256, DoesNotDependOnThePieces) {
  Sha256 hash;
  const uint8_t text[] = {'a', 'b', 'c'};
  hash.Update({text, 1});
  hash.Update({text + 1, 0});
  hash.Update({text + 1, 2});
  EXPECT_EQ(hash.Finish().Hex(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Xxh128, IsTheOneThatEverybodyComputes) {
  const Xxh128Digest empty = *Xxh128Of(*Abc(), {0, 0});
  EXPECT_EQ(empty.high, 0x99aa06d3014798d8U);
  EXPECT_EQ(empty.low, 0x6001c324468d497fU);
  const Xxh128Digest abc = *Xxh128Of(*Abc(), {1, 3});
  EXPECT_EQ(abc.high, 0x06b05ab6733a6185U);
  EXPECT_EQ(abc.low, 0x78af5f94892f3950U);
  const std::vector<uint8_t> content = LongContent();
  EXPECT_EQ(Xxh128Of(*SourceOf(content), {0, content.size()})->high, 0x22580f74c62b2e00U);
  EXPECT_EQ(Xxh128Of(ByteSpan{content.data(), content.size()}).high, 0x22580f74c62b2e00U);
}

TEST(SameBytes, ComparesToTheLastByte) {
  const std::vector<uint8_t> content = LongContent();
  std::vector<uint8_t> other = content;
  other.back() ^= 1;
  const Extent all{0, content.size()};
  EXPECT_TRUE(*SameBytes(*SourceOf(content), all, *SourceOf(content), all));
  EXPECT_FALSE(*SameBytes(*SourceOf(content), all, *SourceOf(other), all));
  EXPECT_TRUE(*SameBytes(*SourceOf(content), {0, all.size - 1}, *SourceOf(other), {0, all.size - 1}));
}

TEST(SameBytes, IsFalseForDifferentSizesWithoutReading) {
  EXPECT_FALSE(*SameBytes(*Broken(), {0, 3}, *Broken(), {0, 4}));
}

TEST(SameBytes, IsTrueForNothing) { EXPECT_TRUE(*SameBytes(*Broken(), {0, 0}, *Broken(), {5, 0})); }

TEST(SameBytes, TellsContentsApartThatXxh3CannotTell) {
  const auto [a, b] = test::CollidingContents();
  const Extent all{0, a.size()};
  EXPECT_EQ(*Xxh128Of(*SourceOf(a), all), *Xxh128Of(*SourceOf(b), all));
  EXPECT_FALSE(*SameBytes(*SourceOf(a), all, *SourceOf(b), all));
  EXPECT_NE(*Sha256Of(*SourceOf(a), all), *Sha256Of(*SourceOf(b), all));
}

TEST(Digest, PassesReadErrorsOn) {
  EXPECT_EQ(test::Words(Sha256Of(*Broken(), {0, 1})), "broken: gone");
  EXPECT_EQ(test::Words(Xxh128Of(*Broken(), {0, 1})), "broken: gone");
  EXPECT_EQ(test::Words(SameBytes(*Broken(), {0, 1}, *Abc(), {0, 1})), "broken: gone");
  EXPECT_EQ(test::Words(SameBytes(*Abc(), {0, 1}, *Broken(), {0, 1})), "broken: gone");
}

}  // namespace
}  // namespace pteedit::digest_test
