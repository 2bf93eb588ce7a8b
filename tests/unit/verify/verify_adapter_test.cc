// An adapter that goes in as inputs: its entries are held against the inputs in their order.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "program_builder.h"
#include "pteedit/verify.h"
#include "small_files.h"

namespace pteedit::verify_adapter_test {
namespace {

using test::DataFileBuilder;
using test::Floats;
using test::Ints;
using test::LayoutWith;
using test::Pattern;
using test::ProgramBuilder;

constexpr size_t kFloat = 4;

// forward(tokens, a [2, 4], b [4, 2], c [8])
ProgramBuilder WithInputs() {
  ProgramBuilder builder;
  builder.Method("forward");
  builder.Tensor(0, LayoutWith(4, {1, 3})).Tensor(0, Floats({2, 4})).Tensor(0, Floats({4, 2})).Tensor(0, Floats({8}));
  for (size_t i = 0; i < 4; ++i) {
    builder.TensorAt(i).allocation_info.emplace().memory_id = 1;
    builder.TensorAt(i).allocation_info->memory_offset_low = static_cast<uint32_t>(i * 32);
  }
  builder.LastPlan().non_const_buffer_sizes = tables::Vector<int64_t>::Own({0, 256});
  builder.LastPlan().inputs = Ints({0, 1, 2, 3});
  return builder;
}

DataFileBuilder Adapter() {
  DataFileBuilder adapter;
  adapter.Key("z.lora_a", Pattern(8 * kFloat, 1), Floats({2, 4}));
  adapter.Key("a.lora_b", Pattern(8 * kFloat, 2), Floats({4, 2}));
  return adapter;
}

std::vector<std::string> Find(const ProgramBuilder& program, const DataFileBuilder& adapter) {
  const auto found =
      VerifyAdapter(MakeMemorySource("m.pte", program.Bytes()), MakeMemorySource("a.ptd", adapter.Bytes()));
  EXPECT_TRUE(found) << (found ? "" : found.error().message);
  EXPECT_EQ(found->file, "a.ptd");
  std::vector<std::string> words;
  for (const Finding& finding : found->findings) {
    const std::string mark = finding.severity == Severity::kWarning ? "~" : "";
    words.push_back(mark + finding.id + ": " + finding.where + " " + finding.message);
  }
  return words;
}

using Words = std::vector<std::string>;

TEST(VerifyAdapter, EntriesThatFitInputsWhichFollowEachOtherAreClean) {
  EXPECT_EQ(Find(WithInputs(), Adapter()), Words());
  EXPECT_EQ(Find(WithInputs(), Adapter().Key("c", Pattern(8 * kFloat, 3), Floats({8}))), Words());
}

TEST(VerifyAdapter, OtherOrderIsFoundWhateverTheKeysAre) {
  DataFileBuilder swapped;
  swapped.Key("a.lora_b", Pattern(8 * kFloat, 2), Floats({4, 2}));
  swapped.Key("z.lora_a", Pattern(8 * kFloat, 1), Floats({2, 4}));
  swapped.Key("c", Pattern(8 * kFloat, 3), Floats({8}));
  EXPECT_EQ(Find(WithInputs(), swapped),
            Words({"adapter-input: entry 0, key 'a.lora_b', is float32 [4, 2], input 1 of method 'forward' takes "
                   "float32 [2, 4]",
                   "adapter-input: entry 1, key 'z.lora_a', is float32 [2, 4], input 2 of method 'forward' takes "
                   "float32 [4, 2]"}));
}

TEST(VerifyAdapter, OtherElementTypesAndDimOrdersAreFound) {
  TensorLayout columns = Floats({4, 2});
  columns.dim_order = {1, 0};
  DataFileBuilder adapter;
  adapter.Key("a", Pattern(8 * kFloat, 1), LayoutWith(3, {2, 4})).Key("b", Pattern(8 * kFloat, 2), columns);
  adapter.Key("c", Pattern(8 * kFloat, 3), Floats({8}));
  EXPECT_EQ(Find(WithInputs(), adapter),
            Words({"adapter-input: entry 0, key 'a', is int32 [2, 4], input 1 of method 'forward' takes float32 [2, 4]",
                   "adapter-input: entry 1, key 'b', is float32 [4, 2] in order [1, 0], input 2 of method 'forward' "
                   "takes float32 [4, 2]"}));
}

TEST(VerifyAdapter, MoreEntriesThanInputsAreFound) {
  DataFileBuilder adapter = Adapter();
  for (const char* key : {"c", "d", "e"}) adapter.Key(key, Pattern(8 * kFloat, 3), Floats({8}));
  EXPECT_EQ(Find(WithInputs(), adapter),
            Words({"adapter-inputs: method 'forward' has fewer inputs than the adapter entries: 4, not 5"}));
}

TEST(VerifyAdapter, AnEntryWithOtherBytesThanItsLayoutIsFound) {
  DataFileBuilder adapter;
  adapter.Key("c", Pattern(9 * kFloat, 3), Floats({8}));
  EXPECT_EQ(Find(WithInputs(), adapter), Words({"adapter-bytes: entry 0, key 'c', has 36 bytes, its layout 32"}));
}

TEST(VerifyAdapter, WithoutLayoutsBytesAreCompared) {
  DataFileBuilder adapter;
  adapter.Key("b", Pattern(8 * kFloat, 2)).Key("c", Pattern(4 * kFloat, 3));
  EXPECT_EQ(Find(WithInputs(), adapter),
            Words({"~adapter-layout: entry 0, key 'b', has no layout, so only its bytes can be compared",
                   "~adapter-layout: entry 1, key 'c', has no layout, so only its bytes can be compared",
                   "adapter-input: entry 1, key 'c', is 16 bytes, input 3 of method 'forward' takes 32 bytes"}));
}

TEST(VerifyAdapter, MethodsThatTakeNoAdapterAreLeftOutWhereAnotherDoes) {
  ProgramBuilder program = WithInputs();
  program.Method("encode").Tensor(0, Floats({2, 4}));
  program.TensorAt(0).allocation_info.emplace().memory_id = 1;
  program.LastPlan().inputs = Ints({0});
  EXPECT_EQ(Find(program, Adapter()), Words());
}

TEST(VerifyAdapter, AProgramWithoutInputsTakesNone) {
  ProgramBuilder program;
  program.Method("forward");
  EXPECT_EQ(Find(program, Adapter()), Words({"adapter-inputs:  the program has no method with inputs"}));
}

TEST(VerifyAdapter, AProgramIsNoAdapter) {
  const auto source = MakeMemorySource("m.pte", WithInputs().Bytes());
  const auto found = VerifyAdapter(source, source);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().message, "is a program, a data file expected");
}

}  // namespace
}  // namespace pteedit::verify_adapter_test
