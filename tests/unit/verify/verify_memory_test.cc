// Tensors that share planned memory: where both are needed it is an error, where they are one thing under two names
// not.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "program/lifetimes.h"
#include "program_builder.h"
#include "pteedit/verify.h"

namespace pteedit::verify_memory_test {
namespace {

using test::Ints;

// A method whose values are planned tensors of floats, each {byte in the arena, floats}.
class Method {
 public:
  explicit Method(const std::vector<std::pair<uint32_t, int32_t>>& tensors) {
    tables::ExecutionPlan& plan = test::PlanOf(program_);
    plan.values.items.clear();
    for (const auto& [offset, floats] : tensors) {
      tables::Tensor tensor = test::SmallTensor();
      tensor.sizes = Ints({floats});
      tensor.allocation_info.emplace() = {1, offset, 0};
      plan.values.items.push_back(test::ValueOf(tensor));
    }
    plan.inputs = Ints({0});
    plan.outputs = Ints({static_cast<int32_t>(tensors.size()) - 1});
    plan.operators = {true,
                      {{tables::OwnText("aten::add"), tables::OwnText("out")},
                       {tables::OwnText("executorch_prim::et_view"), tables::OwnText("default")}}};
    plan.chains.items[0].instructions.items.clear();
    plan.non_const_buffer_sizes = tables::Vector<int64_t>::Own({0, 1024});
  }

  // As exporters write it: the output is named twice.
  Method& Kernel(std::vector<int32_t> inputs, int32_t output) {
    inputs.insert(inputs.end(), {output, output});
    return Add(tables::KernelCall{0, Ints(std::move(inputs))});
  }
  Method& View(int32_t base, int32_t view) { return Add(tables::KernelCall{1, Ints({base, base, view})}); }
  Method& Delegate(std::vector<int32_t> values) { return Add(tables::DelegateCall{0, Ints(std::move(values))}); }
  Method& NextChain() {
    plan().chains.items.emplace_back().instructions.present = true;
    return *this;
  }

  tables::ExecutionPlan& plan() { return test::PlanOf(program_); }

  // "value 2: planned-overlap" for each finding.
  std::string Findings() const {
    const auto all = Verify(MakeMemorySource("m.pte", test::ProgramBytes(program_)), {});
    EXPECT_TRUE(all) << (all ? "" : all.error().message);
    std::string text;
    for (const Finding& finding : all->front().findings)
      text += (text.empty() ? "" : ", ") + finding.where.substr(0, finding.where.find(" of")) + ": " + finding.id;
    return text;
  }

 private:
  template <class Call>
  Method& Add(Call call) {
    plan().chains.items.back().instructions.items.push_back({std::move(call)});
    return *this;
  }

