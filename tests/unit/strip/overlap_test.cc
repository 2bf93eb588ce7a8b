// Keys that lie inside constants: putting them there, and rewriting programs in which they do.
#include "strip/overlap.h"

#include <gtest/gtest.h>

#include "colliding_contents.h"
#include "edit/plan.h"
#include "program_builder.h"
#include "pteedit/locate.h"
#include "pteedit/merge.h"
#include "pteedit/same.h"
#include "pteedit/sizes.h"
#include "pteedit/verify.h"
#include "strip_files.h"

namespace pteedit::overlap_test {
namespace {

using namespace pteedit::test;

constexpr int32_t kFloats = 250;  // an embedding
constexpr uint64_t kBytes = kFloats * 4;
std::vector<uint8_t> Embedding() { return Pattern(kBytes, 7); }

StripOptions Overlapping() {
  StripOptions options = StripOnly(&StripOptions::dedupe);
  options.overlap = true;
  return options;
}

// An embedding that is a constant behind a small one, and a key of a delegate; the key's segment needs 128.
ProgramBuilder Tied() {
  ProgramBuilder program;
  program.segments.alignment = 128;
  program.Constant(Floats({4}), Pattern(16, 1)).Constant(Floats({kFloats}), Embedding());
  program.Constant(Floats({4}), Pattern(16, 2));
  program.Delegate("Backend", TextBytes("tied other"))
      .NamedData("other", Pattern(300, 3))
      .NamedData("tied", Embedding());
  program.LastPlan().inputs = Ints({0, 1, 2});
  program.LastPlan().outputs = Ints({});
  tables::Chain chain;
  chain.instructions = {true, {{tables::DelegateCall{0, Ints({})}}}};
  program.LastPlan().chains = {true, {std::move(chain)}};
  program.LastPlan().non_const_buffer_sizes = tables::Vector<int64_t>::Own({0});
  return program;
}

Extent ExtentOf(const Container& program, std::string_view key) { return FindKey(program, key)->extent; }

Extent ConstantSegment(const Container& program) {
  return program.segments()[program.state().program_root().constant_segment()->segment_index()];
}

bool LiesInside(Extent inner, Extent outer) {
  return inner.offset >= outer.offset && inner.offset + inner.size <= outer.offset + outer.size;
}

bool IsOverlapped(const Container& program) { return LiesInside(ExtentOf(program, "tied"), ConstantSegment(program)); }

StrippedFile Overlapped(const Container& program) {
  StrippedFile stripped = Stripped(program, Overlapping());
  ExpectSameModel({program, {}}, {stripped.file, {}});
  EXPECT_EQ(NamedBytes(program), NamedBytes(stripped.file));
  return stripped;
}

// Lets a key lie where the file has other bytes already.
void PutInside(ProgramModel& model, std::string_view key, Extent place, uint64_t alignment) {
  Segment& segment = model.segments[FindKey(*model.origin, key)->segment_index];
  segment = {};
  segment.bytes.Append(model.origin->source(), place);
  segment.alignment = alignment;
  segment.inside = true;
}

Container Repacked(ProgramModel model, uint64_t min_alignment) {
  model.changed = true;
  return test::Opened(*PlanFile(model, min_alignment));
}

TEST(Overlap, AKeyLiesInsideTheConstantWithItsBytes) {
  const Container program = Tied().Open();
  const StrippedFile stripped = Overlapped(program);
  EXPECT_TRUE(IsOverlapped(stripped.file));
  EXPECT_EQ(ExtentOf(stripped.file, "tied").offset % 128, 0U);
  EXPECT_LE(stripped.file.source()->size(), program.source()->size() - kBytes);
  EXPECT_EQ(stripped.removed(), Names{"named-data tied"});
  EXPECT_EQ(stripped.report.items[0].bytes, kBytes);
  EXPECT_EQ(stripped.report.notes, Names{"1 key lies inside constants from now on; the runtime accepts segments inside "
                                         "others today and promises it nowhere"});
}

TEST(Overlap, OnlyWhereItIsAskedFor) {
  const Container program = Tied().Open();
  EXPECT_EQ(BytesOf(Stripped(program, StripOnly(&StripOptions::dedupe)).file), BytesOf(program));
  StripOptions options = StripOnly(&StripOptions::overlap);  // without dedupe it means nothing
  EXPECT_EQ(BytesOf(Stripped(program, options).file), BytesOf(program));
}

TEST(Overlap, KeysOfOneContentAllLieInTheConstant) {
  ProgramBuilder program = Tied();
  program.NamedData("again", Embedding());
  const StrippedFile stripped = Overlapped(program.Open());
  EXPECT_EQ(stripped.removed(), (Names{"named-data again", "named-data tied"}));
  EXPECT_EQ(ExtentOf(stripped.file, "again"), ExtentOf(stripped.file, "tied"));
  EXPECT_TRUE(IsOverlapped(stripped.file));
}

TEST(Overlap, RealProgramsWithTiedWeights) {
  for (const char* name : {"f06/mixed.pte", "f12/tied_xnn.pte"}) {
    const Container program = OpenFile(DataPath(name));
    const StrippedFile stripped = Overlapped(program);
    EXPECT_LT(stripped.file.source()->size(), program.source()->size()) << name;
    EXPECT_TRUE(SplitProgram(stripped.file, {})) << name;
  }
}

TEST(Overlap, WhatXxh3CannotTellStaysApart) {
  const auto [a, b] = CollidingContents();
  ProgramBuilder program;
  program.Constant(Floats({128}), a).NamedData("b", b);
  EXPECT_TRUE(Overlapped(program.Open()).report.items.empty());
}

TEST(Overlap, BlobsStatesAndSharedBuffersStayApart) {
  ProgramBuilder program;
  program.State(Floats({kFloats}), Embedding()).Delegate("B", Embedding());
  program.Constant(LayoutWith(99, {kFloats}), Pattern(kBytes, 8));  // of unknown size
  program.NamedData("state", Embedding()).NamedData("unknown", Pattern(kBytes, 8));
  auto model = ReadProgramModel(program.Open());
  ASSERT_TRUE(model) << Words(model);
  const auto keys = PutKeysInside(*model, 16, 1);
  ASSERT_TRUE(keys);
  EXPECT_TRUE(keys->empty());
  EXPECT_FALSE(model->changed);
}

TEST(Overlap, StaysApartWhereItSavesNothing) {
  // The constant would have to move by more than the key takes.
  ProgramBuilder program;
  program.segments.alignment = 4096;
  program.Constant(Floats({4}), Pattern(16, 1)).Constant(Floats({4}), Pattern(16, 2));
  program.Constant(Floats({1000}), Pattern(4000, 4)).NamedData("k", Pattern(16, 2));
  const Container file = program.Open();
  EXPECT_EQ(BytesOf(Stripped(file, Overlapping()).file), BytesOf(file));
}

TEST(Overlap, TheAlignmentThatIsAskedForIsThatOfTheKeyToo) {
  StripOptions options = Overlapping();
  options.min_alignment = 512;
  const StrippedFile stripped = Stripped(Tied().Open(), options);
  EXPECT_TRUE(IsOverlapped(stripped.file));
  EXPECT_EQ(ExtentOf(stripped.file, "tied").offset % 512, 0U);
}

TEST(Overlap, LaterStripsKeepIt) {
  const Container program = Overlapped(Tied().Open()).file;
  EXPECT_EQ(BytesOf(Stripped(program, StripOptions()).file), BytesOf(program));
  EXPECT_EQ(BytesOf(Stripped(program, StripEverything()).file), BytesOf(program));
  EXPECT_EQ(BytesOf(Repacked(*ReadProgramModel(program), 16)), BytesOf(program));
  // One constant less before the one that holds the key.
  ProgramBuilder builder = Tied();
  builder.LastPlan().inputs = Ints({1, 2});
  const Container shorter = Stripped(Overlapped(builder.Open()).file, StripOnly(&StripOptions::unreferenced)).file;
  EXPECT_EQ(shorter.state().program_root().constant_segment()->offsets()->size(), 3U);
  EXPECT_TRUE(IsOverlapped(shorter));
  EXPECT_EQ(ExtentOf(shorter, "tied").offset % 128, 0U);
}

TEST(Overlap, MoreAlignmentTakesItApart) {
  StripOptions options = StripOnly(&StripOptions::padding);
  options.min_alignment = 4096;
  const StrippedFile stripped = Stripped(Overlapped(Tied().Open()).file, options);
  EXPECT_EQ(ExtentOf(stripped.file, "tied").offset % 4096, 0U);
  EXPECT_FALSE(IsOverlapped(stripped.file));
}

TEST(Overlap, AConstantThatHoldsAKeyStaysWhereNobodyReadsIt) {
  const Container overlapped = Overlapped(Tied().Open()).file;
  ProgramModel model = *ReadProgramModel(overlapped);
  model.tables.execution_plan.items[0].inputs = Ints({0, 2});
  model.changed = true;
  const Container program = Opened(*PlanFile(model));
  const StrippedFile stripped = Stripped(program, StripOnly(&StripOptions::unreferenced));
  EXPECT_EQ(stripped.removed(), Names{"values forward"});
  EXPECT_TRUE(IsOverlapped(stripped.file));
}

// The constant before it goes, so that the key cannot stay in the constant that it lies in, which then goes too.
TEST(Overlap, AConstantThatHoldsAKeyNoMoreGoesAtOnce) {
  ProgramBuilder builder;
  builder.Constant(Floats({4}), Pattern(16, 1)).Constant(Floats({60}), Pattern(240, 2));
  builder.Constant(Floats({16}), Pattern(64, 3)).NamedData("app", Pattern(64, 4));
  builder.LastPlan().outputs = test::Ints({0});
  ProgramModel model = *ReadProgramModel(builder.Open());
  PutInside(model, "app", {ConstantSegment(*model.origin).offset + 256, 64}, 16);
  const Container program = Repacked(std::move(model), 256);
  ASSERT_TRUE(LiesInside(ExtentOf(program, "app"), ConstantSegment(program)));
  StripOptions options = test::StripOnly(&StripOptions::unreferenced);
  options.min_alignment = 256;
  const StrippedFile stripped = Stripped(program, options);
  EXPECT_EQ(stripped.removed(), (Names{"values forward", "constant forward.constant_1", "constant buffer 2"}));
  EXPECT_EQ(ConstantSegment(stripped.file).size, 16U);
}

TEST(Overlap, AKeyInsideAnInitialStateIsNotShared) {
  ProgramBuilder builder;
  builder.State(Floats({kFloats}), Embedding()).Delegate("Backend", TextBytes("part")).NamedData("part", Pattern(8, 1));
  ProgramModel model = *ReadProgramModel(builder.Open());
  const uint32_t state = model.tables.mutable_data_segments.items[0].segment_index;
  PutInside(model, "part", {model.origin->segments()[state].offset, 512}, 16);
  const Container program = Repacked(std::move(model), 16);
  ASSERT_EQ(ExtentOf(program, "part").size, 512U);
  const auto merged = MergePrograms({{{program}, "a.pte", "a.ptd"}, {{program}, "b.pte", "b.ptd"}}, {});
  ASSERT_TRUE(merged) << Words(merged);
  EXPECT_TRUE(merged->shared.empty());
}

TEST(Overlap, SplitsStoreItOnce) {
  const Container program = Overlapped(Tied().Open()).file;
  const SplitFiles split = Split(program);
  uint64_t bytes = 0;
  for (const Extent& segment : split.data().segments()) bytes += segment.size;
  EXPECT_EQ(bytes, kBytes + 300 + 16 + 16);
  const Container joined = Joined(split.files);
  EXPECT_FALSE(IsOverlapped(joined));  // nobody asked for it
  EXPECT_EQ(NamedBytes(joined), NamedBytes(program));
}

TEST(Overlap, SplitsOfOneHalfLeaveTheOther) {
  const Container program = Overlapped(Tied().Open()).file;
  SplitOptions constants, keys, small;
  constants.selection.named_data = keys.selection.constants = false;
  EXPECT_FALSE(Split(program, {}, constants).files.program.named_data().empty());
  EXPECT_TRUE(Split(program, {}, keys).files.program.named_data().empty());
  small.selection.named_data = false;
  small.selection.name_matches = [](const std::string& name) { return name == "forward.constant_0"; };
  const SplitFiles split = Split(program, {}, small);
  EXPECT_TRUE(split.has_data());
  EXPECT_TRUE(IsOverlapped(split.files.program));
}

TEST(Overlap, JoinsKeepIt) {
  ProgramBuilder builder = Tied();
  builder.External("w", Floats({4}));
  const Container data = DataFileBuilder().Key("w", Pattern(16, 9), Floats({4})).Open();
  ProgramModel model = *ReadProgramModel(builder.Open());
  ASSERT_EQ(PutKeysInside(model, 16, 1)->size(), 1U);
  const Container program = Opened(*PlanFile(model));
  EXPECT_TRUE(IsOverlapped(Joined({program, {data}})));
}

TEST(Overlap, MergesShareBothUnderTheirKeys) {
  const Container program = Overlapped(Tied().Open()).file;
  ProgramBuilder builder = Tied();
  builder.Constant(Floats({kFloats}), Pattern(kBytes, 11));
  builder.LastPlan().inputs = Ints({0, 1, 2, 3});
  const Container variant = Overlapped(builder.Open("variant.pte")).file;
  const auto merged = MergePrograms({{{program}, "a.pte", "a.ptd"}, {{variant}, "b.pte", "b.ptd"}}, {});
  ASSERT_TRUE(merged) << Words(merged);
  ASSERT_EQ(merged->shared.size(), 1U);
  const Container shared = Opened(merged->shared.front());
  uint64_t bytes = 0;
  for (const Extent& segment : shared.segments()) bytes += segment.size;
  EXPECT_EQ(bytes, kBytes + 300);
  const auto alone = MergePrograms({{{program}, "a.pte", "a.ptd"}}, {});
  ASSERT_TRUE(alone) << Words(alone);
  EXPECT_EQ(BytesOf(alone->programs[0].program), BytesOf(program));
}

TEST(Overlap, EachByteBelongsToTheConstant) {
  const Container program = Overlapped(Tied().Open()).file;
  const auto sizes = MeasureSizes(program);
  ASSERT_TRUE(sizes);
  uint64_t sum = 0;
  for (const SizeNode& component : sizes->components) {
    sum += component.size;
    if (component.name == "Constant Tensors") {
      EXPECT_EQ(component.size, kBytes + 32);
    }
    if (component.name != "Named Data") continue;
    EXPECT_EQ(component.size, 300U);
    EXPECT_EQ(component.components[1].name, "tied");
    EXPECT_EQ(component.components[1].size, 0U);
    EXPECT_EQ(component.components[1].more->note, "same as forward.constant_1");
  }
  EXPECT_EQ(sum, program.source()->size());
  const auto place = LocateByte(program, ExtentOf(program, "tied").offset + 5);
  ASSERT_TRUE(place);
  EXPECT_EQ(place->components, (Names{"Constant Tensors", "forward.constant_1"}));
}

TEST(Overlap, IsSoundAndMeansTheSame) {
  const Container program = OpenFile(DataPath("f06/mixed.pte"));
  const Container overlapped = Overlapped(program).file;
  const auto findings = VerifyOpened(overlapped);
  ASSERT_TRUE(findings);
  EXPECT_TRUE((*findings)[0].findings.empty()) << (*findings)[0].findings[0].message;
  const auto difference = FindDifference(program, overlapped, {});
  ASSERT_TRUE(difference);
  EXPECT_FALSE(*difference);
}

// A file of others: keys in the midst of a constant, at an odd place, and inside each other.
TEST(Overlap, ForeignSegmentsInsideOthersStayThere) {
  ProgramBuilder builder = Tied();
  builder.NamedData("part", Pattern(100, 4)).NamedData("odd", Pattern(20, 5)).NamedData("in key", Pattern(40, 6));
  ProgramModel model = *ReadProgramModel(builder.Open());
  const uint64_t constants = ConstantSegment(*model.origin).offset;
  PutInside(model, "part", {constants + 64, 100}, 16);
  PutInside(model, "odd", {constants + 5, 20}, 1);
  PutInside(model, "in key", {ExtentOf(*model.origin, "tied").offset + 32, 40}, 16);
  const Container program = Repacked(std::move(model), 1);
  EXPECT_EQ(ExtentOf(program, "odd").offset, ConstantSegment(program).offset + 5);

  const Container again = Repacked(*ReadProgramModel(program), 16);
  ExpectSameModel({program, {}}, {again, {}});
  EXPECT_EQ(NamedBytes(program), NamedBytes(again));
  EXPECT_TRUE(LiesInside(ExtentOf(again, "part"), ConstantSegment(again)));
  EXPECT_TRUE(LiesInside(ExtentOf(again, "in key"), ExtentOf(again, "tied")));
  EXPECT_TRUE(LiesInside(ExtentOf(again, "odd"), ConstantSegment(again)));
  EXPECT_EQ(again.source()->size(), program.source()->size());
  for (const StripOptions& options : {StripOptions(), StripEverything(), Overlapping()}) {
    const Container stripped = Stripped(program, options).file;
    ExpectSameModel({program, {}}, {stripped, {}});
    EXPECT_EQ(NamedBytes(program), NamedBytes(stripped));
  }
  EXPECT_EQ(NamedBytes(Joined(Split(program).files)), NamedBytes(program));
}

}  // namespace
}  // namespace pteedit::overlap_test
