// Merging a family again after a release of it: what stays where it was, and what goes to everybody.
#include <gtest/gtest.h>

#include "pteedit/shards.h"
#include "weights.h"

namespace pteedit::previous_test {
namespace {

using namespace pteedit::test;

MergeSet With(const std::string& name, const std::vector<uint32_t>& seeds) { return SetOf(ProgramWith(name, seeds)); }

MergeOptions After(const MergeFiles& merged, MergeOptions options = {}) {
  options.previous.emplace();
  options.previous->shared = merged.shards;
  for (size_t i = 0; i < merged.sets.size(); ++i) {
    std::vector<Container> own;
    if (merged.result.programs[i].data) own.push_back(merged.sets[i].data.back());
    options.previous->variants.emplace_back(merged.sets[i].program, own);
  }
  return options;
}

std::vector<std::string> Sorted(std::vector<std::string> keys) {
  std::sort(keys.begin(), keys.end());
  return keys;
}

std::vector<std::string> KeysOfSeeds(const std::vector<uint32_t>& seeds) {
  std::vector<std::string> keys;
  for (const uint32_t seed : seeds) keys.push_back(KeyOf(seed));
  return Sorted(keys);
}

uint64_t PlaceOf(const Container& file, uint32_t seed) { return FindKey(file, KeyOf(seed))->extent.offset; }

std::string ReasonFor(const MergeFiles& merged, uint64_t bytes) {
  for (const SkippedItem& item : merged.result.report.skipped) {
    if (item.bytes == bytes) return item.reason;
  }
  return "not skipped";
}

// A data file is shared whole where it holds what is shared and nothing else.
TEST(MergeAfter, ASegmentWithoutAKeyIsNotShared) {
  DataFileBuilder builder;
  builder.Key("w", Weight(1), kLayout).segments.Add({1, 2, 3});
  const Container data = builder.Open("w.ptd");
  const auto set = [&](const std::string& name) {
    return SetOf(ProgramBuilder().External("w", kLayout).Open(name), {data});
  };
  MergeOptions options;
  options.bind = Bind::kAlways;
  const std::vector<MergeSet> sets{set("a.pte"), set("b.pte")};
  const auto before = Merge(sets, options), now = Merge(sets, After(before, options));
  EXPECT_EQ(before.shared->segments().size(), before.shared->named_data().size());
  EXPECT_EQ(BytesOf(*now.shared), BytesOf(*before.shared));
}

// As where a fuzzer found that only the shorter of two stayed that begin together.
TEST(MergeAfter, WhatLiesInAnotherStaysThere) {
  const std::vector<uint8_t> all = Weight(1);
  for (const uint64_t offset : {uint64_t{0}, uint64_t{64}}) {
    DataFileBuilder builder;
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(offset);
    const TensorLayout part_layout = Floats({16});
    builder.Key("all", all, kLayout).Key("part", std::vector<uint8_t>(begin, begin + 64), part_layout);
    builder.Key("empty", {}, Floats({0}));
    tables::FlatTensor tables = builder.tables;
    std::vector<uint8_t> bytes;
    builder.segments.LayOut(tables.segments, bytes);
    tables.segments.items[1].offset = tables.segments.items[0].offset + offset;
    tables.segments.items[2].offset = tables.segments.items[0].offset;
    const Container data =
        *OpenBytes(WithHeader(*PackFlatTensor(tables, kDataHeaderLength), bytes,
                              kExtendedHeaderOffset + kDataHeaderLength, DataHeaderBytes, builder.segments.alignment));
    const auto set = [&](const std::string& name, bool has_more) {
      ProgramBuilder program;
      program.External("all", kLayout).External("part", part_layout).External("empty", Floats({0}));
      if (has_more) program.Constant(kLayout, Weight(2));
      return SetOf(program.Open(name), {data});
    };
    const std::vector<MergeSet> sets{set("a.pte", false), set("b.pte", false)};
    const auto before = Merge(sets), now = Merge(sets, After(before));
    EXPECT_EQ(BytesOf(*now.shared), BytesOf(*before.shared)) << offset;
    EXPECT_EQ(now.result.kept.new_entries, 0U) << offset;
    MergeOptions options = After(before);
    options.previous->shared = {data};  // where what is empty lies in the others, too
    const auto more = Merge({set("a.pte", true), set("b.pte", true)}, options);
    EXPECT_EQ(more.result.kept.new_entries, 1U) << offset;
    const auto place_of = [](const MergeFiles& merged, const char* key) {
      return FindKey(*merged.shared, key)->extent.offset - FindKey(*merged.shared, "all")->extent.offset;
    };
    EXPECT_EQ(place_of(before, "part"), offset);
    EXPECT_EQ(place_of(more, "part"), offset);
    const auto again = Merge({set("a.pte", true), set("b.pte", true)}, After(more));
    EXPECT_EQ(BytesOf(*again.shared), BytesOf(*more.shared)) << offset;
  }
}

// As where a property found that later rounds of a merge, which see other alignments, kept more than the first.
TEST(MergeAfter, TheSameSetsGiveTheSameFilesWhereOneOfThemIsRounder) {
  const std::vector<std::vector<uint8_t>> weights{Pattern(156, 1), Pattern(156, 2), Pattern(184, 3)};
  const auto set = [&](const std::string& name, uint64_t alignment, uint32_t changed) {
    DataFileBuilder data;
    ProgramBuilder program;
    data.segments.alignment = alignment;
    for (size_t i = 0; i < weights.size(); ++i) {
      const TensorLayout layout = Floats({static_cast<int32_t>(weights[i].size() / 4)});
      const std::string key = "w" + std::to_string(i);
      data.Key(key, changed != 0 && i == 0 ? Pattern(weights[i].size(), changed) : weights[i], layout);
      program.External(key, layout);
    }
    if (changed != 0) program.Constant(kLayout, Weight(7));
    return SetOf(program.Open(name), {data.Open("data.ptd")});
  };
  MergeOptions options;
  options.min_bytes = 0;
  const MergeSet a = set("a.pte", 64, 0), rounder = set("b.pte", 256, 4);
  const MergeFiles before = Merge({a, a}, options), now = Merge({a, a, rounder}, After(before, options)),
                   again = Merge({a, a, rounder}, After(now, options));
  EXPECT_EQ(BytesOf(*again.shared), BytesOf(*now.shared));
}

TEST(MergeAfter, WhatIsStillSharedStaysInItsOrderAndPlaceAndNewComesBehind) {
  const auto before = Merge({With("a.pte", {1, 2, 3}), With("b.pte", {1, 2, 3})});
  const auto now = Merge({With("a.pte", {4, 3, 1}), With("b.pte", {1, 3, 4})}, After(before));
  const Container &old_file = *before.shared, &file = *now.shared;
  std::vector<std::string> expected = KeysOf(old_file);
  expected.erase(std::find(expected.begin(), expected.end(), KeyOf(2)));
  expected.push_back(KeyOf(4));
  EXPECT_EQ(KeysOf(file), expected);
  for (const uint32_t seed : {1U, 3U}) EXPECT_EQ(PlaceOf(file, seed), PlaceOf(old_file, seed));
  EXPECT_GE(PlaceOf(file, 4), old_file.source()->size());
  EXPECT_EQ(now.result.kept.entries, 3U);
  EXPECT_EQ(now.result.kept.kept_entries, 2U);
  EXPECT_EQ(now.result.kept.kept_bytes, 2048U);
  EXPECT_EQ(now.result.kept.new_entries, 1U);
  EXPECT_EQ(now.result.kept.new_bytes, 1024U);
  EXPECT_EQ(now.result.kept.cost_bytes, 1024U) << "the place of what went";
}

TEST(MergeAfter, ARounderCopyMakesWhatIsFirstRounder) {
  const auto set = [](const std::string& name, uint64_t alignment) {
    DataFileBuilder data;
    data.segments.alignment = alignment;
    return SetOf(ProgramBuilder().External("w", kLayout).Open(name), {data.Key("w", Weight(1), kLayout).Open("w.ptd")});
  };
  const auto before = Merge({set("a.pte", 16), set("b.pte", 16)});
  const auto now = Merge({set("a.pte", 4096), set("b.pte", 16)}, After(before));
  EXPECT_NE(FindKey(*before.shared, "w")->extent.offset % 4096, 0U);
  EXPECT_EQ(FindKey(*now.shared, "w")->extent.offset % 4096, 0U);
}

TEST(MergeAfter, WhereNothingWasSharedWhatIsNewInAllIs) {
  const std::vector<MergeSet> sets{With("a.pte", {1}), With("b.pte", {2})};
  const auto before = Merge(sets), again = Merge(sets, After(before));
  EXPECT_TRUE(before.shards.empty() && again.shards.empty());
  const auto now = Merge({With("a.pte", {1, 3}), With("b.pte", {2, 3})}, After(before));
  EXPECT_EQ(SharedKeys(now), KeysOfSeeds({3}));
  EXPECT_EQ(now.result.kept.entries, 0U);
  EXPECT_EQ(now.result.kept.new_entries, 1U);
}

TEST(MergeAfter, OneUserIsEnoughForWhatWasShared) {
  const auto before = Merge({With("a.pte", {1, 2}), With("b.pte", {1, 2})});
  const auto now = Merge({With("a.pte", {1, 5}), With("b.pte", {2, 6})}, After(before));
  EXPECT_EQ(Sorted(SharedKeys(now)), KeysOfSeeds({1, 2}));
  EXPECT_EQ(BytesOf(*now.shared), BytesOf(*before.shared));
  EXPECT_EQ(now.result.kept.cost_bytes, 0U);
}

TEST(MergeAfter, AProgramAloneRefersToWhatWasShared) {
  const auto before = Merge({With("a.pte", {1, 2}), With("b.pte", {1, 2})});
  const auto now = Merge({With("c.pte", {1, 7})}, After(before));
  EXPECT_EQ(SharedKeys(now), KeysOfSeeds({1}));
  EXPECT_EQ(ReasonFor(now, 1024), "in no other program");
}

TEST(MergeAfter, TheSameSetsGiveTheSameFiles) {
  const std::vector<MergeSet> sets{With("a.pte", {3, 4, 7}), With("b.pte", {3, 4}), With("c.pte", {4, 1})};
  const auto first = Merge({With("a.pte", {1, 2, 3}), With("b.pte", {1, 2, 3})});
  const auto second = Merge(sets, After(first)), third = Merge(sets, After(second));
  EXPECT_GT(second.result.kept.cost_bytes, 0U);
  EXPECT_EQ(BytesOf(*third.shared), BytesOf(*second.shared));
  for (size_t i = 0; i < sets.size(); ++i)
    EXPECT_EQ(BytesOf(third.sets[i].program), BytesOf(second.sets[i].program)) << i;
}

TEST(MergeAfter, WhatOnlyVariantsHadStaysWithThem) {
  const auto before = Merge({With("base.pte", {1, 2}), With("v0.pte", {1, 2, 7})});
  const auto now =
      Merge({With("base.pte", {1, 2}), With("v0.pte", {1, 2, 7}), With("hotfix.pte", {1, 2, 7, 8})}, After(before));
  EXPECT_EQ(BytesOf(*now.shared), BytesOf(*before.shared));
  EXPECT_EQ(BytesOf(now.sets[1].program), BytesOf(before.sets[1].program));
  EXPECT_EQ(ReasonFor(now, 1024), "in variants only, as in the release before");
}

TEST(MergeAfter, WhatIsNewOnlyInAVariantAndItsHotfixStaysWithThem) {
  const auto before = Merge({With("base.pte", {1, 2}), With("v0.pte", {1, 2, 7}), With("v1.pte", {1, 2, 8})});
  const auto now = Merge({With("base.pte", {1, 2, 10}), With("v0.pte", {1, 2, 7, 9, 10}),
                          With("hotfix.pte", {1, 2, 7, 9}), With("v1.pte", {1, 2, 8, 11}), With("v2.pte", {1, 11})},
                         After(before));
  EXPECT_EQ(Sorted(SharedKeys(now)), KeysOfSeeds({1, 2, 10, 11}));
  const auto anew = Merge({With("v0.pte", {1, 2, 7, 9}), With("hotfix.pte", {1, 2, 7, 9})});
  EXPECT_EQ(Sorted(SharedKeys(anew)), KeysOfSeeds({1, 2, 7, 9})) << "nothing was released before";
}

TEST(MergeAfter, LongerTablesMoveTheSegmentsByWholePages) {
  const auto before = Merge({With("a.pte", {1, 2}), With("b.pte", {1, 2})});
  std::vector<uint32_t> seeds{1, 2};
  for (uint32_t seed = 10; seed < 40; ++seed) seeds.push_back(seed);
  const auto now = Merge({With("a.pte", seeds), With("b.pte", seeds)}, After(before));
  const uint64_t moved = PlaceOf(*now.shared, 1) - PlaceOf(*before.shared, 1);
  EXPECT_GT(moved, 0U);
  EXPECT_EQ(moved % 4096, 0U);
  EXPECT_EQ(PlaceOf(*now.shared, 2) - PlaceOf(*before.shared, 2), moved);
}

TEST(MergeAfter, OtherContentUnderAKeyIsNew) {
  const auto set = [](const char* name, uint32_t seed) {
    ProgramBuilder builder;
    builder.External("w", kLayout).External("x", kLayout);
    const std::string data = std::string(name) + ".ptd";
    return SetOf(builder.Open(name),
                 {DataFileBuilder().Key("w", Weight(seed), kLayout).Key("x", Weight(2), kLayout).Open(data)});
  };
  const auto before = Merge({set("a.pte", 1), set("b.pte", 1)});
  const auto now = Merge({set("a.pte", 3), set("b.pte", 3)}, After(before));
  const auto place = [](const Container& file) {
    return FindKey(file, "x")->extent.offset - file.header().segment_base_offset;
  };
  EXPECT_EQ(place(*now.shared), place(*before.shared));
  EXPECT_EQ((now.shared->header().segment_base_offset - before.shared->header().segment_base_offset) % 4096, 0U);
  EXPECT_EQ(now.result.kept.kept_entries, 1U);
  EXPECT_EQ(now.result.kept.new_entries, 1U);
}

TEST(MergeAfter, DamagedBytesAreNotKept) {
  const auto before = Merge({With("a.pte", {1, 2}), With("b.pte", {1, 2})});
  std::vector<uint8_t> bytes = BytesOf(*before.shared);
  bytes[PlaceOf(*before.shared, 1)] ^= 1;
  MergeOptions options = After(before);
  options.previous->shared = {*Container::Open(MakeMemorySource("shared.ptd", bytes))};
  const auto now = Merge({With("a.pte", {1, 2}), With("b.pte", {1, 2})}, options);
  EXPECT_EQ(now.result.kept.kept_entries, 1U);
  EXPECT_EQ(PlaceOf(*now.shared, 2), PlaceOf(*before.shared, 2));
}

TEST(MergeAfter, APlaceThatIsNotRoundEnoughIsGivenUp) {
  const auto before = Merge({With("a.pte", {1, 2}), With("b.pte", {1, 2})});
  MergeOptions options = After(before);
  options.min_alignment = 4096;
  const auto now = Merge({With("a.pte", {1, 2}), With("b.pte", {1, 2})}, options);
  for (const uint32_t seed : {1U, 2U}) EXPECT_EQ(PlaceOf(*now.shared, seed) % 4096, 0U);
}

TEST(MergeAfter, AProgramIsNoSharedFile) {
  MergeOptions options;
  options.previous.emplace();
  options.previous->shared.push_back(With("a.pte", {1}).files.file());
  const auto refused = MergePrograms({With("a.pte", {1}), With("b.pte", {1})}, options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
}

TEST(Shards, HoldTheSharedContentsWithoutBeingTooLarge) {
  const std::vector<uint32_t> seeds{1, 2, 3, 4, 5};
  MergeOptions options;
  options.max_shard_bytes = 3000;
  const auto cut = Merge({With("a.pte", seeds), With("b.pte", seeds), With("c.pte", {1, 9})}, options);
  EXPECT_EQ(Sorted(SharedKeys(cut)), KeysOfSeeds(seeds));
  ASSERT_EQ(cut.shards.size(), 3U);
  for (const Container& shard : cut.shards) EXPECT_LE(shard.source()->size(), 3000U);
  EXPECT_EQ(cut.result.programs[0].shared, (std::set<size_t>{0, 1, 2}));
  EXPECT_EQ(cut.result.programs[2].shared.size(), 1U) << "a program is loaded with those that it needs";
  EXPECT_EQ(cut.result.report.data_files, 3U);
}

TEST(Shards, AnEntryThatFitsExactlyIsWhole) {
  const std::vector<MergeSet> sets{With("a.pte", {1}), With("b.pte", {1})};
  const uint64_t size = Merge(sets).shared->source()->size();
  MergeOptions options;
  options.max_shard_bytes = size;
  EXPECT_EQ(Merge(sets, options).shards.size(), 1U);
  options.max_shard_bytes = size - 1;
  const auto refused = MergePrograms(sets, options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(refused.error().message, "key '" + KeyOf(1) + "' takes " + std::to_string(size) +
                                         " bytes in a file of its own, more than the " + std::to_string(size - 1) +
                                         " that one may have");
}

TEST(Shards, KeepTheirPlacesAndGrowAtTheEnd) {
  MergeOptions options;
  options.max_shard_bytes = 3000;
  const auto before = Merge({With("a.pte", {1, 2, 3}), With("b.pte", {1, 2, 3})}, options);
  ASSERT_EQ(before.shards.size(), 2U);
  const std::vector<MergeSet> sets{With("a.pte", {1, 2, 3, 4, 5}), With("b.pte", {5, 4, 3, 2, 1})};
  const auto now = Merge(sets, After(before, options));
  ASSERT_EQ(now.shards.size(), 3U);
  EXPECT_EQ(BytesOf(now.shards[0]), BytesOf(before.shards[0]));
  EXPECT_EQ(now.result.kept.kept_entries, 3U);
  const auto again = Merge(sets, After(now, options));
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(BytesOf(again.shards[i]), BytesOf(now.shards[i])) << i;
}

TEST(ShardName, HasTheNumberBeforeTheExtension) {
  EXPECT_EQ(ShardName("out/shared.ptd", 0, 3), "out/shared-00001-of-00003.ptd");
  EXPECT_EQ(ShardName("v1.5/shared", 2, 3), "v1.5/shared-00003-of-00003");
  EXPECT_EQ(ShardName("shared.ptd", 0, 1), "shared.ptd");
}

TEST(FindShard, FindsWhatShardNameGivesAndNothingElse) {
  for (const char* name : {"out/shared.ptd", "v1.5/shared", "a-00001-of-00002.ptd"}) {
    const std::optional<ShardOf> shard = FindShard(ShardName(name, 2, 123456));
    ASSERT_TRUE(shard) << name;
    EXPECT_EQ(shard->name, name);
    EXPECT_EQ(shard->index, 2U);
    EXPECT_EQ(shard->count, 123456U);
  }
  for (const char* name : {"shared.ptd", "s-00000-of-00002.ptd", "s-00003-of-00002.ptd", "s-1-of-2.ptd", "5.ptd",
                           "s-00001-of-00001.ptd", "s-00001-of-99999999999999999999999.ptd"})
    EXPECT_FALSE(FindShard(name)) << name;
}

}  // namespace
}  // namespace pteedit::previous_test
