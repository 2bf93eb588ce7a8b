#include "pteedit/profile/profile_changes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "profile/event_names.h"
#include "profile/rank_test.h"
#include "pteedit/profile/operator_costs.h"

namespace pteedit {
namespace {

constexpr double kChance = 0.005;  // of a verdict at equal code, in each direction

bool IsMeasuredWork(const ProfiledEvent& event) {
  return !event.samples.empty() && (event.kind() == EventKind::kDelegateCall || event.kind() == EventKind::kKernel);
}

bool RanInstructions(const ProfiledEvent& event) {
  return IsMeasuredWork(event) || (!event.samples.empty() && event.name == kMethodExecute);
}

// What stands around everything else, outermost first.
constexpr std::string_view kAround[] = {kMethodExecute, kLoadMethod};

EventChange ChangeOf(const ProfiledEvent& event) {
  EventChange change;
  change.name = event.name;
  change.backend = event.delegate_backend_name;
  change.chain = event.chain;
  change.instruction = event.instruction;
  return change;
}

// The name of the event that stands around all others; empty where none does.
std::string_view AroundAll(const EventBlock& block) {
  for (const std::string_view name : kAround) {
    for (const ProfiledEvent& event : block.events) {
      if (event.name == name && !event.samples.empty()) return name;
    }
  }
  return {};
}

// What stands around all, or without a name the sum of the rest.
std::optional<PerfData> WholeOf(const EventBlock& block, std::string_view around) {
  for (const ProfiledEvent& event : block.events) {
    if (!around.empty() && event.name == around) return event.perf();
  }
  std::vector<double> sums(block.runs, 0);
  bool has_any = false;
  for (const ProfiledEvent& event : block.events) {
    if (!IsMeasuredWork(event)) continue;
    has_any = true;
    for (size_t run = 0; run < sums.size(); ++run) sums[run] += event.samples[run].elapsed;
  }
  return has_any ? std::optional(PerfDataOf(std::move(sums))) : std::nullopt;
}

using NameCounts = std::map<std::string, uint64_t>;

NameCounts CountNames(const EventBlock& block) {
  NameCounts counts;
  for (const ProfiledEvent& event : block.events) ++counts[event.name];
  return counts;
}

uint64_t InCommon(const NameCounts& of_a, const NameCounts& of_b) {
  uint64_t common = 0;
  for (const auto& [name, count] : of_a) {
    const auto other = of_b.find(name);
    if (other != of_b.end()) common += std::min(count, other->second);
  }
  return common;
}

// Which event of the old block each of the new one is; nothing for new ones.
std::vector<const ProfiledEvent*> MatchEvents(const EventBlock& before, const EventBlock& after) {
  using Key = std::tuple<std::string_view, int64_t, int64_t>;
  const auto key_of = [](const ProfiledEvent& event) { return Key(event.name, event.chain, event.instruction); };
  std::map<Key, const ProfiledEvent*> exact;
  for (const ProfiledEvent& event : before.events) exact.emplace(key_of(event), &event);
  std::vector<const ProfiledEvent*> matches(after.events.size());
  for (size_t i = 0; i < matches.size(); ++i) {
    const auto found = exact.find(key_of(after.events[i]));
    if (found == exact.end()) continue;
    matches[i] = found->second;
    exact.erase(found);
  }
  std::map<std::string_view, std::vector<const ProfiledEvent*>> left;  // the last first
  for (auto event = before.events.rbegin(); event != before.events.rend(); ++event) {
    const auto found = exact.find(key_of(*event));
    if (found != exact.end() && found->second == &*event) left[event->name].push_back(&*event);
  }
  for (size_t i = 0; i < matches.size(); ++i) {
    std::vector<const ProfiledEvent*>& same_name = left[after.events[i].name];
    if (matches[i] != nullptr || same_name.empty()) continue;
    matches[i] = same_name.back();
    same_name.pop_back();
  }
  return matches;
}

double SizeOf(const EventChange& change) {
  return std::abs((change.after ? change.after->p50 : 0) - (change.before ? change.before->p50 : 0));
}

std::vector<EventChange> CompareEvents(const EventBlock& before, const EventBlock& after) {
  std::vector<EventChange> changes;  // which are large
  changes.reserve(std::max(before.events.size(), after.events.size()));
  const auto add = [&](const ProfiledEvent& named, const ProfiledEvent* old_event, const ProfiledEvent* new_event) {
    EventChange change = ChangeOf(named);
    if (old_event != nullptr) change.before = old_event->perf();
    if (new_event != nullptr) change.after = new_event->perf();
    if (named.name != kOperatorCall && (change.before || change.after)) changes.push_back(std::move(change));
  };
  const std::vector<const ProfiledEvent*> matches = MatchEvents(before, after);
  for (size_t i = 0; i < matches.size(); ++i) add(after.events[i], matches[i], &after.events[i]);
  const std::set<const ProfiledEvent*> matched(matches.begin(), matches.end());
  for (const ProfiledEvent& event : before.events) {
    if (matched.count(&event) == 0) add(event, &event, nullptr);
  }
  std::stable_sort(changes.begin(), changes.end(),
                   [](const EventChange& a, const EventChange& b) { return SizeOf(a) > SizeOf(b); });
  return changes;
}

// Types of operators as events, as the dump alone has them: of the other dump nothing else is known.
EventBlock TypesOf(EventBlock block) {
  for (ProfiledEvent& event : block.events) {
    event.delegate_backend_name.clear();
    event.more = {};
  }
  EventBlock types;
  for (const BlockCosts& costs : CostsOf({std::move(block)})) {
    for (const OperatorTypeCost& type : costs.types) {
      ProfiledEvent event;
      event.name = type.type;
      for (const double time : type.times) event.samples.push_back({time});
      types.events.push_back(std::move(event));
    }
  }
  return types;
}

// One of the two may be null.
BlockChange Compare(const EventBlock* before, const EventBlock* after, bool by_type) {
  static const EventBlock kNone;
  const EventBlock& old_block = before != nullptr ? *before : kNone;
  const EventBlock& new_block = after != nullptr ? *after : kNone;
  const EventBlock& named = after != nullptr ? *after : *before;
  BlockChange change;
  change.name = named.name;
  change.methods = named.methods;
  change.runs_instructions = std::any_of(named.events.begin(), named.events.end(), RanInstructions);
  change.before_runs = old_block.runs;
  change.after_runs = new_block.runs;
  const bool is_pair = before != nullptr && after != nullptr;
  const std::string_view around = AroundAll(named);
  change.whole.name = is_pair && AroundAll(old_block) != around ? "" : around;
  change.whole.before = WholeOf(old_block, change.whole.name);
  change.whole.after = WholeOf(new_block, change.whole.name);
  change.events = by_type ? CompareEvents(TypesOf(old_block), TypesOf(new_block)) : CompareEvents(old_block, new_block);
  std::erase_if(change.events, [&](const EventChange& one) { return one.name == change.whole.name; });
  return change;
}

// Chooses for new blocks the old ones to compare them with, each once.
class BlockMatcher {
 public:
  explicit BlockMatcher(const std::vector<EventBlock>& before) {
    for (const EventBlock& block : before) left_.push_back({&block, CountNames(block)});
  }

