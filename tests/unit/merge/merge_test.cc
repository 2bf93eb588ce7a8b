#include "pteedit/merge.h"

#include <gtest/gtest.h>

#include "colliding_contents.h"
#include "counted_source.h"
#include "io/digest.h"
#include "program/constants.h"
#include "program/content_key.h"
#include "pteedit/names.h"
#include "weights.h"

namespace pteedit::merge_test {
namespace {

using namespace pteedit::test;

// To bind, a data file gets an entry more, and is hashed.
MergeOptions Unbound() {
  MergeOptions options;
  options.bind = Bind::kNever;
  return options;
}

TEST(Merge, WhatTwoProgramsHaveIsSharedUnderItsContentKey) {
  const auto merged = Merge({SetOf(ProgramWith("a.pte", {1, 2})), SetOf(ProgramWith("b.pte", {2, 3}))});
  EXPECT_EQ(SharedKeys(merged), (std::vector<std::string>{KeyOf(2)}));
  EXPECT_FALSE(merged.result.programs[0].shared.empty());
  ASSERT_EQ(merged.result.report.items.size(), 2U);
  EXPECT_EQ(merged.result.report.items[0].from, "a.pte");
  EXPECT_EQ(merged.result.report.items[0].to, "shared.ptd");
  EXPECT_EQ(merged.result.report.items[0].bytes, 1024U);
  EXPECT_EQ(ReasonFor(merged, "forward.constant_0"), "in no other program");
  EXPECT_EQ(merged.result.report.min_runtime, "0.7");
  EXPECT_EQ(merged.result.report.data_files, 1U);
}

// Opened anew with the hashes of its constants and keys, and the same without.
std::pair<Container, CountedSource> HashedAndCounted(const Container& file) {
  CountedSource counted(BytesOf(*file.source(), {0, file.source()->size()}));
  std::vector<HashedPart> parts;
  for (const Constant& constant : CollectConstants(file)) {
    const Extent place = constant.extent;
    parts.push_back({place, Sha256Of(*file.source(), place)->bytes});
  }
  return {*Container::Open(MakeHashedSource(counted.source(), parts)), counted};
}

TEST(Merge, OfContentsWhoseHashesAreKnownReadsNone) {
  const std::vector<Container> files{ProgramWith("a.pte", {1, 2}), ProgramWith("b.pte", {2, 3})};
  const auto expected = Merge({SetOf(files[0]), SetOf(files[1])}, Unbound());
  const auto [a, a_bytes] = HashedAndCounted(files[0]);
  const auto [b, b_bytes] = HashedAndCounted(files[1]);
  const Result<MergeResult> merged = MergePrograms({SetOf(a), SetOf(b)}, Unbound());
  ASSERT_TRUE(merged);
  ASSERT_EQ(merged->shared.size(), 1U);
  for (const auto* counted : {&a_bytes, &b_bytes}) EXPECT_LT(counted->total(), counted->size() - 2048);
  EXPECT_EQ(BytesOf(merged->shared[0]), BytesOf(expected.result.shared[0]));
  EXPECT_EQ(BytesOf(merged->programs[0].program), BytesOf(expected.result.programs[0].program));
}

// With what a checkpoint has: some floats, and others the other way around.
TEST(Merge, SharesWhatACheckpointHoldsAndNothingElse) {
  std::vector<uint8_t> transposed(Weight(2).size());
  for (size_t row = 0; row < 16; ++row) {
    for (size_t column = 0; column < 16; ++column) {
      std::copy_n(Weight(2).begin() + static_cast<std::ptrdiff_t>(4 * (16 * row + column)), 4,
                  transposed.begin() + static_cast<std::ptrdiff_t>(4 * (16 * column + row)));
    }
  }
  const auto tensor = [](const char* name, const std::vector<uint8_t>& bytes) {
    return ContentName{name, bytes.size(), {}, {16, 16}, MakeMemorySource("checkpoint", bytes), "float32"};
  };
  MergeOptions options;
  options.match.tensors = std::make_shared<const ContentNames>(
      std::vector<ContentName>{tensor("fc", Weight(1)), tensor("up", transposed), tensor("absent", Weight(9))});
  const auto merged = Merge({SetOf(ProgramWith("a.pte", {1, 4})), SetOf(ProgramWith("b.pte", {2, 4}))}, options);
  std::vector<std::string> expected{KeyOf(1), KeyOf(2)};
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(SharedKeys(merged), expected);
  EXPECT_EQ(ReasonFor(merged, "forward.constant_1"), "not in the files to match");
}

TEST(Merge, SharesWhatAFileHoldsAlsoOfOneProgram) {
  MergeOptions options;
  const DataFileBuilder base = DataFileBuilder().Key("any", Weight(1)).Key("small", Pattern(32, 1));
  options.match.files = {base.Open(), ProgramWith("other.pte", {3})};
  options.min_bytes = 1;
  ProgramBuilder program;
  for (const uint32_t seed : {1U, 2U, 3U}) program.Constant(kLayout, Weight(seed));
  program.Constant(Floats({8}), Pattern(32, 1));  // so small that it may be any other
  const auto alone = Merge({SetOf(program.Open("a.pte"))}, options);
  EXPECT_EQ(SharedKeys(alone).size(), 2U);
  EXPECT_EQ(ReasonFor(alone, "forward.constant_1"), "not in the files to match");
  EXPECT_EQ(ReasonFor(alone, "forward.constant_3"), "not in the files to match");
  const auto two = Merge({SetOf(program.Open("a.pte")), SetOf(ProgramWith("b.pte", {2, 5}))}, options);
  EXPECT_EQ(BytesOf(*two.shared), BytesOf(*alone.shared));
}

TEST(Merge, AProgramWithNothingInCommonIsLeftAsItIs) {
  const Container alone = ProgramWith("c.pte", {9});
  const auto merged = Merge({SetOf(ProgramWith("a.pte", {1})), SetOf(ProgramWith("b.pte", {1})), SetOf(alone)});
  EXPECT_TRUE(merged.result.programs[2].shared.empty());
  EXPECT_EQ(BytesOf(merged.sets[2].program), BytesOf(alone));
}

TEST(Merge, DataThatNoProgramRefersToIsNoPartOfThem) {
  const auto adapter = [](const char* name, uint32_t seed) {
    return DataFileBuilder().Key("lora_b", Weight(seed), kLayout).Key("lora_a", Weight(3), kLayout).Open(name);
  };
  const std::vector<Container> adapters{adapter("one.ptd", 4), adapter("two.ptd", 5)};
  const Container a = ProgramWith("a.pte", {1, 2}), b = ProgramWith("b.pte", {2, 3});
  const auto merged = MergePrograms({SetOf(a, adapters), SetOf(b, {adapters[1]})}, {});
  ASSERT_TRUE(merged) << Words(merged);
  const auto without = Merge({SetOf(a), SetOf(b)});
  EXPECT_EQ(BytesOf(Opened(merged->shared.front(), "shared.ptd")), BytesOf(*without.shared));
  EXPECT_EQ(BytesOf(Opened(merged->programs[0].program, "a")), BytesOf(without.sets[0].program));
  ASSERT_EQ(merged->unused_data.size(), 2U);
  EXPECT_EQ(merged->unused_data[0].name(), "one.ptd");
}

TEST(Merge, NothingInCommonGivesNoSharedFile) {
  const auto merged = Merge({SetOf(ProgramWith("a.pte", {1})), SetOf(ProgramWith("b.pte", {2}))});
  EXPECT_TRUE(merged.result.shared.empty());
  EXPECT_TRUE(merged.result.report.items.empty());
  EXPECT_EQ(merged.result.report.data_files, 0U);
}

TEST(Merge, OneProgramAloneStoresItsDuplicatesOnce) {
  const auto merged = Merge({SetOf(ProgramWith("a.pte", {1, 1, 2}))});
  EXPECT_TRUE(merged.result.shared.empty());
  EXPECT_LT(merged.size(), ProgramWith("a.pte", {1, 1, 2}).source()->size());
  EXPECT_EQ(merged.result.report.notes,
            (std::vector<std::string>{"duplicates inside a.pte are stored once: 1 with 1024 bytes"}));
}

TEST(Merge, TwoConstantsOfOneHashStayApart) {
  const auto [one, other] = CollidingContents();
  const TensorLayout layout = Floats({128});
  const auto both = [&](const char* name) {
    return SetOf(ProgramBuilder().Constant(layout, one).Constant(layout, other).Open(name));
  };
  MergeOptions options;
  options.min_bytes = 1;
  const auto merged =
      Merge({both("a.pte"), both("b.pte"), SetOf(ProgramBuilder().Constant(layout, other).Open("c"))}, options);
  EXPECT_EQ(merged.shared->segments().size(), 2U);
}

TEST(Merge, KeyWithTwoContentsIsNeverShared) {
  const auto set = [](const char* name, uint32_t seed) {
    return SetOf(Delegating("k, same").NamedData("k", Weight(seed)).NamedData("same", Weight(7)).Open(name));
  };
  const auto merged = Merge({set("a.pte", 1), set("b.pte", 1), set("c.pte", 2)});
  EXPECT_EQ(SharedKeys(merged), (std::vector<std::string>{"same"}));
  EXPECT_EQ(ReasonFor(merged, "k"), "key 'k' has different contents in a.pte and c.pte");
}

TEST(Merge, DelegateDataIsSharedUnderItsVeryKeyOnly) {
  const auto set = [](const char* name, const std::string& key) {
    return SetOf(Delegating(key).NamedData(key, Weight(1)).Open(name));
  };
  const auto merged = Merge({set("a.pte", "one"), set("b.pte", "other"), set("c.pte", "one")}, Unbound());
  EXPECT_EQ(SharedKeys(merged), (std::vector<std::string>{"one", "other"}));
  EXPECT_EQ(merged.shared->segments().size(), 1U);
}

TEST(Merge, OneContentInBothStoresIsOneSegmentUnderTwoKeys) {
  const auto merged = Merge(
      {SetOf(ProgramWith("a.pte", {1})), SetOf(Delegating("weight").NamedData("weight", Weight(1)).Open("b.pte"))},
      Unbound());
  EXPECT_EQ(SharedKeys(merged), (std::vector<std::string>{KeyOf(1), "weight"}));
  EXPECT_EQ(merged.shared->segments().size(), 1U);
  EXPECT_FALSE(FindKey(*merged.shared, "weight")->layout);
}

TEST(Merge, WhatKeepsItsKeyIsReadOnceToCompareIt) {
  constexpr int32_t kFloats = 75000;
  const TensorLayout layout = Floats({kFloats});
  const DataFileBuilder data = DataFileBuilder().Key("w", Pattern(kFloats * 4, 1), layout);
  const CountedSource files[] = {CountedSource(data.Bytes()), CountedSource(data.Bytes())};
  std::vector<MergeSet> sets;
  for (const CountedSource& file : files) {
    ProgramBuilder program;
    program.External("w", layout);
    const Result<Container> opened = Container::Open(file.source());
    ASSERT_TRUE(opened);
    sets.push_back(SetOf(program.Open(std::to_string(sets.size()) + ".pte"), {*opened}));
  }
  const auto merged = MergePrograms(sets, Unbound());
  ASSERT_TRUE(merged) << Words(merged);
  EXPECT_FALSE(merged->shared.empty());
  for (size_t i = 0; i < 2; ++i) EXPECT_EQ(files[i].most(sets[i].files.data()[0].segments()[0]), 1);
}

TEST(Merge, LayoutsOfOneContentGetKeysOfTheirOwn) {
  const TensorLayout square = Floats({16, 16});
  const auto merged =
      Merge({SetOf(ProgramWith("a.pte", {1})), SetOf(ProgramBuilder().Constant(square, Weight(1)).Open("b.pte"))});
  std::vector<std::string> keys{KeyOf(1), KeyOf(1, square)};
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(SharedKeys(merged), keys);
  EXPECT_EQ(merged.shared->segments().size(), 1U);
}

TEST(Merge, ConstantsGetTheirContentKeyBesideANameInADataFile) {
  const MergeSet outside = SetOf(ProgramBuilder().External("fc.weight", kLayout).Open("a.pte"),
                                 {DataFileBuilder().Key("fc.weight", Weight(1), kLayout).Open("a.ptd")});
  const auto merged = Merge({outside, SetOf(ProgramWith("b.pte", {1}))}, Unbound());
  EXPECT_EQ(SharedKeys(merged), (std::vector<std::string>{KeyOf(1), "fc.weight"}));
  EXPECT_EQ(merged.shared->segments().size(), 1U);
  EXPECT_EQ(BytesOf(merged.sets[0].program), BytesOf(outside.files.file()));
}

TEST(Merge, ConstantsUnderANameOfTwoMeaningsAreSharedUnderTheirContentKey) {
  const auto outside = [](const std::string& name, uint32_t seed) {
    return SetOf(ProgramBuilder().External("fc.weight", kLayout).Open(name + ".pte"),
                 {DataFileBuilder().Key("fc.weight", Weight(seed), kLayout).Open(name + ".ptd")});
  };
  const auto merged = Merge({outside("a", 1), outside("b", 1), outside("c", 2)});
  EXPECT_EQ(SharedKeys(merged), (std::vector<std::string>{KeyOf(1)}));
  EXPECT_EQ(ReasonFor(merged, "fc.weight"), "key 'fc.weight' has different contents in a.ptd and c.ptd");
}

TEST(Merge, LayoutsThatDifferAreLeftOutWhereOnlyDelegatesAsk) {
  const auto set = [](const std::string& name, const TensorLayout& layout) {
    return SetOf(Delegating("k").Open(name + ".pte"), {DataFileBuilder().Key("k", Weight(1), layout).Open(name)});
  };
  const auto merged = Merge({set("a", kLayout), set("b", Floats({16, 16}))});
  EXPECT_EQ(SharedKeys(merged), (std::vector<std::string>{"k"}));
  EXPECT_FALSE(FindKey(*merged.shared, "k")->layout);
}

TEST(Merge, AKeyWithTwoLayoutsForTensorsIsNeverShared) {
  const auto set = [](const std::string& name, const TensorLayout& layout) {
    return SetOf(ProgramBuilder().External("k", layout).Open(name + ".pte"),
                 {DataFileBuilder().Key("k", Weight(1), layout).Open(name)});
  };
  const TensorLayout square = Floats({16, 16});
  const auto merged = Merge({set("a", kLayout), set("b", square)});
  std::vector<std::string> keys{KeyOf(1), KeyOf(1, square)};
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(SharedKeys(merged), keys);
}

TEST(Merge, KeysThatNoDelegateMentionsStay) {
  const auto set = [](const char* name) {
    return SetOf(ProgramBuilder().Method("forward").NamedData("vocabulary", Weight(1)).Open(name));
  };
  const auto merged = Merge({set("a.pte"), set("b.pte")});
  EXPECT_FALSE(merged.shared);
  EXPECT_EQ(ReasonFor(merged, "vocabulary"), "no delegate mentions the key; the app may read it");
}

TEST(Merge, AKeyThatMustStayInOneProgramIsNotSharedByOthers) {
  const auto mentions = [](const char* name) { return SetOf(Delegating("k").NamedData("k", Weight(1)).Open(name)); };
  const MergeSet app = SetOf(ProgramBuilder().Method("forward").NamedData("k", Weight(1)).Open("c.pte"));
  EXPECT_FALSE(Merge({mentions("a.pte"), mentions("b.pte"), app}).shared);
}

TEST(Merge, InitialStatesStay) {
  const auto set = [](const char* name) { return SetOf(ProgramBuilder().State(kLayout, Weight(1)).Open(name)); };
  const auto merged = Merge({set("a.pte"), set("b.pte")});
  EXPECT_FALSE(merged.shared);
  EXPECT_EQ(ReasonFor(merged, "forward.mutable_0"), "initial values of mutable buffers stay");
}

TEST(Merge, WhatCostsMoreThanItSavesStays) {
  const auto set = [](const char* name) {
    return SetOf(ProgramBuilder().Constant(Floats({4}), Pattern(16, 1)).Open(name));
  };
  const auto merged = Merge({set("a.pte"), set("b.pte")});
  EXPECT_FALSE(merged.shared);
  EXPECT_EQ(ReasonFor(merged, "forward.constant_0"), "smaller than 576 bytes");
}

TEST(Merge, MinBytesDecidesWhateverItCosts) {
  const auto set = [](const char* name) {
    return SetOf(ProgramBuilder().Constant(Floats({4}), Pattern(16, 1)).Constant(kLayout, Weight(1)).Open(name));
  };
  MergeOptions options;
  options.min_bytes = 16;
  EXPECT_EQ(SharedKeys(Merge({set("a.pte"), set("b.pte")}, options)).size(), 2U);
  options.min_bytes = 17;
  const auto merged = Merge({set("a.pte"), set("b.pte")}, options);
  EXPECT_EQ(SharedKeys(merged).size(), 1U);
  EXPECT_EQ(ReasonFor(merged, "forward.constant_0"), "smaller than 17 bytes");
}

TEST(Merge, TheLargestConstantsGetThePlacesOfExternalTensors) {
  const auto set = [](const char* name) {
    return SetOf(ProgramBuilder()
                     .Constant(Floats({200}), Pattern(800, 1))
                     .Constant(Floats({300}), Pattern(1200, 2))
                     .Constant(kLayout, Weight(3))
                     .Open(name));
  };
  MergeOptions options;
  options.max_external_tensors = 2;
  const auto merged = Merge({set("a.pte"), set("b.pte")}, options);
  EXPECT_EQ(SharedKeys(merged).size(), 2U);
  EXPECT_EQ(ReasonFor(merged, "forward.constant_0"), "its method would have more than 2 external tensors");
}

TEST(Merge, WhatIsOutsideAlreadyKeepsItsPlaces) {
  ProgramBuilder outside;
  DataFileBuilder data;
  for (uint32_t seed = 1; seed <= 3; ++seed) {
    const std::string key = "w" + std::to_string(seed);
    outside.External(key, kLayout);
    data.Key(key, Weight(seed), kLayout);
  }
  const Container file = data.Open("weights.ptd");
  MergeOptions options;
  options.max_external_tensors = 2;
  const auto merged = Merge({SetOf(outside.Open("a.pte"), {file}), SetOf(outside.Open("b.pte"), {file})}, options);
  EXPECT_EQ(SharedKeys(merged), (std::vector<std::string>{"w1", "w2", "w3"}));
}

TEST(Merge, OwnDataComesInside) {
  DataFileBuilder data;
  data.Key("w", Weight(1), kLayout).Key("v", Weight(3), kLayout).Key("k", Weight(2));
  const MergeSet set =
      SetOf(Delegating("k").External("w", kLayout).External("v", kLayout).Open("a.pte"), {data.Open("a.ptd")});
  const auto merged = Merge({set});
  EXPECT_TRUE(merged.sets[0].data.empty());
  EXPECT_EQ(KeysOf(merged.sets[0].program), (std::vector<std::string>{"k"}));
  EXPECT_EQ(NamesOf(merged.result.report.items), (std::vector<std::string>{"w", "v", "k"}));
}

TEST(Merge, OwnDataGoesIntoAFileOfItsOwn) {
  const MergeSet set = SetOf(Delegating("k, tiny")
                                 .External("w", kLayout)
                                 .Constant(kLayout, Weight(3))
                                 .Constant(kLayout, Weight(5))
                                 .Constant(kLayout, Weight(6))
                                 .NamedData("k", Weight(2))
                                 .NamedData("tiny", Pattern(8, 1))
                                 .Open("a.pte"),
                             {DataFileBuilder().Key("w", Weight(1), kLayout).Open("a.ptd")});
  MergeOptions options;
  options.variant_data = VariantData::kDataFile;
  const MergeSet other = SetOf(ProgramWith("b.pte", {5, 6, 7}));
  const MergeSet third = SetOf(ProgramWith("c.pte", {5, 6, 7}));
  const auto merged = Merge({set, other, third}, options);
  ASSERT_TRUE(merged.result.programs[0].data);
  std::vector<std::string> keys{KeyOf(3), "k", "w"};
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(KeysOf(merged.sets[0].data.back()), keys);
  EXPECT_EQ(KeysOf(merged.sets[0].program), (std::vector<std::string>{"tiny"}));
  EXPECT_EQ(ReasonFor(merged, "tiny"), "smaller than 128 bytes");
  EXPECT_FALSE(merged.result.programs[1].data) << "an empty data file is refused by the runtime";
}

TEST(Merge, AnOwnDataFileThatStaysWholeIsCopied) {
  DataFileBuilder builder;
  builder.segments.alignment = 64;
  const Container data = builder.Key("v", Pattern(8, 2), Floats({2})).Key("w", Weight(1), kLayout).Open("a.ptd");
  const MergeSet set = SetOf(ProgramBuilder().External("w", kLayout).External("v", Floats({2})).Open("a.pte"), {data});
  MergeOptions options = Unbound();
  options.variant_data = VariantData::kDataFile;
  EXPECT_EQ(BytesOf(Merge({set}, options).sets[0].data.back()), BytesOf(data));
  options.min_alignment = 256;
  EXPECT_NE(BytesOf(Merge({set}, options).sets[0].data.back()), BytesOf(data));
}

TEST(Merge, AKeyInProgramAndDataFileEndsInOnePlace) {
  const auto set = [](const std::string& name) {
    return SetOf(Delegating("k").External("k", kLayout).NamedData("k", Weight(1)).Open(name + ".pte"),
                 {DataFileBuilder().Key("k", Weight(1), kLayout).Open(name + ".ptd")});
  };
  EXPECT_EQ(SharedKeys(Merge({set("a"), set("b")})), (std::vector<std::string>{"k"}));
  EXPECT_EQ(KeysOf(Merge({set("a")}).sets[0].program), (std::vector<std::string>{"k"}));
  MergeOptions options;
  options.variant_data = VariantData::kDataFile;
  EXPECT_TRUE(KeysOf(Merge({set("a")}, options).sets[0].program).empty());
}

TEST(Merge, SharedFileDependsOnContentsAlone) {
  std::vector<MergeSet> sets{SetOf(ProgramWith("a.pte", {1, 2, 3})), SetOf(ProgramWith("b.pte", {3, 1, 4})),
                             SetOf(Delegating("k").NamedData("k", Weight(2)).Open("c.pte"))};
  const auto forwards = Merge(sets);
  std::reverse(sets.begin(), sets.end());
  const auto backwards = Merge(sets);
  EXPECT_EQ(BytesOf(*forwards.shared), BytesOf(*backwards.shared));
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(BytesOf(forwards.sets[i].program), BytesOf(backwards.sets[2 - i].program));
  }
}

TEST(Merge, MergingTheOutputsAgainChangesNothing) {
  const auto once = Merge({SetOf(ProgramWith("a.pte", {1, 2, 3})), SetOf(ProgramWith("b.pte", {3, 1, 4}))});
  const auto twice = Merge(once.AsInputs());
  EXPECT_EQ(BytesOf(*once.shared), BytesOf(*twice.shared));
  for (size_t i = 0; i < 2; ++i) EXPECT_EQ(BytesOf(once.sets[i].program), BytesOf(twice.sets[i].program));
}

TEST(Merge, AlignmentIsThatOfTheRoundestCopy) {
  const auto data = [](const std::string& name, uint64_t alignment) {
    DataFileBuilder builder;
    builder.segments.alignment = alignment;
    return builder.Key("w", Weight(1), kLayout).Open(name);
  };
  const Container program = ProgramBuilder().External("w", kLayout).Open("a.pte");
  const Container other = ProgramBuilder().External("w", kLayout).Open("b.pte");
  for (const auto& [first, second] : {std::pair(16, 4096), {4096, 16}}) {
    const auto merged = Merge({SetOf(program, {data("a.ptd", static_cast<uint64_t>(first))}),
                               SetOf(other, {data("b.ptd", static_cast<uint64_t>(second))})});
    EXPECT_EQ(merged.shared->segments()[0].offset % 4096, 0U) << first << ", " << second;
  }
}

TEST(Merge, DataThatTwoSetsHaveInOneFileCountsOnce) {
  const Container data = DataFileBuilder().Key("w", Weight(1), kLayout).Key("unused", Weight(2)).Open("d.ptd");
  const Container program = ProgramBuilder().External("w", kLayout).Open("a.pte");
  const Container other = ProgramBuilder().External("w", kLayout).Open("b.pte");
  const auto merged = Merge({SetOf(program, {data}), SetOf(other, {data})}, Unbound());
  EXPECT_EQ(BytesOf(*merged.shared), BytesOf(data));
}

TEST(Merge, ABundleIsUnsupported) {
  const auto bundle = Container::Open(MakeMemorySource("a.bpte", BundleBytes(ProgramBytes(SmallProgram()))));
  ASSERT_TRUE(bundle) << Words(bundle);
  const auto result = MergePrograms({SetOf(*bundle)}, {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(Words(result), "a.bpte: is a bundled program; only programs can be merged");
}

TEST(Merge, ADataFileIsNoProgram) {
  const auto result = MergePrograms({SetOf(DataFileBuilder().Key("w", Weight(1)).Open("a.ptd"))}, {});
  EXPECT_EQ(Words(result), "a.ptd: is a data file, a program expected");
  EXPECT_EQ(result.error().code, ErrorCode::kInvalidArgument);
}

TEST(Merge, AMissingKeyIsAnError) {
  const auto result = MergePrograms({SetOf(ProgramBuilder().External("w", kLayout).Open("a.pte"))}, {});
  EXPECT_EQ(Words(result), "a.pte: needs key 'w' from a data file, and none is given");
  EXPECT_EQ(result.error().code, ErrorCode::kUnsupported);
}

TEST(Merge, AKeyInTwoDataFilesIsAnError) {
  const auto data = [](const char* name) { return DataFileBuilder().Key("w", Weight(1), kLayout).Open(name); };
  const auto result = MergePrograms(
      {SetOf(ProgramBuilder().External("w", kLayout).Open("a.pte"), {data("one.ptd"), data("two.ptd")})}, {});
  EXPECT_EQ(Words(result), "two.ptd: key 'w' also exists in one.ptd; the runtime refuses such files together");
  EXPECT_EQ(result.error().code, ErrorCode::kMalformed);
}

TEST(Merge, NoSetsGiveNothing) {
  const auto result = MergePrograms({}, {});
  ASSERT_TRUE(result) << Words(result);
  EXPECT_TRUE(result->programs.empty());
  EXPECT_TRUE(result->shared.empty());
}

}  // namespace
}  // namespace pteedit::merge_test
