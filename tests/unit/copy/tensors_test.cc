#include "pteedit/tensors.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "edited_files.h"
#include "program_builder.h"
#include "pteedit/binding.h"
#include "pteedit/program_set.h"
#include "pteedit/same.h"
#include "pteedit/split.h"
#include "test_files.h"

namespace pteedit::tensors_test {
namespace {

using namespace pteedit::test;
using pteedit::StoredTensor;

StoredTensor Tensor(std::string key, TensorLayout layout, std::shared_ptr<const Source> source) {
  const uint64_t bytes = ByteSize(layout).value_or(0);
  return {std::move(key), std::move(layout), std::move(source), {0, bytes}};
}

std::shared_ptr<const Source> Numbers(size_t bytes) { return MakeMemorySource("numbers", Pattern(bytes, 1)); }

Container Opened(const Result<PlannedTensors>& planned) { return *Container::Open(planned->file.AsSource("planned")); }

std::string WhyNot(const std::vector<StoredTensor>& tensors, uint64_t alignment = 16) {
  const auto planned = PlanDataFile(tensors, "a.ptd", alignment);
  return planned ? "" : planned.error().message;
}

TensorLayout Transposed() {
  TensorLayout layout = Floats({2, 3});
  layout.dim_order = {1, 0};
  return layout;
}

TEST(Tensors, OnesAtOnePlaceAreStoredOnce) {
  const auto source = Numbers(24);
  const Container file = Opened(PlanDataFile({Tensor("a", Floats({2, 3}), source), Tensor("b", Transposed(), source),
                                              Tensor("c", Floats({2, 3}), Numbers(24))},
                                             "a.ptd", 64));
  ASSERT_EQ(file.named_data().size(), 3U);
  EXPECT_EQ(file.named_data()[0].segment_index, file.named_data()[1].segment_index);
  EXPECT_NE(file.named_data()[0].segment_index, file.named_data()[2].segment_index);
  EXPECT_EQ(file.segments()[1].offset % 64, 0U);
}

TEST(Tensors, AChangedBoundFileIsBoundToAnew) {
  SplitOptions split;
  split.bind = Bind::kAlways;
  const Result<SplitResult> parts = SplitProgram(ProgramSet(OpenFile(DataPath("f02_linear.pte"))), split);
  const Container data = *Container::Open(parts->data.front().AsSource("w.ptd"));
  std::vector<StoredTensor> tensors = TensorsOf(data);
  EXPECT_TRUE(Same(Opened(PlanDataFile(tensors, "a.ptd")), data));
  tensors.front().source = Numbers(tensors.front().extent.size);
  tensors.front().extent.offset = 0;
  const auto changed = PlanDataFile(tensors, "a.ptd");
  const Container file = Opened(changed);
  const std::string key = *BindingKeyOf(file, 1), old = *BindingKeyOf(data, 1);
  ASSERT_NE(key, old);
  ASSERT_EQ(file.named_data().size(), tensors.size());
  EXPECT_EQ(file.named_data().back().key, key);
  EXPECT_EQ(changed->report.notes,
            std::vector<std::string>{"key '" + old + "', to which programs are bound, becomes '" + key +
                                     "': those refuse the changed file"});
  EXPECT_EQ(changed->report.items.size(), tensors.size() - 1);
}

TEST(Tensors, WhatNoRuntimeLoadsIsNotPlanned) {
  EXPECT_EQ(WhyNot({}), "there are no tensors, and no runtime loads a data file without any");
  EXPECT_EQ(WhyNot({Tensor("a", Floats({1}), Numbers(4)), Tensor("a", Floats({1}), Numbers(4))}),
            "key 'a' is there twice");
  EXPECT_EQ(WhyNot({{"a", Floats({2}), Numbers(4), {0, 4}}}), "tensor 'a' has 4 bytes, 8 expected");
  EXPECT_EQ(WhyNot({{"a", Floats({-1}), Numbers(4), {0, 4}}}), "tensor 'a' has size -1 in dimension 0");
  EXPECT_EQ(WhyNot({Tensor("a", Floats({1}), Numbers(4))}, 24),
            "alignment is 24, a power of two from 16 to 65536 expected");
}

TEST(Tensors, CheckpointsKeepLayoutsAndTies) {
  const auto source = Numbers(24);
  std::vector<StoredTensor> tensors{Tensor("w", Transposed(), source), Tensor("tied", Transposed(), source),
                                    Tensor("quantized", LayoutWith(12, {3}), Numbers(3))};
  tensors.push_back({"blob", {}, Numbers(5), {0, 5}});
  const Container before = Opened(PlanDataFile(tensors, "a.ptd"));
  const auto checkpoint = PlanCheckpoint(TensorsOf(before), "a.safetensors");
  ASSERT_TRUE(checkpoint) << checkpoint.error().message;
  const auto read = ReadCheckpoint(checkpoint->file.AsSource("a.safetensors"));
  ASSERT_TRUE(read) << read.error().message;
  const Container after = Opened(PlanDataFile(*read, "a.ptd"));
  EXPECT_FALSE(FindDifference(ProgramSet(before), ProgramSet(after))->has_value());
  EXPECT_EQ(after.segments().size(), 3U);
}

TEST(Tensors, NoneAreInAProgram) { EXPECT_TRUE(TensorsOf(OpenFile(DataPath("f02_linear.pte"))).empty()); }

}  // namespace
}  // namespace pteedit::tensors_test