  tables::Program program_ = test::SmallProgram();
};

TEST(PlannedMemory, IsUsedAgainByWhatComesLater) {
  EXPECT_EQ(Method({{0, 4}, {16, 4}, {0, 8}}).Kernel({0}, 1).Kernel({1}, 1).Kernel({1}, 2).Findings(),
            "value 2: planned-overlap");
  EXPECT_EQ(Method({{0, 4}, {32, 4}, {0, 8}}).Kernel({0}, 1).Kernel({1}, 2).Findings(), "");
}

TEST(PlannedMemory, IsNotSharedByWhatLivesAtOnce) {
  EXPECT_EQ(Method({{0, 4}, {8, 4}, {64, 4}}).Kernel({0}, 1).Kernel({0, 1}, 2).Findings(), "value 1: planned-overlap");
  EXPECT_EQ(Method({{0, 16}, {16, 4}, {64, 4}}).Kernel({0}, 1).Kernel({0, 1}, 2).Findings(),
            "value 1: planned-overlap");
  EXPECT_EQ(Method({{16, 4}, {0, 16}, {64, 4}}).Kernel({0}, 1).Kernel({0, 1}, 2).Findings(),
            "value 1: planned-overlap");
  EXPECT_EQ(Method({{0, 4}, {16, 4}, {64, 4}}).Kernel({0}, 1).Kernel({0, 1}, 2).Findings(), "");
}

TEST(PlannedMemory, OfOneInstructionsInputMayTakeItsOutputInPlaceOnly) {
  EXPECT_EQ(Method({{0, 4}, {0, 4}}).Kernel({0}, 1).Findings(), "");
  EXPECT_EQ(Method({{0, 4}, {0, 2}}).Kernel({0}, 1).Findings(), "value 1: planned-overlap");
  EXPECT_EQ(Method({{0, 4}, {4, 4}}).Kernel({0}, 1).Findings(), "value 1: planned-overlap");
}

TEST(PlannedMemory, IsWrittenByNobodyWhileAnotherReadsTheSameBytes) {
  EXPECT_EQ(Method({{0, 4}, {0, 4}, {64, 4}}).Kernel({0}, 1).Kernel({0, 1}, 2).Findings(), "value 1: planned-overlap");
  EXPECT_EQ(Method({{0, 4}, {0, 4}, {64, 4}}).Kernel({0}, 1).Delegate({0, 1, 2}).Findings(),
            "value 1: planned-overlap");
}

TEST(PlannedMemory, OfAViewIsThatOfItsBase) {
  EXPECT_EQ(Method({{0, 4}, {0, 4}, {64, 4}}).View(0, 1).Kernel({0, 1}, 2).Findings(), "");
  EXPECT_EQ(Method({{0, 4}, {0, 2}, {64, 4}}).View(0, 1).Kernel({0, 1}, 2).Findings(), "");
  EXPECT_EQ(Method({{0, 4}, {0, 4}, {64, 4}}).Kernel({1}, 2).Kernel({0}, 2).Findings(), "") << "no instruction says so";
}

TEST(PlannedMemory, OfAnOutputIsKeptToTheEnd) {
  Method method({{0, 4}, {64, 4}, {72, 4}});
  method.Kernel({0}, 1).Kernel({0}, 2);
  EXPECT_EQ(method.Findings(), "");
  method.plan().outputs = Ints({1, 2});
  EXPECT_EQ(method.Findings(), "value 2: planned-overlap");
}

TEST(PlannedMemory, OfAnInputThatNothingReadsIsFree) {
  EXPECT_EQ(Method({{8, 4}, {0, 4}}).Kernel({1}, 1).Findings(), "");
}

TEST(PlannedMemory, OfItemsIsKeptAsLongAsTheirList) {
  Method method({{0, 4}, {16, 4}, {24, 4}, {64, 4}});
  tables::TensorList list;
  list.value = Ints({0, 1});
  method.plan().values.items.push_back(test::ValueOf(list));
  method.plan().outputs = Ints({3});
  method.Kernel({0}, 1).Kernel({0}, 2);
  EXPECT_EQ(method.Findings(), "");
  method.Kernel({4}, 3);
  EXPECT_EQ(method.Findings(), "value 2: planned-overlap");
}

TEST(PlannedMemory, IsKeptFromChainToChain) {
  EXPECT_EQ(Method({{0, 4}, {8, 4}, {64, 4}}).NextChain().Kernel({1}, 1).NextChain().Kernel({0}, 2).Findings(),
            "value 1: planned-overlap");
}

TEST(PlannedMemory, OfAnInitialStateIsKeptBetweenCalls) {
  Method method({{0, 4}, {16, 4}, {24, 4}, {64, 4}});
  method.Kernel({0}, 2).Kernel({1}, 3);
  std::get<tables::Tensor>(method.plan().values.items[1].val).data_buffer_idx = 1;
  EXPECT_EQ(method.Findings(), "value 2: planned-overlap");
}

TEST(PlannedMemory, IsTheHostsWhereABufferHasANameAndIsWritten) {
  Method method({{0, 4}, {16, 4}, {32, 4}});
  method.Kernel({0}, 1).Kernel({1}, 2);
  auto& buffer = std::get<tables::Tensor>(method.plan().values.items[1].val);
  buffer.allocation_info.reset();
  EXPECT_EQ(method.Findings(), "value 1: memory-missing");
  buffer.extra_tensor_info.emplace().fully_qualified_name = tables::OwnText("cache");
  EXPECT_EQ(method.Findings(), "");
}

}  // namespace
}  // namespace pteedit::verify_memory_test
