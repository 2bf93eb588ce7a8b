// A program and its data files before they are rewritten: keys that only decoders know of, too.
#include "verify/check_inputs.h"

#include <gtest/gtest.h>

#include "delegates/listed_keys.h"
#include "program_builder.h"
#include "pteedit/merge.h"
#include "pteedit/split.h"
#include "split_files.h"
#include "strip_files.h"
#include "xnnpack_graphs.h"

namespace pteedit::check_inputs_test {
namespace {

using test::DataFileBuilder;
using test::Pattern;
using test::ProgramBuilder;
using test::Words;

// A delegate whose graph asks for the weight 'w'.
ProgramBuilder WithDelegate() {
  test::SmallGraph graph;
  graph.key = "w";
  ProgramBuilder program;
  program.Method("forward").Delegate("XnnpackBackend", graph.Blob());
  program.tables.named_data.present = true;
  return program;
}

Container Weights(const std::string& key) { return DataFileBuilder().Key(key, Pattern(32, 1)).Open(key + ".ptd"); }

constexpr char kForgotten[] = "m.pte: delegate 'XnnpackBackend_0' needs key 'w' from a data file, and none ";

TEST(CheckInputs, TakesKeysFromWhereverTheyAre) {
  EXPECT_TRUE(CheckInputs({WithDelegate().Open(), {Weights("w")}}));
  EXPECT_TRUE(CheckInputs(WithDelegate().NamedData("w", Pattern(32, 1)).Open()));
}

TEST(CheckInputs, RefusesASplitWithoutADelegatesDataFile) {
  const Container program = WithDelegate().Open("m.pte");
  const auto split = SplitProgram(program, {});
  EXPECT_EQ(Words(split), std::string(kForgotten) + "is given");
  EXPECT_EQ(split.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(Words(SplitProgram({program, {Weights("v")}}, {})), std::string(kForgotten) + "of the given has it");
}

TEST(CheckInputs, RefusesAJoinWithAForeignDataFile) {
  const auto joined = JoinProgram({WithDelegate().Open("m.pte"), {Weights("v")}}, {});
  EXPECT_EQ(Words(joined), std::string(kForgotten) + "of the given has it");
  EXPECT_EQ(joined.error().code, ErrorCode::kUnsupported);
}

TEST(CheckInputs, RefusesAMergeWithAForgottenDataFile) {
  const auto merged = MergePrograms(
      {{{WithDelegate().Open("a.pte"), {Weights("w")}}, "a", "a.ptd"}, {WithDelegate().Open("m.pte"), "m", "m.ptd"}},
      {});
  EXPECT_EQ(Words(merged), std::string(kForgotten) + "is given");
  EXPECT_EQ(merged.error().code, ErrorCode::kUnsupported);
}

TEST(CheckInputs, LetsAStripDoWithoutDataFiles) {
  const auto stripped = Strip(WithDelegate().Open("m.pte"), {});
  EXPECT_TRUE(stripped) << Words(stripped);
}

TEST(ListedKeys, NameTheFirstDelegateThatAsks) {
  ProgramBuilder program = WithDelegate();
  test::SmallGraph graph;
  graph.key = "w";
  program.Delegate("XnnpackBackend", graph.Blob()).Delegate("Unknown", {1, 2, 3});
  const Container file = program.Open();
  const auto listed = ListKeysOfDelegates(file);
  ASSERT_TRUE(listed);
  EXPECT_EQ(listed->by_key.at("w"), "XnnpackBackend_0");
  EXPECT_EQ(listed->unlisted, "Unknown_0");
}

}  // namespace
}  // namespace pteedit::check_inputs_test
