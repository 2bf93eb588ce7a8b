#include "edit/dedupe.h"

#include <gtest/gtest.h>

#include "colliding_contents.h"
#include "edit/plan.h"
#include "program_builder.h"
#include "split_files.h"

namespace pteedit::dedupe_test {
namespace {

using test::BytesOf;
using test::DataFileBuilder;
using test::Floats;
using test::LayoutWith;
using test::Opened;
using test::Pattern;
using test::ProgramBuilder;
using test::Words;
using Found = std::vector<std::string>;

struct Deduped {
  Container file;
  Found found;  // "what name bytes"
};

Found ListOf(const std::vector<Duplicate>& duplicates) {
  Found found;
  for (const Duplicate& copy : duplicates)
    found.push_back(std::string(copy.what) + " " + copy.name + " " + std::to_string(copy.bytes));
  return found;
}

// Dedupes and checks that every tensor, blob and key still has its bytes, and that nothing is found twice.
Deduped Dedupe(const Container& program) {
  auto model = ReadProgramModel(program);
  EXPECT_TRUE(model) << Words(model);
  auto duplicates = DedupeModel(*model, 1);
  EXPECT_TRUE(duplicates) << Words(duplicates);
  EXPECT_EQ(model->changed, !duplicates->empty());
  auto planned = PlanFile(*model);
  EXPECT_TRUE(planned) << Words(planned);
  const Container after = Opened(*planned);
  test::ExpectSameModel({program, {}}, {after, {}});
  EXPECT_EQ(test::NamedBytes(program), test::NamedBytes(after));
  auto again = ReadProgramModel(after);
  EXPECT_TRUE(DedupeModel(*again, 1)->empty());
  EXPECT_FALSE(again->changed);
  return {after, ListOf(*duplicates)};
}

const schema::Program& RootOf(const Deduped& deduped) { return deduped.file.state().program_root(); }

TEST(Dedupe, EqualBuffersOfTheConstantSegmentBecomeOne) {
  ProgramBuilder program;
  program.Constant(Floats({16}), Pattern(64, 1)).Constant(Floats({4}), Pattern(16, 2));
  program.Constant(Floats({4, 4}), Pattern(64, 1)).Constant(Floats({16}), Pattern(64, 3));
  const Deduped deduped = Dedupe(program.Open());
  EXPECT_EQ(deduped.found, Found{"constant forward.constant_2 64"});
  EXPECT_EQ(RootOf(deduped).constant_segment()->offsets()->size(), 4U);
  EXPECT_EQ(deduped.file.segments()[0].size, 64U + 16U + 64U);
}

TEST(Dedupe, BuffersOfDifferentLengthStayApart) {
  ProgramBuilder program;
  std::vector<uint8_t> longer = Pattern(64, 1);
  program.Constant(Floats({4}), Pattern(16, 1)).Constant(Floats({16}), longer);
  EXPECT_TRUE(Dedupe(program.Open()).found.empty());
}

TEST(Dedupe, ContentsThatXxh3CannotTellStayApart) {
  const auto [a, b] = test::CollidingContents();
  ProgramBuilder program;
  program.Constant(Floats({128}), a).Constant(Floats({128}), b);
  program.NamedData("a", a).NamedData("b", b).Delegate("B", a).Delegate("B", b);
  EXPECT_TRUE(Dedupe(program.Open()).found.empty());
}

TEST(Dedupe, BuffersThatOverlapStay) {
  ProgramBuilder program;
  const std::vector<uint8_t> bytes = Pattern(64, 1);
  program.Constant(Floats({16}), bytes);
  program.Constant(Floats({4}), {bytes.begin() + 16, bytes.begin() + 32}).Constant(Floats({16}), bytes);
  // A buffer inside the first, equal to the second.
  auto& part = *program.tables.constant_segment;
  part.offsets = test::Offsets({part.offsets[0], part.offsets[1], part.offsets[2], part.offsets[3], 16});
  program.Tensor(4, Floats({4}));
  EXPECT_TRUE(Dedupe(program.Open()).found.empty());
}

TEST(Dedupe, SurvivorLiesWhereTheElementsOfItsCopiesNeedIt) {
  constexpr int8_t kByte = 0, kHalf = 5;
  ProgramBuilder program;
  program.Constant(LayoutWith(kByte, {1}), {7}).Constant(LayoutWith(kByte, {2}), {1, 2});
  program.Constant(LayoutWith(kHalf, {1}), {1, 2});
  auto& part = *program.tables.constant_segment;
  part.offsets = test::Offsets({0, 0, 1, 4});  // so far the bytes lie 16 apart
  program.segments.contents[part.segment_index] = {7, 1, 2, 0, 1, 2};
  const Deduped deduped = Dedupe(program.Open());
  EXPECT_EQ(deduped.found, Found{"constant forward.constant_2 2"});
  EXPECT_EQ(RootOf(deduped).constant_segment()->offsets()->Get(2), 2U);
}

TEST(Dedupe, BuffersOfUnknownSizeStay) {
  ProgramBuilder program;
  for (int i = 0; i < 2; ++i) program.Constant(LayoutWith(99, {4}), Pattern(16, 1));
  const Container file = program.Open();
  auto model = ReadProgramModel(file);
  EXPECT_TRUE(DedupeModel(*model, 1)->empty());
}

TEST(Dedupe, TensorsOutsideDoNotCount) {
  ProgramBuilder program;
  program.Constant(Floats({4}), Pattern(16, 1)).Constant(Floats({4}), Pattern(16, 1)).External("k", Floats({4}));
  program.TensorAt(2).data_buffer_idx = 7;  // means nothing
  auto model = ReadProgramModel(program.Open());
  EXPECT_EQ(ListOf(*DedupeModel(*model, 1)), Found{"constant forward.constant_1 16"});
  const Container after = Opened(*PlanFile(*model));
  const auto& values = *after.state().program_root().execution_plan()->Get(0)->values();
  EXPECT_EQ(values.Get(2)->val_as_Tensor()->data_buffer_idx(), 7U);
  EXPECT_EQ(values.Get(1)->val_as_Tensor()->data_buffer_idx(), 1U);
}

TEST(Dedupe, EqualStatesOfOnePartBecomeOne) {
  ProgramBuilder program;
  program.State(Floats({4}), Pattern(16, 1)).State(Floats({4}), Pattern(16, 1)).Constant(Floats({4}), Pattern(16, 1));
  const Deduped deduped = Dedupe(program.Open());
  EXPECT_EQ(deduped.found, Found{"mutable forward.mutable_1 16"});
  EXPECT_EQ(RootOf(deduped).mutable_data_segments()->Get(0)->offsets()->size(), 2U);
}

TEST(Dedupe, SegmentThatOthersReadStaysWhole) {
  ProgramBuilder program;
  program.Constant(Floats({4}), Pattern(16, 1)).Constant(Floats({4}), Pattern(16, 1));
  program.tables.named_data = {true, {{tables::OwnText("same segment"), 0}}};
  EXPECT_TRUE(Dedupe(program.Open()).found.empty());
}

TEST(Dedupe, KeysShareAndBlobsShareButNotWithEachOther) {
  ProgramBuilder program;
  program.Method("a").Delegate("B", Pattern(40, 1)).NamedData("k1", Pattern(40, 1)).NamedData("k2", Pattern(40, 1));
  program.Method("b").Delegate("B", Pattern(40, 1)).Constant(Floats({10}), Pattern(40, 1));
  program.NamedData("k3", Pattern(40, 2));
  const Deduped deduped = Dedupe(program.Open());
  EXPECT_EQ(deduped.found, (Found{"delegate B_1 40", "named-data k2 40"}));
  EXPECT_EQ(deduped.file.segments().size(), 4U);  // constants, blob, k1, k3
}

TEST(Dedupe, SurvivorHasTheLargerAlignment) {
  ProgramBuilder program;
  program.NamedData("a", Pattern(40, 1)).NamedData("b", Pattern(40, 1));
  auto model = ReadProgramModel(program.Open());
  model->segments[2].alignment = 1024;
  ASSERT_EQ(DedupeModel(*model, 1)->size(), 1U);
  ASSERT_EQ(model->segments.size(), 2U);
  EXPECT_EQ(model->segments[1].alignment, 1024U);
}

TEST(Dedupe, BytesThatAlreadyLieOnceAreNoFind) {
  ProgramBuilder program;
  program.NamedData("a", Pattern(40, 1)).NamedData("b", Pattern(40, 2));
  auto model = ReadProgramModel(program.Open());
  model->segments.push_back(model->segments[1]);
  model->tables.named_data.items.push_back({tables::OwnText("c"), 3});
  EXPECT_TRUE(DedupeModel(*model, 1)->empty());
}

TEST(Dedupe, ContentsWithoutBytesStay) {
  ProgramBuilder program;
  program.Constant(Floats({0}), {}).Constant(Floats({0}), {}).NamedData("a", {}).NamedData("b", {});
  EXPECT_TRUE(Dedupe(program.Open()).found.empty());
}

// One method with three delegates and three constants inside the tables.
tables::Program InlineProgram() {
  tables::Program program = test::SmallProgram();
  program.constant_segment.reset();
  program.constant_buffer.present = program.backend_delegate_data.present = true;
  const auto bytes = [](uint32_t seed) {
    tables::InlineBytes found;
    found.value = {test::Bytes(Pattern(16, seed)), 16};
    return found;
  };
  program.constant_buffer.items = {tables::InlineBytes(), bytes(1), bytes(2), bytes(1)};
  program.backend_delegate_data.items = {bytes(3), bytes(1), bytes(3)};
  tables::ExecutionPlan& plan = test::PlanOf(program);
  for (uint32_t i = 0; i < 3; ++i) {
    tables::BackendDelegate delegate{tables::OwnText("Inline"), tables::BackendDelegateDataReference{0, i}, {}};
    plan.delegates.items.push_back(delegate);
  }
  for (uint32_t i = 2; i < 4; ++i) {
    tables::Tensor tensor = test::SmallTensor();
    tensor.data_buffer_idx = i;
    plan.values.items.push_back(test::ValueOf(tensor));
  }
  return program;
}

TEST(Dedupe, EqualBytesInsideTheTablesBecomeOne) {
  const std::vector<uint8_t> bytes = test::ProgramBytes(InlineProgram());
  const auto program = Container::Open(MakeMemorySource("inline.pte", bytes));
  ASSERT_TRUE(program) << Words(program);
  const Deduped deduped = Dedupe(*program);
  EXPECT_EQ(deduped.found, (Found{"constant forward.constant_2 16", "delegate Inline_2 16"}));
  EXPECT_EQ(RootOf(deduped).constant_buffer()->size(), 3U);
  EXPECT_EQ(RootOf(deduped).backend_delegate_data()->size(), 2U);
  auto model = ReadProgramModel(*program);
  model->tables.constant_buffer.items[3].value.alignment = 512;
  model->tables.backend_delegate_data.items[2].value.alignment = 1024;
  ASSERT_TRUE(DedupeModel(*model, 1));
  EXPECT_EQ(model->tables.constant_buffer.items[1].value.alignment, 512U);
  EXPECT_EQ(model->tables.backend_delegate_data.items[0].value.alignment, 1024U);
}

TEST(Dedupe, KeysOfADataFileShare) {
  DataFileBuilder data;
  data.Key("a", Pattern(16, 1), Floats({4})).Key("b", Pattern(16, 2)).Key("c", Pattern(16, 1));
  const Container file = data.Open();  // the model looks into it
  auto model = ReadDataModel(file);
  EXPECT_EQ(ListOf(*DedupeModel(*model, 1)), Found{"named-data c 16"});
  const Container after = Opened(*PlanFile(*model));
  EXPECT_EQ(after.segments().size(), 2U);
  EXPECT_EQ(test::NamedBytes(after), test::NamedBytes(data.Open()));
}

TEST(Dedupe, PassesReadErrorsOn) {
  ProgramBuilder program;
  program.NamedData("a", Pattern(40, 1)).NamedData("b", Pattern(40, 1));
  const std::vector<uint8_t> bytes = program.Bytes();
  const auto reading = [&](uint64_t offset, MutableByteSpan out) -> Status {
    if (offset + out.size > bytes.size() - 80) return IoError("gone");
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(offset), out.size, out.data);
    return {};
  };
  const auto opened = Container::Open(MakeCallbackSource("broken.pte", bytes.size(), reading));
  ASSERT_TRUE(opened) << Words(opened);
  auto model = ReadProgramModel(*opened);
  EXPECT_EQ(Words(DedupeModel(*model, 1)), "broken.pte: gone");
}

}  // namespace
}  // namespace pteedit::dedupe_test
