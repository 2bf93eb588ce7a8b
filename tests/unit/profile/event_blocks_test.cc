#include "pteedit/profile/event_blocks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "profile/record_joins.h"
#include "profile/record_nodes.h"
#include "profile/statistics.h"
#include "record/etrecord.h"
#include "test_files.h"

namespace pteedit::event_blocks_test {
namespace {

using test::DataPath;

std::vector<EventBlock> BlocksOf(const std::string& name, const EventScales& scales = {}) {
  Result<std::vector<EventBlock>> blocks = ReadEventBlocks(*OpenFileSource(DataPath("inspector/" + name)), scales);
  EXPECT_TRUE(blocks) << (blocks ? "" : blocks.error().message);
  return *std::move(blocks);
}

TEST(Statistics, PercentilesLieBetweenSamples) {
  EXPECT_EQ(Percentile({7}, 90), 7);
  EXPECT_EQ(Percentile({1, 2}, 50), 1.5);
  EXPECT_EQ(Percentile({1, 2, 3, 4, 5}, 10), 1.4);
  EXPECT_EQ(Percentile({1, 2, 3, 4, 5}, 100), 5);
}

// Adding one after the other gives other last digits.
TEST(Statistics, MeansAddUpInPairs) {
  std::vector<double> samples;
  for (int i = 1; i <= 13; ++i) samples.push_back(0.1 * i);
  EXPECT_EQ(Mean(samples), 0.7);
  EXPECT_NE(std::accumulate(samples.begin(), samples.end(), 0.0) / 13, 0.7);
  EXPECT_EQ(Mean(std::vector<double>(1000, 0.1)), 0.10000000000000002);
  EXPECT_EQ(Mean({1, 2, 6}), 3);
}

TEST(EventBlocks, RunsOfOneShapeAreABlock) {
  const std::vector<EventBlock> blocks = BlocksOf("mlp_portable/etdump.etdp");
  ASSERT_EQ(blocks.size(), 2U);
  EXPECT_EQ(blocks[1].name, "Execute");
  EXPECT_EQ(blocks[1].runs, 5U);
  for (const ProfiledEvent& event : blocks[1].events) EXPECT_EQ(event.samples.size(), 5U) << event.name;
}

TEST(EventBlocks, ClocksOf32BitsMayWrap) {
  for (const EventBlock& block : BlocksOf("synth_wraparound/etdump.etdp")) {
    for (const ProfiledEvent& event : block.events) EXPECT_GE(event.perf()->min, 0) << event.name;
  }
}

TEST(EventBlocks, CyclesAreNoTimes) {
  const auto source = *OpenFileSource(DataPath("inspector/mlp_portable/etdump.etdp"));
  const auto refused = ReadEventBlocks(source, {TimeScale::kNs, TimeScale::kCycles});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(ReadEventBlocks(source, {TimeScale::kCycles, TimeScale::kCycles}));
}

Etrecord RecordOf(const std::string& model) {
  return *Etrecord::Open(*OpenFileSource(DataPath("inspector/" + model + "/etrecord.bin")));
}

TEST(EventBlocks, RunsOfSeveralMethodsAreToldApartByTheirKernels) {
  std::vector<EventBlock> blocks = BlocksOf("two_methods/etdump.etdp");
  const Status joined = JoinRecord(blocks, RecordOf("two_methods"));
  ASSERT_TRUE(joined) << joined.error().message;
  ASSERT_EQ(blocks.size(), 3U);
  EXPECT_TRUE(blocks[0].methods.empty());  // loading
  EXPECT_EQ(blocks[1].methods, std::vector<std::string>{"forward"});
  EXPECT_EQ(blocks[2].methods, std::vector<std::string>{"decode"});
  std::map<std::string, std::vector<std::string>> types;
  for (const ProfiledEvent& event : blocks[1].events) types[event.name] = event.more->op_types;
  for (const ProfiledEvent& event : blocks[2].events) types[event.name] = event.more->op_types;
  EXPECT_EQ(types["native_call_tanh.out"], std::vector<std::string>{"aten.tanh.default"});
  EXPECT_EQ(types["native_call_gelu.out"], std::vector<std::string>{"aten.gelu.default"});
}

// A method without jumps logs each of its instructions: a program that has more of them is another one.
TEST(EventBlocks, AProgramWithMoreInstructionsIsNotTheOneThatRan) {
  std::vector<EventBlock> blocks = BlocksOf("mlp_xnnpack/etdump.etdp");
  for (const char* other : {"f16/per_op.pte", "f09/kv_xnn_init.pte", "delegation/two_delegates.pte"}) {
    const Status joined = MatchProgram(blocks, test::OpenFile(DataPath(other)));
    ASSERT_FALSE(joined) << other;
    EXPECT_EQ(joined.error().code, ErrorCode::kUnsupported);
  }
}

TEST(EventBlocks, ContainersOfModulesHaveTheTimeOfAllInThem) {
  std::vector<EventBlock> blocks = BlocksOf("gpt_portable/etdump.etdp");
  ASSERT_TRUE(JoinRecord(blocks, RecordOf("gpt_portable")));
  const double first = TotalForModulePath(blocks, "blocks.0"), second = TotalForModulePath(blocks, "blocks.1");
  EXPECT_GT(first, 0);
  EXPECT_GT(second, 0);
  EXPECT_GE(TotalForModulePath(blocks, "blocks") * 1.000001, std::max(first, second));
  EXPECT_EQ(TotalForModulePath(blocks, "block"), 0);
}

TEST(EventBlocks, AProgramTellsItsMethodsApart) {
  std::vector<EventBlock> blocks = BlocksOf("two_methods/etdump.etdp");
  const Status joined = MatchProgram(blocks, test::OpenFile(DataPath("delegation/two_methods.pte")));
  ASSERT_TRUE(joined) << joined.error().message;
  EXPECT_TRUE(blocks[0].methods.empty());
  EXPECT_EQ(blocks[1].methods, std::vector<std::string>{"forward"});
  EXPECT_EQ(blocks[2].methods, std::vector<std::string>{"decode"});
}

TEST(EventBlocks, AProgramNamesBackends) {
  EventBlock block;
  for (const char* name : {"DELEGATE_CALL", "some row"}) {
    ProfiledEvent event;
    event.name = name;
    event.chain = event.instruction = 0;
    if (block.events.size() == 1) event.delegate_debug_number = 7;
    block.events.push_back(event);
  }
  std::vector<EventBlock> blocks{block};
  const Status joined = MatchProgram(blocks, test::OpenFile(DataPath("f03_mlp_xnn.pte")));
  ASSERT_TRUE(joined) << joined.error().message;
  for (const ProfiledEvent& event : blocks[0].events) EXPECT_EQ(event.delegate_backend_name, "XnnpackBackend");
}

TEST(EventBlocks, AnotherProgramIsRefused) {
  std::vector<EventBlock> blocks = BlocksOf("mlp_portable/etdump.etdp");
  const Status joined = MatchProgram(blocks, test::OpenFile(DataPath("f02_linear.pte")));
  ASSERT_FALSE(joined);
  EXPECT_EQ(joined.error().code, ErrorCode::kUnsupported);
}

TEST(EventBlocks, ARecordOfAnotherProgramIsRefused) {
  std::vector<EventBlock> blocks = BlocksOf("mlp_xnnpack/etdump.etdp");
  const Status joined = JoinRecord(blocks, RecordOf("gpt_portable"));
  ASSERT_FALSE(joined);
  EXPECT_EQ(joined.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(joined.error().message.substr(0, 28), "record is of another program");
}

TEST(ParseModules, SplitsOutsideBracketsOnly) {
  const auto levels = ParseModules("L__self__,,m.Net[f(a, b)];x,fc1,torch.nn.Linear");
  ASSERT_TRUE(levels);
  ASSERT_EQ(levels->size(), 2U);
  EXPECT_EQ((*levels)[0].type, "m.Net[f(a, b)]");
  EXPECT_EQ((*levels)[1].path, "fc1");
  EXPECT_FALSE(ParseModules("only,two"));
}

}  // namespace
}  // namespace pteedit::event_blocks_test
