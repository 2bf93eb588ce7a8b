#include "pteedit/profile/operator_costs.h"

#include <gtest/gtest.h>

#include "pteedit/stored_reads.h"
#include "test_files.h"

namespace pteedit::operator_costs_test {
namespace {

using test::DataPath;

std::vector<EventBlock> BlocksOf(const std::string& name) {
  Result<std::vector<EventBlock>> blocks = ReadEventBlocks(*OpenFileSource(DataPath("inspector/" + name)));
  EXPECT_TRUE(blocks) << (blocks ? "" : blocks.error().message);
  return *std::move(blocks);
}

const OperatorCost* Find(const BlockCosts& block, const std::string& name) {
  for (const OperatorCost& cost : block.operators) {
    if (cost.name == name) return &cost;
  }
  return nullptr;
}

// Of one run median and mean are the same, and add up.
TEST(OperatorCosts, TypesAddUpToTheTimeOfARun) {
  for (const char* dump : {"mlp_portable", "mlp_xnnpack", "gpt_portable", "gpt_xnnpack", "two_delegates"}) {
    std::vector<EventBlock> blocks = BlocksOf(std::string(dump) + "/etdump.etdp");
    ASSERT_TRUE(SelectRuns(blocks, {2, 2}));
    for (const BlockCosts& block : CostsOf(blocks)) {
      EXPECT_EQ(block.runs, 1U);
      double sum = block.overhead + block.rest, shares = sum / block.time;
      for (const OperatorTypeCost& type : block.types) sum += type.time, shares += type.share;
      EXPECT_NEAR(sum, block.time, 1e-9 * block.time) << dump;
      EXPECT_NEAR(shares, 1, 1e-9) << dump;
    }
  }
}

// Runs of `times` in ms, each a kernel of two thirds and another of one third.
EventBlock BlockOf(const std::vector<double>& times) {
  EventBlock block;
  block.name = "Execute";
  block.runs = times.size();
  for (const char* name : {"native_call_erf.out", "native_call_add.out", "Method::execute"}) {
    ProfiledEvent event;
    event.name = name;
    event.chain = event.instruction = static_cast<int64_t>(block.events.size());
    const double share = block.events.empty() ? 2.0 / 3 : block.events.size() == 1 ? 1.0 / 3 : 1;
    for (size_t run = 0; run < times.size(); ++run) {
      event.samples.push_back({times[run] * share});
      block.calls.push_back({run, block.events.size(), 0, 0, times[run] * share});
    }
    block.events.push_back(std::move(event));
  }
  return block;
}

TEST(OperatorCosts, AColdRunMovesNoMedian) {
  const BlockCosts costs = CostsOf({BlockOf({300, 3, 3, 3, 3})}).at(0);
  EXPECT_EQ(costs.cold_runs, 1U);
  EXPECT_EQ(costs.time, 3);
  EXPECT_EQ(costs.spread.mean, 62.4);
  EXPECT_EQ(costs.spread.p10, 3);
  EXPECT_NEAR(costs.spread.p99, 288.12, 1e-9);
  EXPECT_EQ(costs.operators.at(0).name, "erf.out");
  EXPECT_EQ(costs.operators[0].time, 2);
  EXPECT_NEAR(costs.operators[0].share, 2.0 / 3, 1e-12);
  EXPECT_NEAR(costs.types.at(0).spread.mean, 41.6, 1e-12);
}

TEST(OperatorCosts, SourcesAreLinesOfTheModel) {
  const std::string model = "File \"/a/model.py\", line 12, in forward\n    x = self.fc(x)\n";
  const std::string torch = "File \"/lib/torch/nn/modules/linear.py\", line 134, in forward\n    return F.linear(x)\n";
  const auto source = [](const std::vector<std::string>& traces) {
    EventBlock block = BlockOf({3});
    for (const std::string& trace : traces) block.events[0].more.Edit().operators.push_back({"node", trace, {}});
    return CostsOf({block}).at(0).operators.at(0).more->source;
  };
  EXPECT_EQ(source({model + torch}), "model.py:12");
  EXPECT_EQ(source({torch + torch}), "linear.py:134");
  EXPECT_EQ(source({model, model + torch}), "model.py:12");
  EXPECT_EQ(source({model, torch}), "");
  for (const char* other : {"", "File \"", "File \"a", "no frame, line 3", "File \"/torch/nn/a.py"})
    EXPECT_EQ(source({other}), "") << other;
  EXPECT_EQ(source({"File \"a.py\", line "}), "a.py:");
}

TEST(OperatorCosts, RunsAreColdOnlyAtTheStart) {
  EXPECT_EQ(CostsOf({BlockOf({9, 8, 3, 3, 3, 3, 3})}).at(0).cold_runs, 2U);
  EXPECT_EQ(CostsOf({BlockOf({3, 3, 9, 3, 3})}).at(0).cold_runs, 0U);
  EXPECT_EQ(CostsOf({BlockOf({9, 3})}).at(0).cold_runs, 0U);  // of two, who knows
}

TEST(SelectRuns, LeavesTheRunsThatAreAskedFor) {
  std::vector<EventBlock> blocks{BlockOf({300, 3, 6, 9})};
  ASSERT_TRUE(SelectRuns(blocks, {2, 3}));
  EXPECT_EQ(blocks[0].runs, 2U);
  EXPECT_EQ(blocks[0].events[2].perf()->raw, (std::vector<double>{3, 6}));
  EXPECT_EQ(blocks[0].events[2].perf()->avg, 4.5);
  EXPECT_EQ(CostsOf(blocks).at(0).time, 4.5);
  const Status none = SelectRuns(blocks, {3, {}});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message, "no run is left: blocks have at most 2");
  std::vector<EventBlock> without_runs;
  EXPECT_EQ(SelectRuns(without_runs, {2, {}}).error().code, ErrorCode::kUnsupported);
}

TEST(SelectRuns, TakesTheMethodThatIsAskedFor) {
  std::vector<EventBlock> blocks{BlockOf({3}), BlockOf({4})};
  EXPECT_FALSE(SelectRuns(blocks, {1, {}, "decode"}));  // nobody knows
  blocks[0].methods = {"prefill"};
  blocks[1].methods = {"prefill", "decode"};
  EXPECT_FALSE(SelectRuns(blocks, {1, {}, "forward"}));
  ASSERT_TRUE(SelectRuns(blocks, {1, {}, "decode"}));
  ASSERT_EQ(blocks.size(), 1U);
  EXPECT_EQ(blocks[0].methods, std::vector<std::string>{"decode"});
}

// In the fixture an operator runs twice in each run; samples hold the last time alone: 1 and 40 ns of 31, 10, 40 and 1.
TEST(OperatorCosts, CallsInALoopAllCount) {
  const std::vector<EventBlock> blocks = BlocksOf("synth_dup_in_run/etdump.etdp");
  ASSERT_EQ(blocks.size(), 1U);
  EXPECT_EQ(blocks[0].runs, 2U);
  const BlockCosts costs = CostsOf(blocks).at(0);
  const OperatorCost* add = Find(costs, "add.out");
  ASSERT_NE(add, nullptr);
  EXPECT_EQ(add->calls, 4U);
  double elapsed = 0;
  for (const TimedCall& call : blocks[0].calls)
    elapsed += blocks[0].events[call.event].name == "native_call_add.out" ? call.elapsed : 0;
  EXPECT_DOUBLE_EQ(add->time, elapsed / 2);
  EXPECT_GT(elapsed, blocks[0].events[0].perf()->avg * 2);
}

TEST(OperatorCosts, WhatDelegatesLoggedIsAPartOfTheirCalls) {
  std::vector<EventBlock> blocks = BlocksOf("two_delegates/etdump.etdp");
  ASSERT_TRUE(SelectRuns(blocks, {2, 2}));
  const BlockCosts costs = CostsOf(blocks).at(0);
  const OperatorCost* call = Find(costs, "DELEGATE_CALL");
  const OperatorCost* inside = Find(costs, "Fully Connected (NC, F32) GEMM #1");
  ASSERT_TRUE(call != nullptr && inside != nullptr);
  EXPECT_EQ(inside->type, "Fully Connected (NC, F32) GEMM");
  EXPECT_TRUE(inside->is_in_delegate);
  double calls = 0, insides = 0;
  for (const OperatorCost& cost : costs.operators)
    (cost.is_in_delegate ? insides : calls) += cost.name == "erf.out" ? 0 : cost.time;
  for (const OperatorTypeCost& type : costs.types) {
    if (type.type == "DELEGATE_CALL") {
      EXPECT_NEAR(type.time, calls - insides, 1e-12);
    }
  }
}

TEST(OperatorCosts, StoredBytesCountOnceForTheWhole) {
  std::vector<EventBlock> blocks = BlocksOf("two_methods/etdump.etdp");
  const Container program = test::OpenFile(DataPath("delegation/two_methods.pte"));
  ASSERT_TRUE(MatchProgram(blocks, program));
  const Result<StoredReads> reads = FindStoredReads(program);
  ASSERT_TRUE(reads);
  const std::vector<BlockCosts> costs = CostsOf(blocks, &*reads);
  ASSERT_EQ(costs.size(), 2U);
  const OperatorCost* addmm = Find(costs[0], "addmm.out");
  ASSERT_NE(addmm, nullptr);
  EXPECT_EQ(addmm->stored_bytes, 32U);     // the bias
  EXPECT_EQ(costs[0].stored_bytes, 160U);  // and the weights, which are transposed first
  for (const BlockCosts& without : CostsOf(blocks)) EXPECT_EQ(without.stored_bytes, std::nullopt);
}

TEST(StoredReads, DelegatesReadTheirBlobsAndKeys) {
  const Container program = test::OpenFile(DataPath("f06/xnn_ext.pte"));
  const Result<StoredReads> alone = FindStoredReads(program);
  const Result<StoredReads> reads = FindStoredReads({program, {test::OpenFile(DataPath("f06/xnn_shared.ptd"))}});
  ASSERT_TRUE(alone && reads);
  ASSERT_EQ(alone->items.size(), reads->items.size());
  uint64_t keys = 0;
  for (size_t i = 0; i < reads->items.size(); ++i) {
    if (reads->items[i].kind != StoredItem::Kind::kKey) continue;
    ++keys;
    EXPECT_EQ(alone->items[i].bytes, std::nullopt) << reads->items[i].name;
    EXPECT_GT(reads->items[i].bytes.value_or(0), 0U) << reads->items[i].name;
  }
  EXPECT_GT(keys, 0U);
  for (const InstructionReads& one : reads->instructions) EXPECT_FALSE(one.items.empty());
}

// A kernel reads what is in the lists that it is given, too, and a constant of two methods is one item.
TEST(StoredReads, EveryConstantOfAModelIsReadByAnInstruction) {
  for (const char* name :
       {"f02_linear.pte", "delegation/two_methods.pte", "f06/portable.pte", "f06/portable_ext.pte"}) {
    const Result<StoredReads> reads = FindStoredReads(test::OpenFile(DataPath(name)));
    ASSERT_TRUE(reads) << name;
    std::vector<bool> is_read(reads->items.size());
    for (const InstructionReads& one : reads->instructions) {
      for (const size_t item : one.items) is_read[item] = true;
    }
    EXPECT_FALSE(reads->items.empty()) << name;
    for (size_t i = 0; i < is_read.size(); ++i) EXPECT_TRUE(is_read[i]) << name << ": " << reads->items[i].name;
  }
}

}  // namespace
}  // namespace pteedit::operator_costs_test
