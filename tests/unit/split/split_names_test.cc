// Names that tensors have inside a program, by which apps ask the runtime for them: they become keys outside and are
// names again inside.
#include <gtest/gtest.h>

#include "program/binding_key.h"
#include "program/content_key.h"
#include "program/file_set.h"
#include "program_builder.h"
#include "pteedit/names.h"
#include "pteedit/same.h"
#include "split_files.h"

namespace pteedit::split_names_test {
namespace {

using namespace pteedit::test;

// Gives the last method's last value, a tensor, a name.
void Name(ProgramBuilder& program, const std::string& name) {
  tables::Tensor& tensor = program.TensorAt(program.LastPlan().values.items.size() - 1);
  tensor.extra_tensor_info.emplace();
  tensor.extra_tensor_info->fully_qualified_name = tables::OwnText(name);
}

// In order of values; "-" where there is none.
Names NamesOf(const Container& program) {
  Names names;
  ForEachTensor(program.state().program_root(), [&](size_t, size_t, const schema::Tensor& tensor) {
    const auto* extra = tensor.extra_tensor_info();
    names.push_back(extra == nullptr ? "-" : std::string(ViewOf(extra->fully_qualified_name())));
  });
  return names;
}

ProgramBuilder NamedStateAndConstant() {
  ProgramBuilder program;
  program.State(Floats({8}), Pattern(32, 1));
  Name(program, "k_cache");
  program.Constant(Floats({16}), Pattern(64, 2));
  Name(program, "fc.weight");
  program.Constant(Floats({4}), Pattern(16, 3));
  return program;
}

TEST(SplitNames, BecomeKeysAndAreNamesAgainInside) {
  const Container before = NamedStateAndConstant().Open();
  const SplitFiles split = Split(before, {}, SplitEverything());
  const Names keys = KeysOf(split.data());
  ASSERT_EQ(keys.size(), 3U);
  EXPECT_NE(std::find(keys.begin(), keys.end(), "k_cache"), keys.end());
  EXPECT_NE(std::find(keys.begin(), keys.end(), "fc.weight"), keys.end());
  EXPECT_EQ(NamesOf(Joined(split.files)), NamesOf(before));
}

TEST(SplitNames, ThatWereFoundBecomeKeysWhereTheyAreAskedFor) {
  ProgramBuilder program = NamedStateAndConstant();
  program.Constant(Floats({4, 4}), Pattern(64, 4)).Constant(Floats({2, 8}), Pattern(64, 5));
  const ContentNames names({{"found", 64, "", {4, 4}, MakeMemorySource("", Pattern(64, 4))},
                            {"other", 64, "", {16}, MakeMemorySource("", Pattern(64, 2))},
                            {"twice", 64, "", {2, 8}, MakeMemorySource("", Pattern(64, 5))},
                            {"twice", 16, "", {4}, MakeMemorySource("", Pattern(16, 3))}});
  const Container before = *names.Name(program.Open());
  SplitOptions options = SplitEverything();
  options.name_keys = true;
  const Result<SplitResult> split = SplitProgram(ProgramSet(before), options);
  ASSERT_TRUE(split) << split.error().message;
  const Container data = *Container::Open(split->data.front().AsSource("w.ptd"));
  EXPECT_EQ(KeysOf(data), (Names{"k_cache", "fc.weight", "found"}));
  EXPECT_EQ(BindingsIn(data).size(), 1U) << "names do not tell contents";
  ASSERT_EQ(split->report.skipped.size(), 2U);
  EXPECT_EQ(split->report.skipped[0].reason, "its name stands for several contents");
}

TEST(SplitNames, OfRealStatesSurvive) {
  const Container before = OpenFile(DataPath("f09/kv_init_names.pte"));
  const SplitFiles split = Split(before, {}, SplitEverything());
  EXPECT_EQ(NamesOf(Joined(split.files)), NamesOf(before));
  for (const std::string& key : KeysOf(split.data())) {
    EXPECT_TRUE(IsContentKey(key) || key.find("cache") != std::string::npos) << key;
  }
}

TEST(SplitNames, SplittingAgainGivesTheSameKeys) {
  const SplitFiles split = Split(NamedStateAndConstant().Open(), {}, SplitEverything());
  EXPECT_EQ(KeysOf(Split(Joined(split.files), {}, SplitEverything()).data()), KeysOf(split.data()));
}

TEST(SplitNames, ThatAreAKeyOfTheSameBytesAreServedByIt) {
  ProgramBuilder program;
  program.Constant(Floats({4}), Pattern(16, 1));
  Name(program, "w");
  const SplitFiles split =
      Split(program.Open(), {DataFileBuilder().Key("w", Pattern(16, 1), Floats({4})).Open("d.ptd")});
  EXPECT_FALSE(split.has_data());
}

void ExpectStays(const Container& program, const std::vector<Container>& data, const Names& reasons) {
  const auto split = SplitProgram({program, data}, SplitEverything());
  ASSERT_TRUE(split) << Words(split);
  EXPECT_EQ(ReasonsOf(split->report), reasons);
}

TEST(SplitNames, ThatAreAKeyOfOtherContentsKeepTheirTensorsInside) {
  ProgramBuilder program;
  program.Constant(Floats({4}), Pattern(16, 1));
  Name(program, "w");
  for (const auto& [bytes, layout] : {std::pair(Pattern(16, 2), Floats({4})), std::pair(Pattern(16, 1), Floats({2, 2})),
                                      std::pair(Pattern(8, 1), Floats({2}))}) {
    ExpectStays(program.Open(), {DataFileBuilder().Key("w", bytes, layout).Open("d.ptd")},
                {"w: its name is a key of other contents in a data file"});
  }
}

TEST(SplitNames, ThatStandForSeveralContentsKeepTheirTensorsInside) {
  ProgramBuilder program;
  program.State(Floats({4}), Pattern(16, 1));
  Name(program, "cache");
  program.Method("other").State(Floats({4}), Pattern(16, 2));
  Name(program, "cache");
  ExpectStays(program.Open(), {},
              {"cache: its name stands for several contents", "cache: its name stands for several contents"});
}

TEST(SplitNames, ThatDelegatesMayAskForOrRuntimesCutKeepTheirTensorsInside) {
  ProgramBuilder program;
  program.Constant(Floats({4}), Pattern(16, 1));
  Name(program, "k_cache");
  program.Delegate("Unknown", TextBytes("k_cache of 4"));
  ExpectStays(program.Open(), {}, {"k_cache: its name is a key that a delegate asks for"});
  ProgramBuilder cut;
  cut.Constant(Floats({4}), Pattern(16, 1));
  Name(cut, std::string("a\0b", 3));
  ExpectStays(cut.Open(), {}, {std::string("a\0b", 3) + ": its name has a zero byte, where runtimes end it"});
}

TEST(SplitNames, OfOneStateInTwoMethodsAreOneKey) {
  ProgramBuilder program;
  program.State(Floats({4}), Pattern(16, 1));
  Name(program, "cache");
  program.Method("other").State(Floats({4}), Pattern(16, 1));
  Name(program, "cache");
  EXPECT_EQ(KeysOf(Split(program.Open(), {}, SplitEverything()).data()), Names{"cache"});
}

TEST(Same, SeesThatAStateHasLostItsName) {
  ProgramBuilder program;
  program.State(Floats({4}), Pattern(16, 1));
  const Container without = program.Open();
  Name(program, "cache");
  const auto difference = FindDifference(program.Open(), without, {});
  ASSERT_TRUE(difference && *difference);
  EXPECT_EQ((*difference)->message, "has name 'cache', the other ''");
}

TEST(SplitSelection, RefusesAMethodOrBackendThatIsNotThere) {
  ProgramBuilder program;
  program.Method("prefill").Method("decode").Delegate("XnnpackBackend", {1});
  SplitOptions options;
  options.selection.methods = {"decode", "forward"};
  auto split = SplitProgram(program.Open("m.pte"), options);
  EXPECT_EQ(Words(split), "m.pte: has no method 'forward'; it has 'decode', 'prefill'");
  EXPECT_EQ(split.error().code, ErrorCode::kInvalidArgument);
  options.selection = {};
  options.selection.backends = {"Xnnpack"};
  split = SplitProgram(program.Open("m.pte"), options);
  EXPECT_EQ(Words(split), "m.pte: has no backend 'Xnnpack', did you mean 'XnnpackBackend'?");
}

TEST(SplitSelection, FindsSmallContentsUnderTheirContentKeys) {
  ProgramBuilder program;
  program.Method("a").Constant(Floats({4}), Pattern(16, 1));
  const SplitFiles first = Split(program.Open());
  ProgramBuilder other;
  other.Method("b").Constant(Floats({2}), Pattern(8, 5)).Constant(Floats({4}), Pattern(16, 1));
  SplitOptions options;
  options.selection.match.files = {first.data()};
  EXPECT_EQ(KeysOf(Split(other.Open(), {}, options).data()), KeysOf(first.data()));
}

}  // namespace
}  // namespace pteedit::split_names_test
