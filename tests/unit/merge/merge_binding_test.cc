// Programs that are bound to data files when they are merged.
#include <gtest/gtest.h>

#include "bindings.h"
#include "weights.h"

namespace pteedit::merge_binding_test {
namespace {

using namespace pteedit::test;

// A program that asks for names, with its data file.
MergeSet Separated(const std::string& name, uint32_t own) {
  const Container data =
      DataFileBuilder().Key("w", Weight(1), kLayout).Key("own." + name, Weight(own), kLayout).Open(name + ".ptd");
  return SetOf(ProgramBuilder().External("w", kLayout).External("own." + name, kLayout).Open(name + ".pte"), {data});
}
MergeSet Whole(const std::string& name, uint32_t seed) { return SetOf(ProgramWith(name + ".pte", {1, seed})); }
MergeSet Nameless(const std::string& name) { return SetOf(ProgramWith(name + ".pte", {5, 6})); }

MergeOptions Asked(Bind bind, VariantData variant_data = VariantData::kProgram) {
  MergeOptions options;
  options.bind = bind;
  options.variant_data = variant_data;
  return options;
}

void ExpectSameBytes(const MergeFiles& a, const MergeFiles& b) {
  for (size_t i = 0; i < a.sets.size(); ++i) {
    EXPECT_EQ(BytesOf(a.sets[i].program), BytesOf(b.sets[i].program));
    ASSERT_EQ(a.sets[i].data.size(), b.sets[i].data.size());
    for (size_t k = 0; k < a.sets[i].data.size(); ++k)
      EXPECT_EQ(BytesOf(a.sets[i].data[k]), BytesOf(b.sets[i].data[k]));
  }
}

TEST(MergeBinding, ProgramsThatAskForNamesAreBoundToTheSharedFile) {
  const auto merged = Merge({Separated("a", 2), Separated("b", 3)});
  ASSERT_TRUE(merged.shared);
  const Keys key{*BindingKeyOf(*merged.shared, 1)};
  EXPECT_EQ(BindingsOfData(*merged.shared), key);
  EXPECT_EQ(BindingsOfProgram(merged.sets[0].program), key);
  EXPECT_EQ(BindingsOfProgram(merged.sets[1].program), key);
  ASSERT_EQ(merged.result.report.bindings.size(), 2U);
  EXPECT_EQ(merged.result.report.bindings[1].program, "out/b.pte");
  EXPECT_EQ(merged.result.report.bindings[1].data, "shared.ptd");
}

TEST(MergeBinding, ProgramsWhoseKeysTellContentsAreNot) {
  const auto merged = Merge({Nameless("a"), Nameless("b")});
  ASSERT_TRUE(merged.shared);
  EXPECT_EQ(BindingsOfData(*merged.shared), Keys());
  EXPECT_EQ(BindingsOfProgram(merged.sets[0].program), Keys());
}

TEST(MergeBinding, OwnDataFilesAreBoundToAsWell) {
  const auto merged = Merge({Separated("a", 2), Separated("b", 3)}, Asked(Bind::kWhereNames, VariantData::kDataFile));
  ASSERT_EQ(merged.sets[0].data.size(), 2U);
  Keys keys{BindingsOfData(merged.sets[0].data[0])[0], BindingsOfData(merged.sets[0].data[1])[0]};
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(BindingsOfProgram(merged.sets[0].program), keys);
}

TEST(MergeBinding, MergingTheOutputsAgainChangesNothing) {
  for (const VariantData where : {VariantData::kProgram, VariantData::kDataFile}) {
    for (const Bind bind : {Bind::kWhereNames, Bind::kAlways}) {
      const auto merged = Merge({Separated("a", 2), Separated("b", 3), Whole("c", 4)}, Asked(bind, where));
      ExpectSameBytes(merged, Merge(merged.AsInputs(), Asked(bind, where)));
    }
  }
}

// It has the key once it is given the shared file.
TEST(MergeBinding, WhoMentionsASharedKeyThatItHasNotIsBoundToo) {
  const auto program = [](const std::string& name, bool has_key) {
    ProgramBuilder builder;
    builder.Method("forward").Delegate("Backend", TextBytes("blob key")).Operator("acme::op", "out");
    if (has_key) builder.NamedData("key", Weight(1));
    return SetOf(builder.Open(name));
  };
  const auto merged = Merge({program("a.pte", true), program("b.pte", true), program("c.pte", false)});
  EXPECT_EQ(BindingsOfProgram(merged.sets[2].program), BindingsOfData(*merged.shared));
  EXPECT_EQ(merged.result.report.items.size(), 2U);  // what a later round finds in its place has not moved
  EXPECT_EQ(merged.result.report.notes.size(), 3U);  // an operator of each
  ExpectSameBytes(merged, Merge(merged.AsInputs()));
}

TEST(MergeBinding, WhatBoundIsTakenOutWhereItIsAskedFor) {
  const std::vector<MergeSet> sets{Separated("a", 2), Separated("b", 3)};
  const auto bound = Merge(sets, Asked(Bind::kAlways)), unbound = Merge(bound.AsInputs(), Asked(Bind::kNever));
  EXPECT_EQ(BindingsOfProgram(unbound.sets[0].program), Keys());
  EXPECT_EQ(BindingsOfData(*unbound.shared), Keys());
  EXPECT_EQ(BytesOf(unbound.sets[0].program), BytesOf(Merge(sets, Asked(Bind::kNever)).sets[0].program));
}

// Its base has grown since: the program is bound to the new one.
TEST(MergeBinding, ABaseThatIsMergedAnewIsBoundToAnew) {
  const auto merged = Merge({Separated("a", 2), Separated("b", 3)});
  std::vector<MergeSet> sets = merged.AsInputs();
  sets.push_back(Nameless("c")), sets.push_back(Nameless("d"));
  const auto grown = Merge(sets);
  EXPECT_NE(BindingsOfData(*grown.shared), BindingsOfData(*merged.shared));
  EXPECT_EQ(BindingsOfProgram(grown.sets[0].program), BindingsOfData(*grown.shared));
  EXPECT_EQ(BindingsOfProgram(grown.sets[2].program), Keys());
}

TEST(MergeBinding, WhoHasASharedFileWithAnEntryKeepsIt) {
  const auto bound = Merge({Nameless("a"), Nameless("b")}, Asked(Bind::kAlways));
  const auto merged = Merge(bound.AsInputs());
  EXPECT_EQ(BytesOf(*merged.shared), BytesOf(*bound.shared));
  EXPECT_EQ(BindingsOfProgram(merged.sets[0].program), Keys());
}

TEST(MergeBinding, ABaseIsBoundToWhereItCanBe) {
  const auto merged = Merge({Separated("a", 2), Separated("b", 3)});
  MergeOptions options;
  options.bases = {*merged.shared};
  const auto grown = Merge({Separated("c", 4)}, options);
  EXPECT_EQ(BindingsOfProgram(grown.sets[0].program), BindingsOfData(*merged.shared));
  const auto again = Merge(grown.AsInputs(), options);
  EXPECT_EQ(BytesOf(again.sets[0].program), BytesOf(grown.sets[0].program));
}

TEST(MergeBinding, ABaseThatCannotBeIsNotedOrRefused) {
  MergeOptions options;
  options.bases = {DataFileBuilder().Key("w", Weight(1), kLayout).Open("base.ptd")};
  const auto merged = Merge({Separated("a", 2), Separated("b", 3)}, options);
  EXPECT_EQ(BindingsOfProgram(merged.sets[0].program), Keys());
  EXPECT_EQ(merged.result.report.notes.size(), 1U);
  options.bind = Bind::kAlways;
  const auto refused = MergePrograms({Separated("a", 2)}, options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().file, "base.ptd");
  EXPECT_EQ(refused.error().message, "has no key to which programs can be bound, and stays as it is");
}

// No tool of ours writes that.
TEST(MergeBinding, AProgramThatUsesWhatOnlyBindsIsUnsupported) {
  const std::string key = "pteedit.base/" + std::string(40, '0');
  const Container data = DataFileBuilder().Key(key, {}, BindingLayout()).Key("w", Weight(1), kLayout).Open("d.ptd");
  ProgramBuilder program;
  program.External("w", kLayout).External(key, BindingLayout());
  program.LastPlan().outputs = Ints({1});
  const auto refused = MergePrograms({SetOf(program.Open("a.pte"), {data})}, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(refused.error().message, "uses key '" + key + "', which should only bind it");
}

TEST(MergeBinding, AProgramWithAnotherBaseIsRefused) {
  const auto merged = Merge({Separated("a", 2), Separated("b", 3)});
  std::vector<MergeSet> sets = merged.AsInputs();
  const Container plain = DataFileBuilder().Key("w", Weight(1), kLayout).Open("plain.ptd");
  sets[0].files = {sets[0].files.file(), {plain}};
  const auto refused = MergePrograms(sets, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(refused.error().message,
            "is bound to data file '" + BindingsOfData(*merged.shared)[0] + "', but plain.ptd has none");
}

TEST(MergeBinding, AShardHasRoomForWhatBinds) {
  const std::vector<MergeSet> sets{SetOf(ProgramWith("a.pte", {1, 2})), SetOf(ProgramWith("b.pte", {1, 2}))};
  MergeOptions options = Asked(Bind::kNever);
  options.max_shard_bytes = Merge(sets, options).shared->source()->size();
  EXPECT_EQ(Merge(sets, options).shards.size(), 1U);
  options.bind = Bind::kAlways;
  const auto bound = Merge(sets, options);
  EXPECT_EQ(bound.shards.size(), 2U);
  for (const Container& shard : bound.shards) {
    EXPECT_EQ(BindingsOfData(shard).size(), 1U);
    EXPECT_LE(shard.source()->size(), *options.max_shard_bytes);
  }
}

}  // namespace
}  // namespace pteedit::merge_binding_test
