// The laws on programs that once broke them: parts of a file with more than one user, of which a rewrite moves one.
#include <gtest/gtest.h>

#include "laws.h"
#include "program_builder.h"

namespace pteedit::test::shared_bytes_test {
namespace {

SplitOptions AllWithBytes() {
  SplitOptions options;
  options.selection.mutables = true;
  options.selection.min_bytes = 1;
  return options;
}

TEST(SharedBytes, ATensorWithoutBytesKeepsTheBufferOfOneThatMoves) {
  ProgramBuilder builder;
  const uint32_t buffer = builder.AddBuffer(Pattern(16, 1));
  builder.Tensor(buffer, Floats({4})).Tensor(buffer, Floats({0}));
  EXPECT_EQ(SplitAndJoinKeepTheMeaning({builder.Bytes(), {}, 16}, AllWithBytes()), "");
}

TEST(SharedBytes, AKeyOnTheConstantSegmentKeepsItsBytes) {
  ProgramBuilder builder;
  builder.Constant(Floats({4}), Pattern(16, 1)).Constant(Floats({8}), Pattern(32, 2));
  builder.tables.named_data = {true, {{tables::OwnText("k"), 0}}};
  EXPECT_EQ(SplitAndJoinKeepTheMeaning({builder.Bytes(), {}, 16}, AllWithBytes()), "");
}

TEST(SharedBytes, AProcessedBlobOnTheMutableSegmentKeepsItsBytes) {
  ProgramBuilder builder;
  builder.State(Floats({4}), Pattern(16, 1)).Delegate("Backend", {});
  builder.LastPlan().delegates.items[0].processed->index = builder.tables.mutable_data_segments.items[0].segment_index;
  EXPECT_EQ(SplitAndJoinKeepTheMeaning({builder.Bytes(), {}, 16}, AllWithBytes()), "");
}

TEST(SharedBytes, MutableDataWithoutOffsetsHasNoSegment) {
  ProgramBuilder builder;
  builder.External("w", Floats({4}), true);
  builder.tables.mutable_data_segments = {true, {{77, {}}}};
  const FileBytes data = DataFileBuilder().Key("w", Pattern(16, 1), Floats({4})).Bytes();
  EXPECT_EQ(SplitAndJoinKeepTheMeaning({builder.Bytes(), {data}, 16}, AllWithBytes()), "");
}

}  // namespace
}  // namespace pteedit::test::shared_bytes_test