  // Null where there is none.
  const EventBlock* Take(const EventBlock& block) {
    const NameCounts names = CountNames(block);
    auto best = left_.end();
    int64_t most = std::numeric_limits<int64_t>::min();
    for (auto other = left_.begin(); other != left_.end(); ++other) {
      const EventBlock& old_block = *other->block;
      if (old_block.name != block.name || old_block.bundled_input_index != block.bundled_input_index) continue;
      const auto common = static_cast<int64_t>(InCommon(other->names, names));
      const int64_t likeness = 2 * common - static_cast<int64_t>(old_block.events.size());
      const bool is_alike = common != 0 || names == other->names;  // also of two without events
      if (!is_alike || likeness <= most) continue;
      most = likeness;
      best = other;
      if (most == static_cast<int64_t>(block.events.size())) break;  // the same names
    }
    if (best == left_.end()) return nullptr;
    const EventBlock* taken = best->block;
    left_.erase(best);
    return taken;
  }

  std::vector<const EventBlock*> left() const {
    std::vector<const EventBlock*> blocks;
    for (const Candidate& one : left_) blocks.push_back(one.block);
    return blocks;
  }

 private:
  struct Candidate {
    const EventBlock* block = nullptr;
    NameCounts names;
  };
  std::vector<Candidate> left_;
};

std::vector<BlockChange> CompareBlocks(const std::vector<EventBlock>& before, const std::vector<EventBlock>& after,
                                       bool by_type) {
  BlockMatcher matcher(before);
  std::vector<BlockChange> changes;
  for (const EventBlock& block : after) changes.push_back(Compare(matcher.Take(block), &block, by_type));
  for (const EventBlock* block : matcher.left()) changes.push_back(Compare(block, nullptr, by_type));
  return changes;
}

}  // namespace

std::optional<double> EventChange::slowdown() const {
  if (!before || !after || before->p50 == 0) return std::nullopt;
  return after->p50 / before->p50 - 1;
}

const char* NameOf(ChangeVerdict verdict) {
  switch (verdict) {
    case ChangeVerdict::kNew:
      return "new";
    case ChangeVerdict::kGone:
      return "gone";
    case ChangeVerdict::kTooFewRuns:
      return "too few runs";
    case ChangeVerdict::kWithinSpread:
      return "within spread";
    case ChangeVerdict::kSlower:
      return "slower";
    case ChangeVerdict::kFaster:
      return "faster";
  }
  return "";
}

ChangeVerdict EventChange::verdict() const {
  if (!before) return ChangeVerdict::kNew;
  if (!after) return ChangeVerdict::kGone;
  if (LeastRankTest(before->raw.size(), after->raw.size()) > kChance) return ChangeVerdict::kTooFewRuns;
  if (after->p50 > before->p50 && RankTest(before->raw, after->raw) <= kChance) return ChangeVerdict::kSlower;
  if (after->p50 < before->p50 && RankTest(after->raw, before->raw) <= kChance) return ChangeVerdict::kFaster;
  return ChangeVerdict::kWithinSpread;
}

std::vector<BlockChange> CompareProfiles(const std::vector<EventBlock>& before, const std::vector<EventBlock>& after) {
  return CompareBlocks(before, after, /*by_type=*/false);
}

std::vector<BlockChange> CompareTypes(const std::vector<EventBlock>& before, const std::vector<EventBlock>& after) {
  std::vector<BlockChange> changes = CompareBlocks(before, after, /*by_type=*/true);
  std::erase_if(changes, [](const BlockChange& change) { return !change.runs_instructions; });
  return changes;
}

}  // namespace pteedit
