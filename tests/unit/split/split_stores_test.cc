// Where the bytes that stay go: segments, states and inline constants after a split.
#include <gtest/gtest.h>

#include "program/file_set.h"
#include "program_builder.h"
#include "split_files.h"

namespace pteedit::split_stores_test {
namespace {

using namespace pteedit::test;

constexpr int8_t kExternalLocation = 1;

TEST(SplitStores, OthersThatUseTheConstantSegmentKeepTheirBytes) {
  ProgramBuilder program;
  program.Constant(Floats({16}), Pattern(64, 1)).Constant(Floats({4}), Pattern(16, 2));
  program.tables.named_data = {true, {{tables::OwnText("same segment"), 0}}};
  Split(program.Open());  // compares the bytes of every key
  SplitOptions options;
  options.selection.min_bytes = 30;
  Split(program.Open(), {}, options);
}

TEST(SplitStores, BufferOfAKnownAndAnUnknownTypeStaysWhole) {
  const TensorLayout unknown = LayoutWith(99, {3}), known = Floats({2});
  for (const auto& [first, second] : {std::pair(unknown, known), std::pair(known, unknown)}) {
    ProgramBuilder program;
    const uint32_t buffer = program.AddBuffer(Pattern(40, 1));
    program.Tensor(buffer, first).Tensor(buffer, second).Constant(Floats({16}), Pattern(64, 2));
    auto result = SplitProgram(program.Open(), {});
    ASSERT_TRUE(result) << Words(result);
    const Container after = Opened(result->program);
    ASSERT_GE(after.segments()[0].size, 40U);
    EXPECT_EQ(BytesOf(*after.source(), {after.segments()[0].offset, 40}), Pattern(40, 1));
    EXPECT_EQ(ReasonsOf(result->report), Names{"forward.constant_0: unknown element type"});
  }
}

TEST(SplitStores, InlineConstantsMove) {
  for (const char* name : {"old/0.1_inline.pte", "old/0.1_inline_delegate.pte"}) {
    const Container before = OpenFile(DataPath(name));
    const SplitFiles split = Split(before);
    const auto& buffers = *split.files.program.state().program_root().constant_buffer();
    EXPECT_EQ(buffers.size(), 1U) << name;  // the placeholder
    EXPECT_EQ(split.has_data(), before.state().program_root().constant_buffer()->size() > 1) << name;
  }
}

TEST(SplitStores, StatesMoveOnlyWhenAsked) {
  const Container program = OpenFile(DataPath("f09/kv_init.pte"));
  const SplitFiles without = Split(program);
  EXPECT_EQ(without.files.program.state().program_root().mutable_data_segments()->size(), 1U);
  const SplitFiles with = Split(program, {}, SplitEverything());
  EXPECT_EQ(with.files.program.state().program_root().mutable_data_segments(), nullptr);
  EXPECT_GT(KeysOf(with.data()).size(), KeysOf(without.data()).size());
  ForEachTensor(with.files.program.state().program_root(), [&](size_t, size_t, const schema::Tensor& tensor) {
    const schema::ExtraTensorInfo* extra = tensor.extra_tensor_info();
    if (extra == nullptr || tensor.allocation_info() == nullptr) return;
    EXPECT_EQ(static_cast<int8_t>(extra->location()), kExternalLocation);
    EXPECT_EQ(extra->mutable_data_segments_idx(), 0U);
  });
}

TEST(SplitStores, PartsOfMutableDataWithoutOffsetsDoNotHurt) {
  ProgramBuilder program;
  program.State(Floats({4}), Pattern(16, 1));
  program.tables.mutable_data_segments.items.push_back({99999, {}});  // the index means nothing
  const SplitFiles split = Split(program.Open(), {}, SplitEverything());
  EXPECT_TRUE(split.has_data());
}

TEST(SplitStores, StatesThatStayFollowTheirBuffers) {
  ProgramBuilder program;
  program.State(Floats({4}), Pattern(16, 1)).State(Floats({16}), Pattern(64, 2)).State(Floats({4}), Pattern(16, 3));
  SplitOptions options = SplitEverything();
  options.selection.min_bytes = 30;
  const SplitFiles split = Split(program.Open(), {}, options);
  EXPECT_EQ(KeysOf(split.data()).size(), 1U);
}

TEST(SplitStores, TensorsThatStayFollowTheirBuffers) {
  ProgramBuilder program;
  program.Constant(Floats({16}), Pattern(64, 1))
      .Constant(Floats({4}), Pattern(16, 2))
      .Constant(Floats({16}), Pattern(64, 3));
  program.Constant(Floats({4}), Pattern(16, 4)).Constant(LayoutWith(99, {2}), Pattern(24, 5));
  SplitOptions options;
  options.selection.min_bytes = 30;
  auto result = SplitProgram(program.Open(), options);
  ASSERT_TRUE(result) << Words(result);
  const Container after = Opened(result->program);
  const schema::Program& root = after.state().program_root();
  const schema::SubsegmentOffsets& part = *root.constant_segment();
  ASSERT_EQ(part.offsets()->size(), 4U);
  const auto& values = *root.execution_plan()->Get(0)->values();
  const uint64_t begin = after.segments()[part.segment_index()].offset;
  const auto starts_with = [&](flatbuffers::uoffset_t value, const std::vector<uint8_t>& bytes) {
    const uint32_t buffer = values.Get(value)->val_as_Tensor()->data_buffer_idx();
    EXPECT_EQ(BytesOf(*after.source(), {begin + part.offsets()->Get(buffer), bytes.size()}), bytes) << value;
  };
  starts_with(1, Pattern(16, 2));
  starts_with(3, Pattern(16, 4));
  starts_with(4, Pattern(24, 5));  // of an unknown type: all that follows
}

}  // namespace
}  // namespace pteedit::split_stores_test
