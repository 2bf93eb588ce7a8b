// Tensors without elements need no bytes, but a runtime that is asked for them wants a segment, and in it some.
#include <gtest/gtest.h>

#include "edit/plan.h"
#include "program_builder.h"
#include "pteedit/verify.h"
#include "split_files.h"
#include "strip_files.h"

namespace pteedit::empty_constants_test {
namespace {

using test::Floats;
using test::Pattern;
using test::ProgramBuilder;
using test::Split;

uint64_t ConstantBytes(const Container& program) {
  return program.segments()[program.state().program_root().constant_segment()->segment_index()].size;
}

// With the lists that verification wants before it looks further.
Container Sound(ProgramBuilder program) {
  tables::ExecutionPlan& plan = program.LastPlan();
  plan.inputs = plan.outputs = test::Ints({});
  plan.delegates.present = true;
  return program.Open();
}

std::vector<std::string> Ids(const Container& program, const std::vector<Container>& data = {}) {
  std::vector<std::string> ids;
  const auto found = VerifyOpened({program, data}, {});
  for (const FileFindings& file : *found) {
    for (const Finding& finding : file.findings) {
      if (finding.id != "field-missing") ids.push_back(finding.id);
    }
  }
  return ids;
}

SplitOptions WithBytes() {
  SplitOptions options;
  options.selection.min_bytes = 1;
  options.selection.mutables = true;
  return options;
}

TEST(EmptyConstants, StayReadableWhenTheOthersLeave) {
  ProgramBuilder program;
  program.Constant(Floats({4}), Pattern(16, 1)).Constant(Floats({0, 3}), {});
  const auto [after, data] = Split(Sound(program), {}, WithBytes()).files;
  EXPECT_EQ(ConstantBytes(after), 1U);
  EXPECT_EQ(Ids(after, data), std::vector<std::string>());
}

TEST(EmptyConstants, StayReadableWhenUnreadOnesAreStripped) {
  ProgramBuilder program;
  program.Method("forward");
  program.AddBuffer(Pattern(64, 1));
  program.Constant(Floats({0}), {});
  tables::ExecutionPlan& plan = program.LastPlan();
  plan.outputs = test::Ints({0});
  const auto stripped = Strip(program.Open(), {});
  ASSERT_TRUE(stripped) << test::Words(stripped);
  EXPECT_EQ(ConstantBytes(test::Opened(stripped->file, "stripped")), 1U);
}

TEST(EmptyConstants, GetNoByteWhereNobodyReadsThem) {
  ProgramBuilder program;
  program.Constant(Floats({4}), Pattern(16, 1));
  const Container after = Split(program.Open(), {}, WithBytes()).files.program;
  EXPECT_EQ(ConstantBytes(after), 0U);
  EXPECT_FALSE(after.header().has_extended_header);
}

TEST(EmptyConstants, AreFoundWhereTheirSegmentHasNoBytes) {
  ProgramBuilder program;
  program.Constant(Floats({0}), {});
  EXPECT_EQ(Ids(Sound(program)), std::vector<std::string>{"constant-segment-empty"});
}

TEST(EmptyStates, KeepAHeaderThatSaysWhereSegmentsBegin) {
  ProgramBuilder program;
  program.Constant(Floats({4}), Pattern(16, 1)).State(Floats({0}), {});
  const auto [after, data] = Split(Sound(program), {}, WithBytes()).files;
  EXPECT_TRUE(after.header().has_extended_header);
  EXPECT_EQ(after.header().segment_base_offset, after.source()->size());
  EXPECT_EQ(Ids(after, data), std::vector<std::string>());
}

TEST(EmptyBlobs, KeepAHeaderThatSaysWhereSegmentsBegin) {
  ProgramBuilder program;
  program.Constant(Floats({4}), Pattern(16, 1)).Delegate("Unknown", {});
  EXPECT_TRUE(Split(program.Open(), {}, WithBytes()).files.program.header().has_extended_header);
}

TEST(EmptyStates, AreFoundWithoutAHeader) {
  const std::vector<std::string> missing{"header-missing"};
  EXPECT_EQ(Ids(Sound(ProgramBuilder().State(Floats({0}), {}))), missing);
  EXPECT_EQ(Ids(Sound(ProgramBuilder().Method("forward").Delegate("Unknown", {}))), missing);
}

}  // namespace
}  // namespace pteedit::empty_constants_test
