#include "program/key_search.h"

#include <gtest/gtest.h>

#include <random>

#include "file_contents.h"
#include "io/streaming.h"
#include "program/listing_size.h"
#include "program_builder.h"

namespace pteedit::key_search_test {
namespace {

using test::ProgramBuilder;
using test::TextBytes;
using Indices = std::vector<size_t>;

Indices Find(const std::vector<std::string_view>& keys, std::string_view text) {
  const std::vector<uint8_t> bytes = TextBytes(text);
  return KeySearch(keys).FindInAny({{bytes.data(), bytes.size()}});
}

TEST(KeySearch, FindsKeysAnywhere) {
  EXPECT_EQ(Find({"front", "middle", "end", "missing"}, "front..middle..end"), (Indices{0, 1, 2}));
  EXPECT_EQ(Find({"whole"}, "whole"), (Indices{0}));
  EXPECT_EQ(Find({"longer than the text"}, "text"), Indices());
}

TEST(KeySearch, FindsKeysThatBeginWithOneAnother) {
  const std::vector<std::string_view> keys{"layer.1", "layer.10", "layer", "layer.100", "layer.2"};
  EXPECT_EQ(Find(keys, "xlayer.10x"), (Indices{0, 1, 2}));
  EXPECT_EQ(Find(keys, "layer.100"), (Indices{0, 1, 2, 3}));
  EXPECT_EQ(Find(keys, "layer.3"), (Indices{2}));
}

TEST(KeySearch, FindsAllOfManyKeysThatBeginWithOneAnother) {
  const std::string letters(1000, 'a');
  std::vector<std::string_view> keys;
  for (size_t size = 1; size <= letters.size(); ++size) keys.push_back(std::string_view(letters).substr(0, size));
  for (const size_t run : {1U, 2U, 3U, 63U, 64U, 65U, 999U, 1000U}) {
    const Indices found = Find(keys, "b" + std::string(run, 'a') + "b");
    EXPECT_EQ(found.size(), run);
    EXPECT_EQ(found.back(), run - 1);
  }
}

TEST(KeySearch, FindsKeysThatOverlap) {
  EXPECT_EQ(Find({"abab", "bab", "babx"}, "zababx"), (Indices{0, 1, 2}));
  EXPECT_EQ(Find({"aab"}, "aaab"), (Indices{0}));
}

TEST(KeySearch, FindsKeysOfOneByte) {
  EXPECT_EQ(Find({"a", "b"}, "xxa"), (Indices{0}));
  EXPECT_EQ(Find({"a", "b"}, "bx"), (Indices{1}));
}

TEST(KeySearch, FindsEachOfEqualKeys) { EXPECT_EQ(Find({"k1", "other", "k1"}, "..k1.."), (Indices{0, 2})); }

TEST(KeySearch, FindsBytesThatAreNoText) {
  const std::vector<uint8_t> bytes{0, 1, 0xff, 0, 0, 7};
  EXPECT_EQ(KeySearch({std::string_view("\xff\0\0", 3), std::string_view("\0\0\0", 3)})
                .FindInAny({{bytes.data(), bytes.size()}}),
            (Indices{0}));
}

TEST(KeySearch, NeverFindsEmptyKeys) {
  EXPECT_EQ(Find({""}, "text"), Indices());
  EXPECT_EQ(Find({"", "text"}, "text"), (Indices{1}));
  EXPECT_EQ(Find({}, "text"), Indices());
  EXPECT_EQ(Find({"text"}, ""), Indices());
}

TEST(KeySearch, NeverFindsKeysThatNoBackendWrites) {
  const std::string longest(1024, 'k'), longer(1025, 'k');
  EXPECT_EQ(Find({longest, longer}, longer), (Indices{0}));
}

TEST(KeySearch, FindsKeysAcrossThePiecesOfASource) {
  for (const size_t begin :
       {kStreamPieceBytes - 6, kStreamPieceBytes - 1, kStreamPieceBytes, 2 * kStreamPieceBytes - 3}) {
    std::vector<uint8_t> bytes(2 * kStreamPieceBytes + 10);
    const std::string_view key = "a.key";
    std::copy(key.begin(), key.end(), bytes.begin() + static_cast<std::ptrdiff_t>(begin));
    const uint64_t size = bytes.size();
    const auto source = MakeMemorySource("s", std::move(bytes));
    EXPECT_EQ(*KeySearch({key, "another.longer.key"}).FindIn(*source, {0, size}), (Indices{0})) << begin;
    EXPECT_EQ(*KeySearch({key}).FindIn(*source, {begin + 1, size - begin - 1}), Indices()) << begin;
  }
}

TEST(KeySearch, AgreesWithAPlainSearch) {
  std::mt19937 random(1);
  const auto text_of = [&](size_t size) {
    std::string text(size, 'a');
    for (char& c : text) c = static_cast<char>('a' + random() % 3);
    return text;
  };
  for (int round = 0; round < 200; ++round) {
    std::vector<std::string> keys(20);
    for (std::string& key : keys) key = text_of(random() % 7);
    const std::string text = text_of(40);
    Indices expected;
    for (size_t i = 0; i < keys.size(); ++i) {
      if (!keys[i].empty() && text.find(keys[i]) != std::string::npos) expected.push_back(i);
    }
    EXPECT_EQ(Find({keys.begin(), keys.end()}, text), expected) << text;
  }
}

TEST(KeySearch, PassesReadErrorsOn) {
  const auto broken =
      MakeCallbackSource("in.pte", 9, [](uint64_t, MutableByteSpan) -> Status { return IoError("gone"); });
  EXPECT_EQ(test::Words(KeySearch({"k"}).FindIn(*broken, {0, 9})), "in.pte: gone");
  EXPECT_TRUE(KeySearch({}).FindIn(*broken, {0, 9}));
}

TEST(KeysOfDelegates, AreSoughtInBlobsAndCompileSpecs) {
  ProgramBuilder program;
  program.Method("decode").Delegate("A", TextBytes("needs k1")).Delegate("B", TextBytes("needs nothing"));
  program.LastPlan().delegates.items[1].compile_specs = {
      true, {{tables::OwnText("k3"), test::Bytes(TextBytes("needs k2"))}, {tables::OwnText("absent"), {}}}};
  program.Method("prefill").Delegate("A", TextBytes("k2 and k1"));
  program.Method("without");
  const auto found = KeysOfDelegates(program.Open(), {"k1", "k2", "k3"});
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, (std::vector<std::vector<Indices>>{{{0}, {1}}, {{0, 1}}, {}}));
}

TEST(KeysOfDelegates, AreSoughtInInlineBlobs) {
  ProgramBuilder program;
  program.Method("forward").Delegate("A", {});
  program.tables.backend_delegate_data = {true, {{}, {{tables::Blob{test::Bytes(TextBytes("needs k1")), 16}}}}};
  program.LastPlan().delegates.items[0].processed = tables::BackendDelegateDataReference{0, 1};
  program.LastPlan().delegates.items.push_back({tables::OwnText("B"), tables::BackendDelegateDataReference{0, 0}, {}});
  EXPECT_EQ(*KeysOfDelegates(program.Open(), {"k1", "k2"}), (std::vector<std::vector<Indices>>{{{0}, {}}}));
}

TEST(KeysOfDelegates, MustNotBeMentionedWithoutEnd) {
  ProgramBuilder program;
  program.Method("forward").Delegate("A", TextBytes("ab"));
  const tables::BackendDelegate delegate = program.LastPlan().delegates.items[0];
  program.LastPlan().delegates.items.resize(2000, delegate);
  const std::vector<std::string_view> keys(600, "ab");
  const Container file = program.Open("m.pte");
  EXPECT_EQ(test::Words(KeysOfDelegates(file, keys)),
            "m.pte: listing keys that delegates mention would take more than " +
                std::to_string(MostListedBytes(file) + 600 * (64 + 2)) + " bytes (ParseLimits::max_listing_factor)");
}

// As where all keys went to a data file: their number does not count, only how often they are mentioned.
TEST(KeysOfDelegates, MayAllBeMentionedOnce) {
  const std::vector<std::string_view> keys(100'000, "ab");
  ProgramBuilder program;
  program.Method("forward").Delegate("A", TextBytes("ab"));
  const Container file = program.Open("m.pte");
  ASSERT_LT(MostListedBytes(file), keys.size() * (64 + 2));
  EXPECT_EQ(KeysOfDelegates(file, keys)->at(0).at(0).size(), keys.size());
}

}  // namespace
}  // namespace pteedit::key_search_test
