// Splitting programs that have data files already.
#include <gtest/gtest.h>

#include <set>

#include "program/content_key.h"
#include "program_builder.h"
#include "split_files.h"

namespace pteedit::split_data_test {
namespace {

using namespace pteedit::test;

ProgramBuilder WithTwoConstants() {
  ProgramBuilder program;
  program.Constant(Floats({16}), Pattern(64, 1)).Constant(Floats({16}), Pattern(64, 2));
  return program;
}

TEST(SplitWithData, WhatAGivenFileHasIsNotWrittenAgain) {
  const std::string key = KeyOf(Pattern(64, 1), Floats({16}));
  const Container base = DataFileBuilder().Key(key, Pattern(64, 1), Floats({16})).Open("base.ptd");
  const SplitFiles split = Split(WithTwoConstants().Open(), {base});
  EXPECT_EQ(KeysOf(split.data()), Names{KeyOf(Pattern(64, 2), Floats({16}))});
  EXPECT_EQ(split.result.report.items[0].to, "base.ptd");
  EXPECT_EQ(split.result.report.items[1].to, "data");
  EXPECT_EQ(split.result.report.data_files, 2U);
}

TEST(SplitWithData, WhatMovedWentToItsShard) {
  ProgramBuilder program;
  for (const uint32_t seed : {1U, 2U, 3U}) program.Constant(Floats({256}), Pattern(1024, seed));
  SplitOptions options;
  options.data_name = "out/w.ptd";
  options.max_shard_bytes = 3000;
  const SplitFiles split = Split(program.Open(), {}, options);
  ASSERT_EQ(split.result.data.size(), 2U);
  for (const PlannedFile& shard : split.result.data) EXPECT_LE(shard.size(), 3000U);
  std::multiset<std::string> places;
  for (const MovedItem& item : split.result.report.items) places.insert(item.to);
  EXPECT_EQ(places, (std::multiset<std::string>{"out/w-00001-of-00002.ptd", "out/w-00001-of-00002.ptd",
                                                "out/w-00002-of-00002.ptd"}));
  EXPECT_EQ(split.result.report.data_files, 2U);
  options.max_shard_bytes = 1024;
  const auto refused = SplitProgram(program.Open(), options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(refused.error().file, "out/w.ptd");
}

// A base with the content of seed 1, under a name.
SplitOptions Against(const TensorLayout& layout) {
  SplitOptions options;
  options.bases.push_back(DataFileBuilder().Key("fc.weight", Pattern(64, 1), layout).Open("base.ptd"));
  return options;
}

TEST(SplitWithData, WhatABaseHoldsIsReferredToUnderItsKey) {
  SplitOptions options = Against(Floats({16}));
  const SplitFiles split = Split(WithTwoConstants().Open(), {}, options);
  EXPECT_EQ(KeysOf(split.data()), Names{KeyOf(Pattern(64, 2), Floats({16}))});
  EXPECT_EQ(split.result.report.items[0].key, "fc.weight");
  EXPECT_EQ(split.result.report.items[0].to, "base.ptd");
  EXPECT_EQ(split.result.report.data_files, 2U);
  options.new_data = false;
  const SplitFiles alone = Split(WithTwoConstants().Open(), {}, options);
  EXPECT_FALSE(alone.has_data());
  EXPECT_EQ(ReasonsOf(alone.result.report), Names{"forward.constant_1: no base has it"});
}

TEST(SplitWithData, ABaseServesTensorsOfTheSameLayoutOnly) {
  SplitOptions options = Against(Floats({4, 4}));
  options.new_data = false;
  const SplitFiles split = Split(WithTwoConstants().Open(), {}, options);
  EXPECT_TRUE(split.result.bases.empty());
  EXPECT_EQ(ReasonsOf(split.result.report)[0], "forward.constant_0: base.ptd has it with another layout only");
}

TEST(SplitWithData, ABaseServesDelegatesUnderTheirVeryKey) {
  SplitOptions options;
  options.bases.push_back(DataFileBuilder().Key("k", Pattern(64, 1)).Key("m", Pattern(64, 2)).Open("base.ptd"));
  ProgramBuilder program;
  program.Method("forward").Delegate("Backend", TextBytes("k l"));
  program.NamedData("k", Pattern(64, 1)).NamedData("l", Pattern(64, 2));
  const SplitFiles split = Split(program.Open(), {}, options);
  EXPECT_EQ(KeysOf(split.data()), Names{"l"});
  EXPECT_EQ(KeysOf(split.files.program), Names());
}

TEST(SplitWithData, ABaseThatHasAKeyOfADataFileIsRefused) {
  SplitOptions options = Against(Floats({16}));
  const Container data = DataFileBuilder().Key("fc.weight", Pattern(64, 1), Floats({16})).Open("own.ptd");
  EXPECT_EQ(Words(SplitProgram({WithTwoConstants().Open(), {data}}, options)),
            "base.ptd: key 'fc.weight' also exists in own.ptd; the runtime refuses such files together");
  options.bases = {data};
  EXPECT_EQ(Split(WithTwoConstants().Open(), {data}, options).result.report.data_files, 2U);
}

TEST(SplitWithData, WhereAGivenFileHasAllNoneIsWritten) {
  const Container program = WithTwoConstants().Open();
  const SplitFiles once = Split(program);
  const SplitFiles again = Split(program, {once.data()});
  EXPECT_FALSE(again.has_data());
  EXPECT_EQ(BytesOf(again.result.program), BytesOf(once.result.program));
  EXPECT_EQ(again.result.report.items.size(), 2U);
  EXPECT_EQ(again.result.report.data_files, 1U);
}

TEST(SplitWithData, GivenFileMayBeLongerThanTheConstant) {
  std::vector<uint8_t> padded = Pattern(64, 1);
  padded.resize(80);
  const Container base = DataFileBuilder().Key(KeyOf(Pattern(64, 1), Floats({16})), padded, Floats({16})).Open();
  EXPECT_EQ(KeysOf(Split(WithTwoConstants().Open(), {base}).data()).size(), 1U);
}

TEST(SplitWithData, ContentKeyOverOtherBytesIsRefused) {
  const std::string key = KeyOf(Pattern(64, 1), Floats({16}));
  const Container base = DataFileBuilder().Key(key, Pattern(64, 7), Floats({16})).Open("base.ptd");
  const auto result = SplitProgram({WithTwoConstants().Open("m.pte"), {base}}, {});
  EXPECT_EQ(Words(result), "base.ptd: key '" + key + "' also exists in m.pte with different contents");
  EXPECT_EQ(result.error().code, ErrorCode::kMalformed);
}

TEST(SplitWithData, ContentKeyWithAnotherLayoutIsRefused) {
  const std::string key = KeyOf(Pattern(64, 1), Floats({16}));
  for (const auto& layout : {std::optional<TensorLayout>(Floats({4, 4})), std::optional<TensorLayout>()}) {
    const Container base = DataFileBuilder().Key(key, Pattern(64, 1), layout).Open("base.ptd");
    EXPECT_EQ(Words(SplitProgram({WithTwoConstants().Open(), {base}}, {})),
              "base.ptd: key '" + key + "' has another layout than its name says");
  }
}

TEST(SplitWithData, KeyOfADelegateThatAGivenFileHasGoesAway) {
  ProgramBuilder program;
  program.Method("forward").Delegate("A", TextBytes("needs k")).NamedData("k", Pattern(100, 1));
  const Container base = DataFileBuilder().Key("k", Pattern(100, 1)).Open("base.ptd");
  const SplitFiles split = Split(program.Open(), {base});
  EXPECT_FALSE(split.has_data());
  EXPECT_TRUE(split.files.program.named_data().empty());
  EXPECT_EQ(split.result.report.items[0].to, "base.ptd");
}

TEST(SplitWithData, KeyOverOtherBytesIsRefused) {
  ProgramBuilder program;
  program.Method("forward").Delegate("A", TextBytes("needs k")).NamedData("k", Pattern(100, 1));
  const Container base = DataFileBuilder().Key("k", Pattern(100, 2)).Open("base.ptd");
  EXPECT_EQ(Words(SplitProgram({program.Open("m.pte"), {base}}, {})),
            "base.ptd: key 'k' also exists in m.pte with different contents");
}

TEST(SplitWithData, MissingDataIsRefused) {
  const std::string path = DataPath("f04/linear.pte");
  const auto result = SplitProgram(OpenFile(path), {});
  EXPECT_EQ(result.error().code, ErrorCode::kUnsupported);
  EXPECT_TRUE(Words(result).ends_with(" from a data file, and none is given")) << Words(result);
}

TEST(SplitWithData, TwoFilesWithOneKeyAreRefused) {
  const Container a = DataFileBuilder().Key("k", {1}).Open("a.ptd"), b = DataFileBuilder().Key("k", {1}).Open("b.ptd");
  EXPECT_EQ(Words(SplitProgram({WithTwoConstants().Open(), {a, b}}, {})),
            "b.ptd: key 'k' also exists in a.ptd; the runtime refuses such files together");
}

TEST(SplitWithData, FileOf06CannotHaveANewOneBesideIt) {
  const std::string path = DataPath("old/0.6.0_lin_ext__default_external_constant.ptd");
  const Container old = OpenFile(path);
  EXPECT_FALSE(Split(OpenFile(DataPath("old/0.6.0_lin_ext.pte")), {old}).has_data());
  const NamedEntry& entry = old.named_data()[0];
  ProgramBuilder program = WithTwoConstants();
  program.External(std::string(entry.key), *entry.layout);
  const auto result = SplitProgram({program.Open(), {old}}, {});
  EXPECT_EQ(Words(result), path +
                               ": data file is in the layout of release 0.6, which no release reads together with "
                               "today's; join it");
  EXPECT_EQ(result.error().code, ErrorCode::kUnsupported);
}

TEST(SplitWithData, ProgramThatIsWholeInItsDataIsCopied) {
  const Container program = OpenFile(DataPath("f04/linear.pte"));
  const SplitFiles split = Split(program, {OpenFile(DataPath("f04/_default_external_constant.ptd"))});
  EXPECT_FALSE(split.has_data());
  EXPECT_EQ(BytesOf(split.result.program), BytesOf(program));
  EXPECT_EQ(split.result.report.data_files, 1U);
}

TEST(SplitReport, TellsTheOldestRuntime) {
  const auto oldest = [](const char* name) { return Split(OpenFile(DataPath(name))).result.report.min_runtime; };
  EXPECT_EQ(oldest("f01_add.pte"), "0.1");  // nothing moves
  EXPECT_EQ(oldest("f02_linear.pte"), "0.7");
  EXPECT_EQ(oldest("f03_mlp_xnn.pte"), "0.7");
  EXPECT_EQ(oldest("f12/f12_bfloat16.pte"), "0.7");
  EXPECT_EQ(oldest("old/0.1_inline.pte"), "0.7");
}

TEST(SplitReport, PartOfTheNamedDataNeeds10) {
  SplitOptions options;
  options.selection.min_bytes = 1000;
  const SplitFiles split = Split(OpenFile(DataPath("f03_mlp_xnn.pte")), {}, options);
  ASSERT_TRUE(split.has_data());
  ASSERT_FALSE(split.files.program.named_data().empty());
  EXPECT_EQ(split.result.report.min_runtime, "1.0");
}

}  // namespace
}  // namespace pteedit::split_data_test
