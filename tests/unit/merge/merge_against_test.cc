// Merging against what devices have already.
#include <gtest/gtest.h>

#include "weights.h"

namespace pteedit::merge_against_test {
namespace {

using namespace pteedit::test;

// What a base holds: contents by seed, each under its content key.
Container BaseWith(const std::string& name, const std::vector<uint32_t>& seeds) {
  DataFileBuilder base;
  for (const uint32_t seed : seeds) base.Key(KeyOf(seed), Weight(seed), kLayout);
  return base.Open(name);
}

MergeOptions Against(const std::vector<Container>& bases) {
  MergeOptions options;
  options.bases = bases;
  return options;
}

TEST(MergeAgainst, WhatABaseHoldsIsReferredToAndNeverCopied) {
  const Container base = BaseWith("base.ptd", {1, 2, 3});
  const auto merged = Merge({SetOf(ProgramWith("a.pte", {1, 2, 9}))}, Against({base}));
  EXPECT_TRUE(merged.result.shared.empty());
  EXPECT_EQ(merged.result.programs[0].bases, (std::set<size_t>{0}));
  EXPECT_LT(merged.size(), ProgramWith("a.pte", {9}).source()->size() + 512);
  ASSERT_EQ(merged.result.report.items.size(), 2U);
  EXPECT_EQ(merged.result.report.items[0].to, "base.ptd");
  EXPECT_EQ(ReasonFor(merged, "forward.constant_2"), "no base has it");
}

TEST(MergeAgainst, WhatNoBaseHasIsSharedAsEver) {
  const Container base = BaseWith("base.ptd", {1});
  const auto merged =
      Merge({SetOf(ProgramWith("a.pte", {1, 2})), SetOf(ProgramWith("b.pte", {2, 1}))}, Against({base}));
  EXPECT_EQ(SharedKeys(merged), (std::vector<std::string>{KeyOf(2)}));
  EXPECT_EQ(merged.result.report.data_files, 2U);
}

TEST(MergeAgainst, ABaseServesTensorsOfTheSameLayoutOnly) {
  const auto base = DataFileBuilder().Key("flat", Weight(1), Floats({16, 16})).Key("bare", Weight(2)).Open("base.ptd");
  const auto merged = Merge({SetOf(ProgramWith("a.pte", {1, 2}))}, Against({base}));
  EXPECT_TRUE(merged.result.programs[0].bases.empty());
  EXPECT_EQ(ReasonFor(merged, "forward.constant_0"), "base.ptd has it with another layout only");
  EXPECT_EQ(ReasonFor(merged, "forward.constant_1"), "base.ptd has it without a layout");
}

TEST(MergeAgainst, ABaseServesDelegatesUnderTheirVeryKeyOnly) {
  const auto base = DataFileBuilder().Key("k", Weight(1)).Key("other", Weight(2)).Open("base.ptd");
  const Container program = Delegating("k, l").NamedData("k", Weight(1)).NamedData("l", Weight(2)).Open("a.pte");
  const auto merged = Merge({SetOf(program)}, Against({base}));
  EXPECT_EQ(KeysOf(merged.sets[0].program), (std::vector<std::string>{"l"}));
  EXPECT_EQ(ReasonFor(merged, "l"), "base.ptd has it under another key only");
}

TEST(MergeAgainst, ABaseThatWouldHideAKeyServesNothing) {
  const auto base = DataFileBuilder().Key("k", Weight(1)).Key(KeyOf(3), Weight(3), kLayout).Open("base.ptd");
  const Container program = Delegating("k").NamedData("k", Weight(2)).Constant(kLayout, Weight(3)).Open("a.pte");
  const auto merged = Merge({SetOf(program)}, Against({base}));
  EXPECT_TRUE(merged.result.programs[0].bases.empty());
  EXPECT_EQ(ReasonFor(merged, "forward.constant_0"), "key 'k' has another content in base.ptd, which would hide it");
}

// Or it would hide a key that it has itself, once a program rests on it, and its keys came inside.
TEST(MergeAgainst, AnEntryThatIsLongerThanItsLayoutIsServedByItsLike) {
  const auto with = [](const char* name) {
    return DataFileBuilder().Key("e", {1, 2, 3}, Floats({0})).Key(KeyOf(1), Weight(1), kLayout).Open(name);
  };
  const Container base = with("base.ptd");
  ProgramBuilder program;
  program.External("e", Floats({0})).Constant(kLayout, Weight(1));
  const Container own = DataFileBuilder().Key("e", {1, 2, 3}, Floats({0})).Open("a.ptd");
  const auto merged = Merge({SetOf(program.Open("a.pte"), {own})}, Against({base}));
  EXPECT_EQ(merged.result.programs[0].bases, (std::set<size_t>{0}));
  EXPECT_EQ(KeysOf(merged.sets[0].program), std::vector<std::string>());
}

TEST(MergeAgainst, AProgramAsABaseServesNothing) {
  const auto merged = Merge({SetOf(ProgramWith("a.pte", {1}))}, Against({ProgramWith("base.pte", {1})}));
  EXPECT_EQ(ReasonFor(merged, "forward.constant_0"), "only inside base.pte, which is no data file");
}

TEST(MergeAgainst, OwnDataThatABaseHoldsIsDropped) {
  const Container base = BaseWith("base.ptd", {1});
  const Container data = DataFileBuilder().Key("w", Weight(1), kLayout).Key("v", Weight(2), kLayout).Open("a.ptd");
  const Container program = ProgramBuilder().External("w", kLayout).External("v", kLayout).Open("a.pte");
  MergeOptions options = Against({base});
  options.variant_data = VariantData::kDataFile;
  const auto merged = Merge({SetOf(program, {data})}, options);
  ASSERT_EQ(merged.sets[0].data.size(), 2U);
  EXPECT_EQ(KeysOf(merged.sets[0].data[1]), (std::vector<std::string>{"v"}));
}

TEST(MergeAgainst, AKeyThatNoTensorReadsIsServedByAllThatItHolds) {
  const TensorLayout none = Floats({0});
  const auto with = [&](const std::string& name, std::vector<uint8_t> bytes) {
    return DataFileBuilder().Key("e", std::move(bytes), none).Key("w", Weight(1), kLayout).Open(name);
  };
  const std::vector<Container> bases{with("base.ptd", {1, 2, 3})};
  const auto merged =
      Merge({SetOf(ProgramBuilder().External("w", kLayout).Open(), {with("a.ptd", {})})}, Against(bases));
  EXPECT_EQ(merged.result.programs[0].bases, std::set<size_t>());
}

// It would be lost with a base that is loaded for nothing else.
TEST(MergeAgainst, AKeyToWhichNothingRefersStaysWhereNothingElseIsForThatBase) {
  const Container base = DataFileBuilder().Key("k", Weight(1), kLayout).Key("v", Weight(3), kLayout).Open("base.ptd");
  DataFileBuilder data;
  data.Key("k", Weight(1), kLayout).Key("w", Weight(2), kLayout);
  const MergeSet set = SetOf(ProgramBuilder().External("w", kLayout).Open(), {data.Open()});
  MergeOptions options = Against({base});
  options.variant_data = VariantData::kDataFile;
  const auto alone = Merge({set}, options);
  EXPECT_EQ(alone.result.programs[0].bases, std::set<size_t>());
  EXPECT_EQ(KeysOf(alone.sets[0].data.front()), (std::vector<std::string>{"k", "w"}));
  EXPECT_EQ(ReasonFor(alone, "k"), "the program needs nothing of base.ptd");
  const Container both = ProgramBuilder().External("w", kLayout).External("v", kLayout).Open();
  const auto served = Merge({SetOf(both, {data.Key("v", Weight(3), kLayout).Open()})}, options);
  EXPECT_EQ(served.result.programs[0].bases, (std::set<size_t>{0}));
  EXPECT_EQ(KeysOf(served.sets[0].data.back()), (std::vector<std::string>{"w"}));
}

TEST(MergeAgainst, TheOrderOfBasesAndAFurtherMergeChangeNothing) {
  const std::vector<Container> bases{BaseWith("b1.ptd", {1, 4}), BaseWith("b2.ptd", {2})};
  const std::vector<MergeSet> sets{SetOf(ProgramWith("a.pte", {1, 2, 3})), SetOf(ProgramWith("b.pte", {2, 3, 4}))};
  const auto merged = Merge(sets, Against(bases)), other = Merge(sets, Against({bases[1], bases[0]}));
  const auto again = Merge(merged.AsInputs(), Against(bases));
  for (size_t i = 0; i < sets.size(); ++i) {
    EXPECT_EQ(BytesOf(merged.sets[i].program), BytesOf(other.sets[i].program));
    EXPECT_EQ(BytesOf(merged.sets[i].program), BytesOf(again.sets[i].program));
  }
  EXPECT_EQ(BytesOf(*merged.shared), BytesOf(*again.shared));
  for (const MovedItem& item : again.result.report.items) EXPECT_EQ(item.to, "shared.ptd");
}

TEST(MergeAgainst, AKeyInTwoBasesIsAnError) {
  const auto result =
      MergePrograms({SetOf(ProgramWith("a.pte", {1}))}, Against({BaseWith("b1.ptd", {1}), BaseWith("b2.ptd", {1})}));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(result.error().message,
            "key '" + KeyOf(1) + "' also exists in b1.ptd; the runtime refuses such files together");
}

}  // namespace
}  // namespace pteedit::merge_against_test
