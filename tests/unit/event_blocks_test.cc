#include "pteedit/event_blocks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "profile/record_nodes.h"
#include "profile/statistics.h"
#include "test_files.h"

namespace pteedit {
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
  std::vector<double> samples(1000, 0.1);
  EXPECT_EQ(Mean(samples), 0.1);
  EXPECT_NE(std::accumulate(samples.begin(), samples.end(), 0.0) / 1000, 0.1);
  EXPECT_EQ(Mean({1, 2, 6}), 3);
}

TEST(EventBlocks, RunsOfOneShapeAreABlock) {
  const std::vector<EventBlock> blocks = BlocksOf("mlp_portable/etdump.etdp");
  ASSERT_EQ(blocks.size(), 2U);
  EXPECT_EQ(blocks[1].name, "Execute");
  EXPECT_EQ(blocks[1].runs, 5U);
  for (const ProfiledEvent& event : blocks[1].events) EXPECT_EQ(event.perf->raw.size(), 5U) << event.name;
}

TEST(EventBlocks, ClocksOf32BitsMayWrap) {
  for (const EventBlock& block : BlocksOf("synth_wraparound/etdump.etdp")) {
    for (const ProfiledEvent& event : block.events) EXPECT_GE(event.perf->min, 0) << event.name;
  }
}

TEST(EventBlocks, CyclesAreNoTimes) {
  const auto source = *OpenFileSource(DataPath("inspector/mlp_portable/etdump.etdp"));
  const auto refused = ReadEventBlocks(source, {TimeScale::kNs, TimeScale::kCycles});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(ReadEventBlocks(source, {TimeScale::kCycles, TimeScale::kCycles}));
}

TEST(EventBlocks, ARecordOfSeveralMethodsJoinsThatCalledForward) {
  std::vector<EventBlock> blocks = BlocksOf("two_methods/etdump.etdp");
  const Status joined = JoinRecord(blocks, *OpenFileSource(DataPath("inspector/two_methods/etrecord.bin")));
  EXPECT_FALSE(joined);
  EXPECT_EQ(joined.error().code, ErrorCode::kUnsupported);
}

TEST(EventBlocks, ADumpIsNoRecord) {
  std::vector<EventBlock> blocks = BlocksOf("mlp_portable/etdump.etdp");
  EXPECT_FALSE(JoinRecord(blocks, *OpenFileSource(DataPath("inspector/mlp_portable/etdump.etdp"))));
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
}  // namespace pteedit
