#include "pteedit/profile/profile_changes.h"

#include <gtest/gtest.h>

namespace pteedit::profile_changes_test {
namespace {

ProfiledEvent Event(const std::string& name, int64_t instruction, const std::vector<double>& samples) {
  ProfiledEvent event;
  event.name = name;
  event.chain = 0;
  event.instruction = instruction;
  for (const double elapsed : samples) event.samples.push_back({elapsed});
  return event;
}

EventBlock Block(std::vector<ProfiledEvent> events) {
  EventBlock block;
  block.name = "Execute";
  block.runs = events.front().samples.size();
  block.events = std::move(events);
  return block;
}

// With the calls that its samples come from.
EventBlock Called(EventBlock block) {
  for (size_t i = 0; i < block.events.size(); ++i) {
    const std::vector<Sample>& samples = block.events[i].samples;
    for (size_t run = 0; run < samples.size(); ++run) block.calls.push_back({run, i, 0, 0, samples[run].elapsed});
  }
  return block;
}

const EventChange* Find(const BlockChange& block, const std::string& name, int64_t instruction) {
  for (const EventChange& change : block.events) {
    if (change.name == name && change.instruction == instruction) return &change;
  }
  return nullptr;
}

TEST(ProfileChanges, MediansAndSpreadAreCompared) {
  const EventBlock before =
      Block({Event("native_call_add.out", 0, {9, 10, 10, 10, 11}), Event("native_call_mul.out", 1, {5, 5, 5, 5, 9})});
  const EventBlock after =
      Block({Event("native_call_add.out", 0, {14, 15, 15, 15, 16}), Event("native_call_mul.out", 1, {4, 6, 6, 6, 8})});
  const std::vector<BlockChange> changes = CompareProfiles({before}, {after});
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_TRUE(changes[0].runs_instructions);
  ASSERT_EQ(changes[0].events.size(), 2U);
  const EventChange& add = changes[0].events[0];  // the largest change
  EXPECT_EQ(add.name, "native_call_add.out");
  EXPECT_DOUBLE_EQ(*add.slowdown(), 0.5);
  EXPECT_EQ(add.verdict(), ChangeVerdict::kSlower);
  EXPECT_DOUBLE_EQ(*changes[0].events[1].slowdown(), 0.2);
  EXPECT_EQ(changes[0].events[1].verdict(), ChangeVerdict::kWithinSpread);
  // Nothing stands around them, so that the whole is their sum: 14, 15, 15, 15, 20 and 18, 21, 21, 21, 24.
  EXPECT_EQ(changes[0].whole.name, "");
  EXPECT_DOUBLE_EQ(*changes[0].whole.slowdown(), 21.0 / 15 - 1);
}

TEST(ProfileChanges, TheWholeIsWhatStandsAroundAll) {
  const EventBlock block = Block({Event("native_call_add.out", 0, {1, 1}), Event("Method::execute", 0, {8, 8})});
  const BlockChange change = CompareProfiles({block}, {block}).at(0);
  EXPECT_EQ(change.whole.name, "Method::execute");
  EXPECT_EQ(change.whole.after->p50, 8);
  EXPECT_EQ(change.events.size(), 1U);
}

TEST(ProfileChanges, NoGrowthIsInventedWhereOneLacksTheWhole) {
  const EventBlock with = Block({Event("native_call_add.out", 0, {1, 1}), Event("Method::execute", 0, {8, 8})});
  const EventBlock without = Block({Event("native_call_add.out", 0, {1, 1})});
  for (const auto& [before, after] : {std::pair(with, without), std::pair(without, with)}) {
    const BlockChange change = CompareProfiles({before}, {after}).at(0);
    EXPECT_EQ(change.whole.name, "");
    EXPECT_EQ(*change.whole.slowdown(), 0);
  }
}

TEST(ProfileChanges, TheWholeAloneIsARun) {
  const EventBlock block = Block({Event("Method::execute", 0, {8, 8})});
  EXPECT_TRUE(CompareProfiles({block}, {block}).at(0).runs_instructions);
}

TEST(ProfileChanges, FewRunsHaveNoVerdict) {
  const auto verdict = [](size_t before, size_t after) {
    EventChange change;
    change.before = PerfDataOf(std::vector<double>(before, 1));
    change.after = PerfDataOf(std::vector<double>(after, 2));
    return change.verdict();
  };
  EXPECT_EQ(verdict(1, 1), ChangeVerdict::kTooFewRuns);
  EXPECT_EQ(verdict(4, 4), ChangeVerdict::kTooFewRuns);
  EXPECT_EQ(verdict(5, 5), ChangeVerdict::kSlower);
  EXPECT_EQ(verdict(3, 8), ChangeVerdict::kTooFewRuns);
  EXPECT_EQ(verdict(3, 9), ChangeVerdict::kSlower);
}

TEST(ProfileChanges, TypesAreCompared) {
  const EventBlock before =
      Called(Block({Event("native_call_add.out", 0, {1, 1}), Event("native_call_add.out", 1, {2, 2})}));
  const EventBlock after = Called(Block({Event("native_call_add.out", 0, {5, 5})}));
  const BlockChange change = CompareTypes({before}, {after}).at(0);
  ASSERT_EQ(change.events.size(), 1U);
  EXPECT_EQ(change.events[0].name, "add.out");
  EXPECT_EQ(change.events[0].before->p50, 3);
  EXPECT_EQ(change.events[0].after->p50, 5);
  EXPECT_EQ(change.whole.before->p50, 3);
}

TEST(ProfileChanges, TypesAreComparedAsTheDumpsAloneHaveThem) {
  const EventBlock before = Called(Block({Event("DELEGATE_CALL", 0, {1, 1}), Event("DELEGATE_CALL", 1, {2, 2})}));
  EventBlock after = before;
  after.events[0].delegate_backend_name = "A";
  after.events[1].delegate_backend_name = "B";
  const BlockChange change = CompareTypes({before}, {after}).at(0);
  ASSERT_EQ(change.events.size(), 1U);
  EXPECT_EQ(change.events[0].before->p50, 3);
  EXPECT_EQ(change.events[0].after->p50, 3);
}

TEST(ProfileChanges, TypesOfOneBundledInputAreComparedWithItsOwn) {
  EventBlock first = Called(Block({Event("native_call_add.out", 0, {1, 1})}));
  EventBlock second = Called(Block({Event("native_call_add.out", 0, {9, 9})}));
  first.bundled_input_index = 0;
  second.bundled_input_index = 1;
  for (const BlockChange& change : CompareTypes({first, second}, {second, first}))
    EXPECT_EQ(change.events.at(0).before->p50, change.events.at(0).after->p50);
}

TEST(ProfileChanges, EventsThatMovedAreFoundByName) {
  const EventBlock before = Block({Event("native_call_add.out", 0, {1}), Event("native_call_add.out", 3, {2})});
  const EventBlock after = Block({Event("native_call_relu.out", 0, {7}), Event("native_call_add.out", 1, {3}),
                                  Event("native_call_add.out", 4, {4})});
  const BlockChange change = CompareProfiles({before}, {after}).at(0);
  const EventChange* first = Find(change, "native_call_add.out", 1);
  const EventChange* second = Find(change, "native_call_add.out", 4);
  ASSERT_TRUE(first != nullptr && second != nullptr);
  EXPECT_EQ(first->before->p50, 1);
  EXPECT_EQ(second->before->p50, 2);
  EXPECT_FALSE(Find(change, "native_call_relu.out", 0)->before);
  EXPECT_EQ(change.events.size(), 3U);
}

TEST(ProfileChanges, BlocksWithoutEventsBelongTogether) {
  EventBlock block;
  block.name = "Default";
  block.runs = 1;
  const std::vector<BlockChange> changes = CompareProfiles({block}, {block});
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].before_runs, changes[0].after_runs);
}

TEST(ProfileChanges, RunsAreComparedWithTheirLike) {
  const EventBlock adds = Block({Event("native_call_add.out", 0, {1})});
  const EventBlock muls = Block({Event("native_call_mul.out", 0, {1}), Event("native_call_add.out", 1, {1})});
  const EventBlock other = Block({Event("native_call_tanh.out", 0, {1})});
  const std::vector<BlockChange> changes = CompareProfiles({muls, adds}, {adds, muls, other});
  ASSERT_EQ(changes.size(), 3U);
  EXPECT_EQ(changes[0].events.size(), 1U);
  EXPECT_EQ(changes[1].events.size(), 2U);
  for (size_t i = 0; i < 2; ++i) {
    for (const EventChange& change : changes[i].events) EXPECT_TRUE(change.before && change.after) << change.name;
  }
  EXPECT_EQ(changes[2].before_runs, 0U);
  EXPECT_EQ(CompareProfiles({other}, {adds}).size(), 2U);
}

}  // namespace
}  // namespace pteedit::profile_changes_test
