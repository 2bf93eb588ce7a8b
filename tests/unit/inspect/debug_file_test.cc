// What stripping takes out of a program, kept beside it.
#include "pteedit/debug_file.h"

#include <gtest/gtest.h>

#include "program_builder.h"
#include "pteedit/copy.h"
#include "pteedit/execution.h"
#include "pteedit/verify.h"
#include "strip_files.h"

namespace pteedit::debug_file_test {
namespace {

using namespace pteedit::test;

// A method that calls an operator, with a line of Python for it.
ProgramBuilder WithTrace(const std::string& name, const std::string& method = "forward") {
  ProgramBuilder program;
  program.Method(method).Constant(Floats({4}), Pattern(16, 1));
  tables::ExecutionPlan& plan = program.LastPlan();
  plan.operators = {true, {{tables::OwnText(name), tables::OwnText("out")}}};
  plan.outputs = Ints({0});
  tables::Chain chain;
  chain.inputs = Ints({});
  chain.instructions = {true, {{tables::KernelCall{0, Ints({0, 0})}}}};
  tables::FrameList frames;
  frames.value = {true, {{tables::OwnText("model.py"), 7, tables::OwnText("forward"), tables::OwnText("x + x")}}};
  chain.stacktrace = {true, {std::move(frames)}};
  plan.chains = {true, {std::move(chain)}};
  return program;
}

Container DebugFileOf(const Container& program) {
  const auto planned = PlanDebugFile(program);
  EXPECT_TRUE(planned && *planned) << Words(planned);
  return Opened(**planned, "debug.pte");
}

std::string Refusal(const Status& status) { return status ? "" : status.error().file + ": " + status.error().message; }

TEST(DebugFile, HasTheStackTracesAndNothingThatRuns) {
  const Container program = OpenFile(DataPath("f10_stacktrace.pte")), debug = DebugFileOf(program);
  const std::vector<StackTrace> before = *DescribeStackTraces(program), kept = *DescribeStackTraces(debug);
  ASSERT_EQ(kept.size(), before.size());
  for (size_t i = 0; i < kept.size(); ++i) {
    EXPECT_EQ(std::tie(kept[i].method, kept[i].chain, kept[i].index),
              std::tie(before[i].method, before[i].chain, before[i].index));
    ASSERT_EQ(kept[i].frames.size(), before[i].frames.size());
    EXPECT_EQ(kept[i].frames.back().line, before[i].frames.back().line);
    EXPECT_EQ(kept[i].frames.back().code, before[i].frames.back().code);
  }
  EXPECT_TRUE(DescribeInstructions(debug).empty());
  EXPECT_LT(debug.source()->size(), 1000U);
  EXPECT_TRUE((*VerifyOpened(debug))[0].findings.empty());
}

TEST(DebugFile, IsPlannedWithTheStrip) {
  const Container program = OpenFile(DataPath("f10_stacktrace.pte"));
  StripOptions options;
  EXPECT_FALSE(Strip(program, options)->debug);
  options.keep_debug = true;
  EXPECT_TRUE(Strip(program, options)->debug);
  EXPECT_TRUE(DescribeStackTraces(Opened(Strip(program, options)->file))->empty());
  EXPECT_FALSE(Strip(OpenFile(DataPath("f02_linear.pte")), options)->debug);
  options.debug = false;
  EXPECT_FALSE(Strip(program, options)->debug);
}

TEST(DebugFile, BelongsToWhatRewritesAndEditsMakeOfItsProgram) {
  const Container program = OpenFile(DataPath("f10_stacktrace.pte")), debug = DebugFileOf(program);
  StripOptions all = StripEverything();
  all.repack = true;
  const Container stripped = Stripped(program, all).file;
  EXPECT_TRUE(CheckDebugFile(debug, stripped));
  CopyOptions edit;
  edit.set_methods.push_back({"version", {int64_t{3}}});
  EXPECT_TRUE(CheckDebugFile(debug, Opened(Copy(stripped, edit)->file)));
}

// The second delegate of a backend has another number once the first is gone.
TEST(DebugFile, BelongsToAProgramThatLostADelegate) {
  ProgramBuilder program = WithTrace("aten::add");
  program.Delegate("Backend", Pattern(16, 1)).Delegate("Backend", Pattern(16, 2));
  program.LastPlan().chains.items[0].instructions.items[0] = {tables::DelegateCall{1, Ints({0, 0})}};
  const Container before = program.Open();
  const Container stripped = Stripped(before, StripOptions()).file;
  EXPECT_EQ(DescribeInstructions(stripped)[0].target, "Backend_0");
  EXPECT_TRUE(CheckDebugFile(DebugFileOf(before), stripped));
}

TEST(DebugFile, OfAnotherProgramIsRefused) {
  const Container debug = DebugFileOf(WithTrace("aten::add").Open());
  EXPECT_EQ(Refusal(CheckDebugFile(debug, WithTrace("aten::mul").Open("m.pte"))),
            "debug.pte: is the debug file of another program: method 'forward' has other instructions in 'm.pte'");
  EXPECT_EQ(Refusal(CheckDebugFile(debug, WithTrace("aten::add", "other").Open("m.pte"))),
            "debug.pte: is the debug file of another program: 'm.pte' has none of its methods");
  EXPECT_EQ(Refusal(CheckDebugFile(WithTrace("aten::add").Open("a.pte"), WithTrace("aten::add").Open())),
            "a.pte: is no debug file");
}

}  // namespace
}  // namespace pteedit::debug_file_test
