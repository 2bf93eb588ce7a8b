// Programs that are bound to data files when they are merged.
#include <gtest/gtest.h>

#include "merge_files.h"
#include "program/binding_key.h"
#include "program_builder.h"

namespace pteedit {
namespace {

using namespace pteedit::test;

using Keys = std::vector<std::string>;

const TensorLayout kMatrix = Floats({256});
std::vector<uint8_t> Numbers(uint32_t seed) { return Pattern(1024, seed); }

// A program that asks for names, with its data file.
MergeSet Separated(const std::string& name, uint32_t own) {
  const Container data =
      DataFileBuilder().Key("w", Numbers(1), kMatrix).Key("own." + name, Numbers(own), kMatrix).Open(name + ".ptd");
  return SetOf(ProgramBuilder().External("w", kMatrix).External("own." + name, kMatrix).Open(name + ".pte"), {data});
}
MergeSet Whole(const std::string& name, uint32_t seed) {
  return SetOf(ProgramBuilder().Constant(kMatrix, Numbers(1)).Constant(kMatrix, Numbers(seed)).Open(name + ".pte"));
}
MergeSet Nameless(const std::string& name) {
  return SetOf(ProgramBuilder().Constant(kMatrix, Numbers(5)).Constant(kMatrix, Numbers(6)).Open(name + ".pte"));
}

Keys BoundTo(const Container& program) {
  const std::vector<std::string_view> keys = BindingsOf(program.state().program_root());
  return {keys.begin(), keys.end()};
}
Keys Entries(const Container& data) {
  const std::vector<std::string_view> keys = BindingsIn(data);
  return {keys.begin(), keys.end()};
}

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
  EXPECT_EQ(Entries(*merged.shared), key);
  EXPECT_EQ(BoundTo(merged.sets[0].program), key);
  EXPECT_EQ(BoundTo(merged.sets[1].program), key);
  ASSERT_EQ(merged.result.report.bindings.size(), 2U);
  EXPECT_EQ(merged.result.report.bindings[1].program, "out/b.pte");
  EXPECT_EQ(merged.result.report.bindings[1].data, "shared.ptd");
}

TEST(MergeBinding, ProgramsWhoseKeysTellContentsAreNot) {
  const auto merged = Merge({Nameless("a"), Nameless("b")});
  ASSERT_TRUE(merged.shared);
  EXPECT_EQ(Entries(*merged.shared), Keys());
  EXPECT_EQ(BoundTo(merged.sets[0].program), Keys());
}

TEST(MergeBinding, OwnDataFilesAreBoundToAsWell) {
  const auto merged = Merge({Separated("a", 2), Separated("b", 3)}, Asked(Bind::kWhereNames, VariantData::kDataFile));
  ASSERT_EQ(merged.sets[0].data.size(), 2U);
  Keys keys{Entries(merged.sets[0].data[0])[0], Entries(merged.sets[0].data[1])[0]};
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(BoundTo(merged.sets[0].program), keys);
}

TEST(MergeBinding, MergingTheOutputsAgainChangesNothing) {
  for (const VariantData where : {VariantData::kProgram, VariantData::kDataFile}) {
    for (const Bind bind : {Bind::kWhereNames, Bind::kAlways}) {
      const auto merged = Merge({Separated("a", 2), Separated("b", 3), Whole("c", 4)}, Asked(bind, where));
      ExpectSameBytes(merged, Merge(merged.AsInputs(), Asked(bind, where)));
    }
  }
}

TEST(MergeBinding, WhatBoundIsTakenOutWhereItIsAskedFor) {
  const std::vector<MergeSet> sets{Separated("a", 2), Separated("b", 3)};
  const auto bound = Merge(sets, Asked(Bind::kAlways)), unbound = Merge(bound.AsInputs(), Asked(Bind::kNever));
  EXPECT_EQ(BoundTo(unbound.sets[0].program), Keys());
  EXPECT_EQ(Entries(*unbound.shared), Keys());
  EXPECT_EQ(BytesOf(unbound.sets[0].program), BytesOf(Merge(sets, Asked(Bind::kNever)).sets[0].program));
}

// Its base has grown since: the program is bound to the new one.
TEST(MergeBinding, ABaseThatIsMergedAnewIsBoundToAnew) {
  const auto merged = Merge({Separated("a", 2), Separated("b", 3)});
  std::vector<MergeSet> sets = merged.AsInputs();
  sets.push_back(Nameless("c")), sets.push_back(Nameless("d"));
  const auto grown = Merge(sets);
  EXPECT_NE(Entries(*grown.shared), Entries(*merged.shared));
  EXPECT_EQ(BoundTo(grown.sets[0].program), Entries(*grown.shared));
  EXPECT_EQ(BoundTo(grown.sets[2].program), Keys());
}

TEST(MergeBinding, WhoHasASharedFileWithAnEntryKeepsIt) {
  const auto bound = Merge({Nameless("a"), Nameless("b")}, Asked(Bind::kAlways));
  const auto merged = Merge(bound.AsInputs());
  EXPECT_EQ(BytesOf(*merged.shared), BytesOf(*bound.shared));
  EXPECT_EQ(BoundTo(merged.sets[0].program), Keys());
}

TEST(MergeBinding, ABaseIsBoundToWhereItCanBe) {
  const auto merged = Merge({Separated("a", 2), Separated("b", 3)});
  MergeOptions options;
  options.bases = {*merged.shared};
  const auto grown = Merge({Separated("c", 4)}, options);
  EXPECT_EQ(BoundTo(grown.sets[0].program), Entries(*merged.shared));
  const auto again = Merge(grown.AsInputs(), options);
  EXPECT_EQ(BytesOf(again.sets[0].program), BytesOf(grown.sets[0].program));
}

TEST(MergeBinding, ABaseThatCannotBeIsNotedOrRefused) {
  MergeOptions options;
  options.bases = {DataFileBuilder().Key("w", Numbers(1), kMatrix).Open("base.ptd")};
  const auto merged = Merge({Separated("a", 2), Separated("b", 3)}, options);
  EXPECT_EQ(BoundTo(merged.sets[0].program), Keys());
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
  const Container data = DataFileBuilder().Key(key, {}, BindingLayout()).Key("w", Numbers(1), kMatrix).Open("d.ptd");
  ProgramBuilder program;
  program.External("w", kMatrix).External(key, BindingLayout());
  program.LastPlan().outputs = Ints({1});
  const auto refused = MergePrograms({SetOf(program.Open("a.pte"), {data})}, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(refused.error().message, "uses key '" + key + "', which should only bind it");
}

TEST(MergeBinding, AProgramWithAnotherBaseIsRefused) {
  const auto merged = Merge({Separated("a", 2), Separated("b", 3)});
  std::vector<MergeSet> sets = merged.AsInputs();
  const Container plain = DataFileBuilder().Key("w", Numbers(1), kMatrix).Open("plain.ptd");
  sets[0].files = {sets[0].files.file(), {plain}};
  const auto refused = MergePrograms(sets, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(refused.error().message,
            "is bound to data file '" + Entries(*merged.shared)[0] + "', but plain.ptd has none");
}

}  // namespace
}  // namespace pteedit
