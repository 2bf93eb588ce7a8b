// Which constants a program has, what they are called, and where they lie.
#include "program/constants.h"

#include <gtest/gtest.h>

#include "file_contents.h"
#include "program/container_state.h"
#include "program_builder.h"

namespace pteedit::constants_test {
namespace {

using test::DataPath;
using test::Floats;
using test::LayoutWith;
using test::OpenFile;
using test::Pattern;
using test::ProgramBuilder;
using Names = std::vector<std::string>;

constexpr int8_t kUnknownType = 99;

Names NamesOf(const std::vector<Constant>& constants) {
  Names names;
  for (const Constant& constant : constants) names.push_back(constant.name);
  return names;
}

std::vector<uint8_t> BytesOf(const Container& program, const Constant& constant) {
  return test::BytesOf(*program.source(), constant.extent);
}

TEST(CollectConstants, AreCountedByFirstUseInEachMethod) {
  ProgramBuilder program;
  const uint32_t first = program.Method("prefill").AddBuffer(Pattern(16, 1));
  const uint32_t second = program.AddBuffer(Pattern(16, 2));
  program.Tensor(second, Floats({4})).Tensor(first, Floats({4})).Tensor(second, Floats({4}));
  program.Method("decode").Tensor(first, Floats({4}));
  const std::vector<Constant> constants = CollectConstants(program.Open());
  ASSERT_EQ(NamesOf(constants), (Names{"decode.constant_0", "prefill.constant_0"}));
  EXPECT_EQ(constants[0].aliases, Names{"prefill.constant_1"});
  EXPECT_EQ(constants[0].buffer, first);
  ASSERT_EQ(constants[0].uses.size(), 2U);
  EXPECT_EQ(constants[0].uses[0].method, 1U);
  EXPECT_EQ(constants[0].uses[1].method, 0U);
  EXPECT_EQ(constants[0].uses[1].value, 1U);
  EXPECT_EQ(constants[1].uses.size(), 2U);
}

TEST(CollectConstants, AreCalledByTheNameInTheFile) {
  ProgramBuilder program;
  program.Constant(Floats({4}), Pattern(16, 1)).Constant(Floats({4}), Pattern(16, 2));
  program.TensorAt(0).extra_tensor_info.emplace().fully_qualified_name = tables::OwnText("fc.weight");
  EXPECT_EQ(NamesOf(CollectConstants(program.Open())), (Names{"fc.weight", "forward.constant_1"}));
}

TEST(CollectConstants, OfOnePlaceAreOne) {
  ProgramBuilder program;
  const uint32_t buffer = program.AddBuffer(Pattern(64, 1));
  std::vector<uint64_t> offsets(program.tables.constant_segment->offsets.begin(),
                                program.tables.constant_segment->offsets.end());
  offsets.push_back(offsets.back());  // another buffer at the same place
  program.tables.constant_segment->offsets = test::Offsets(offsets);
  program.Tensor(buffer, Floats({4})).Tensor(buffer + 1, Floats({16})).Tensor(buffer, LayoutWith(3, {2, 2}));
  const Container file = program.Open();
  const std::vector<Constant> constants = CollectConstants(file);
  ASSERT_EQ(constants.size(), 1U);
  EXPECT_EQ(constants[0].extent.size, 64U);
  ASSERT_EQ(constants[0].uses.size(), 3U);
  EXPECT_EQ(constants[0].uses[2].layout(), LayoutWith(3, {2, 2}));
}

TEST(CollectConstants, WithoutBytesAreOneOnlyInOneBuffer) {
  ProgramBuilder program;
  const uint32_t first = program.AddBuffer({}), second = program.AddBuffer({});
  program.Tensor(first, Floats({0})).Tensor(second, Floats({0})).Tensor(first, Floats({0, 3}));
  EXPECT_EQ(CollectConstants(program.Open()).size(), 2U);
}

TEST(CollectConstants, LeavesInputsAndExternalTensorsOut) {
  ProgramBuilder program;
  program.Tensor(0, Floats({4})).External("w", Floats({4})).Constant(Floats({4}), Pattern(16, 1));
  EXPECT_EQ(NamesOf(CollectConstants(program.Open())), Names{"forward.constant_0"});
}

TEST(CollectConstants, CountsInitialStatesApart) {
  ProgramBuilder program;
  program.State(Floats({4}), Pattern(16, 1)).Constant(Floats({4}), Pattern(16, 2)).State(Floats({2}), Pattern(8, 3));
  const Container file = program.Open();
  const std::vector<Constant> constants = CollectConstants(file);
  ASSERT_EQ(NamesOf(constants), (Names{"forward.mutable_0", "forward.constant_0", "forward.mutable_1"}));
  EXPECT_EQ(constants[0].store, Store::kMutable);
  EXPECT_EQ(constants[1].store, Store::kSegment);
  EXPECT_EQ(BytesOf(file, constants[2]), Pattern(8, 3));
}

TEST(CollectConstants, OfUnknownTypeReachToTheNextBufferOrTheEnd) {
  ProgramBuilder program;
  program.Constant(LayoutWith(kUnknownType, {3}), Pattern(5, 1)).Constant(LayoutWith(kUnknownType, {3}), Pattern(5, 2));
  const std::vector<Constant> constants = CollectConstants(program.Open());
  ASSERT_EQ(constants.size(), 2U);
  EXPECT_EQ(constants[0].extent.size, 16U);
  EXPECT_EQ(constants[1].extent.size, 5U);
  EXPECT_FALSE(constants[0].known_size);
}

TEST(CollectConstants, OfKnownAndUnknownTypeAreOfUnknownSize) {
  const TensorLayout unknown = LayoutWith(kUnknownType, {3}), known = Floats({2});
  for (const auto& [first, second] : {std::pair(unknown, known), std::pair(known, unknown)}) {
    ProgramBuilder program;
    const uint32_t buffer = program.AddBuffer(Pattern(40, 1));
    program.Tensor(buffer, first).Tensor(buffer, second);
    const std::vector<Constant> constants = CollectConstants(program.Open());
    ASSERT_EQ(constants.size(), 1U);
    EXPECT_FALSE(constants[0].known_size);
    EXPECT_EQ(constants[0].extent.size, 40U);
  }
}

// Its bytes may be none now and some once what is behind it has moved.
TEST(CollectConstants, WithoutBytesAreNoneOfUnknownType) {
  ProgramBuilder program;
  const uint32_t last = program.AddBuffer({});
  program.Tensor(last, LayoutWith(kUnknownType, {3})).Tensor(last, Floats({0}));
  EXPECT_EQ(NamesOf(CollectConstants(program.Open())), (Names{"forward.constant_0", "forward.constant_1"}));
}

TEST(CollectConstants, FindsInlineConstants) {
  const Container file = OpenFile(DataPath("old/0.1_inline.pte"));
  const std::vector<Constant> constants = CollectConstants(file);
  ASSERT_FALSE(constants.empty());
  for (const Constant& constant : constants) {
    EXPECT_EQ(constant.store, Store::kInline);
    const auto* storage = file.state().program_root().constant_buffer()->Get(constant.buffer)->storage();
    const std::vector<uint8_t> stored(storage->begin(), storage->end());
    EXPECT_EQ(BytesOf(file, constant), stored);
  }
}

TEST(CollectConstants, SeesTiedWeightsOnce) {
  // a.weight = b.weight, two biases, dup1 = dup2 = flat = as_i32 by their bytes, z1 = z2, and what the exporter adds.
  const Container file = OpenFile(DataPath("f12/tied_portable.pte"));
  const std::vector<Constant> constants = CollectConstants(file);
  size_t of_four_uses = 0;
  for (const Constant& constant : constants) of_four_uses += constant.uses.size() >= 4 ? 1 : 0;
  EXPECT_EQ(of_four_uses, 1U);
  for (const Constant& constant : constants) {
    for (const ConstantUse& use : constant.uses) EXPECT_LE(*ByteSize(use.layout()), constant.extent.size);
  }
}

TEST(MethodsByName, IsTheOrderOfNames) {
  ProgramBuilder program;
  program.Method("prefill").Method("decode").Method("encode");
  EXPECT_EQ(MethodsByName(program.Open().state().program_root()), (std::vector<size_t>{1, 2, 0}));
}

TEST(BlobExtent, FindsBlobsInSegmentsAndInline) {
  ProgramBuilder program;
  program.Method("forward").Delegate("A", Pattern(40, 1)).Delegate("B", {}).Delegate("C", {});
  program.tables.backend_delegate_data = {true, {{}, {{tables::Blob{test::Bytes(Pattern(30, 2)), 16}}}}};
  program.LastPlan().delegates.items[1].processed = tables::BackendDelegateDataReference{0, 1};
  program.LastPlan().delegates.items[2].processed = tables::BackendDelegateDataReference{0, 0};
  const Container file = program.Open();
  const auto& delegates = *file.state().program_root().execution_plan()->Get(0)->delegates();
  EXPECT_EQ(test::BytesOf(*file.source(), BlobExtent(file, *delegates.Get(0))), Pattern(40, 1));
  EXPECT_EQ(test::BytesOf(*file.source(), BlobExtent(file, *delegates.Get(1))), Pattern(30, 2));
  EXPECT_EQ(BlobExtent(file, *delegates.Get(2)).size, 0U);
}

TEST(WhyWithoutLayout, NamesWhatNoDataFileCanSay) {
  ProgramBuilder builder;
  builder.Method("m").Constant(Floats({4}), Pattern(16, 1)).Constant(Floats({4}), Pattern(16, 2));
  builder.TensorAt(0).dim_order = {};
  const Container program = builder.Open();
  const std::vector<Constant> constants = CollectConstants(program);
  ASSERT_EQ(constants.size(), 2U);
  EXPECT_EQ(WhyWithoutLayout(constants[0]), "no dim order");
  EXPECT_EQ(WhyWithoutLayout(constants[1]), "");
}

}  // namespace
}  // namespace pteedit::constants_test
