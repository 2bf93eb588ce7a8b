#include "edit/segment_refs.h"

#include <gtest/gtest.h>

#include "program_builder.h"

namespace pteedit::segment_refs_test {
namespace {

using test::ProgramBuilder;

std::vector<uint32_t> RefsOf(tables::Program program) {
  std::vector<uint32_t> refs;
  ForEachSegmentRef(program, [&](uint32_t& index) { refs.push_back(index); });
  return refs;
}

TEST(ForEachSegmentRef, VisitsConstantsStatesBlobsAndKeys) {
  EXPECT_EQ(RefsOf(test::SmallProgram()), (std::vector<uint32_t>{0, 1, 2, 3}));
}

TEST(ForEachSegmentRef, LeavesInlineBlobsOut) {
  tables::Program program = test::SmallProgram();
  test::PlanOf(program).delegates.items[0].processed->location = 0;
  test::PlanOf(program).delegates.items.push_back({});
  EXPECT_EQ(RefsOf(program), (std::vector<uint32_t>{0, 1, 3}));
}

TEST(ForEachSegmentRef, LeavesPartsWithoutOffsetsOut) {
  tables::Program program = test::SmallProgram();
  program.constant_segment = tables::SubsegmentOffsets{99, {}};
  program.mutable_data_segments.items.push_back({99, {}});
  EXPECT_EQ(RefsOf(program), (std::vector<uint32_t>{1, 2, 3}));
}

TEST(ForEachSegmentRef, VisitsTheKeysOfADataFile) {
  tables::FlatTensor data = test::SmallData();
  std::vector<uint32_t> refs;
  ForEachSegmentRef(data, [&](uint32_t& index) { refs.push_back(index); });
  EXPECT_EQ(refs, (std::vector<uint32_t>{0, 1}));
}

ProgramModel ModelOf(const ProgramBuilder& program) {
  auto model = ReadProgramModel(program.Open());
  EXPECT_TRUE(model);
  return *std::move(model);
}

TEST(KeepSegments, RenumbersWhatIsLeft) {
  ProgramModel model = ModelOf(ProgramBuilder().NamedData("a", {1}).NamedData("b", {2, 2}).NamedData("c", {3, 3, 3}));
  std::vector<tables::NamedData>& entries = model.tables.named_data.items;
  entries.erase(entries.begin() + 1);
  KeepSegments(model, {true, false, false, true});  // 1 is still in use
  ASSERT_EQ(model.segments.size(), 3U);
  EXPECT_EQ(entries[0].segment_index, 1U);
  EXPECT_EQ(entries[1].segment_index, 2U);
  EXPECT_EQ(model.segments[2].bytes.size(), 3U);
}

TEST(KeepSegments, KeepsUnusedSegmentsThatNobodyWantsToDrop) {
  ProgramBuilder program;
  program.segments.Add({1, 2, 3});
  ProgramModel model = ModelOf(program);
  KeepSegments(model, {true, true});
  EXPECT_EQ(model.segments.size(), 2U);
}

}  // namespace
}  // namespace pteedit::segment_refs_test
