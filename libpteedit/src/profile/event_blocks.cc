// The grouping of the exporter's Inspector. Within a run, events of one place are a group; each timed event of a group,
// with what the group logged first, has a signature. Runs of one name whose signatures are the same, in order, are a
// block, and each signature an event of it.
#include "pteedit/profile/event_blocks.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "profile/dump_events.h"
#include "profile/event_names.h"
#include "profile/statistics.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

// A kernel's values are those of its call too; a dump of a few bytes must not have very many.
constexpr size_t kMaxValueRepeats = 16, kFewValues = 100'000;
constexpr double kMost32 = std::numeric_limits<uint32_t>::max();  // where clocks of 32 bits wrap

struct ScaleFacts {
  TimeScale scale;
  const char* name;
  double per_second;
};
constexpr ScaleFacts kScales[] = {{TimeScale::kNs, "ns", 1e9},
                                  {TimeScale::kUs, "us", 1e6},
                                  {TimeScale::kMs, "ms", 1e3},
                                  {TimeScale::kS, "s", 1},
                                  {TimeScale::kCycles, "cycles", 1}};

const ScaleFacts& FactsOf(TimeScale scale) {
  return *std::find_if(std::begin(kScales), std::end(kScales),
                       [&](const ScaleFacts& one) { return one.scale == scale; });
}

// The chain tells groups of a run apart, but not events.
struct Name {
  std::string_view text;
  int32_t instruction = -1, delegate_number = -1;
  std::string_view delegate_text;
  auto operator<=>(const Name&) const = default;
};

struct Signature {
  int32_t instruction = -1;
  std::optional<Name> timed, logged;
  auto operator<=>(const Signature&) const = default;
};

struct Group {
  std::vector<const TimedEvent*> timed;
  std::vector<const LoggedEvent*> logged;
};

// What the samples of one event have in common.
struct SampledEvent {
  Signature signature;
  int64_t chain = 0;
};

// What one run has of the events of its block, in their order.
struct RunSamples {
  const DumpRun* run = nullptr;
  std::vector<const TimedEvent*> timed;                     // null where only values were logged
  std::vector<std::vector<const LoggedEvent*>> logged;      // empty where the run has no values but outputs
  std::vector<std::pair<size_t, const TimedEvent*>> calls;  // with the event of each
  std::vector<const LoggedEvent*> outputs;
};

Name NameOf(std::string_view text, const EventPlace& place) {
  return {text, place.instruction, place.delegate_number, place.delegate_text};
}

class RunSampler {
 public:
  explicit RunSampler(const DumpRun& run) {
    result_.run = &run;
    for (const DumpEvent& event : run.events) AddToGroup(event);
    for (const auto& [place, group] : groups_) AddSamples(place, group);
  }

  const std::vector<SampledEvent>& events() const { return events_; }
  // Values that were logged, but for outputs.
  size_t logged_values() const { return logged_values_; }
  RunSamples Take() && { return std::move(result_); }

 private:
  void AddToGroup(const DumpEvent& event) {
    const auto* logged = std::get_if<LoggedEvent>(&event.what);
    if (logged != nullptr && logged->is_output) return result_.outputs.push_back(logged);
    if (std::holds_alternative<AllocationEvent>(event.what)) return;
    const auto [found, is_new] = index_.try_emplace(event.place, groups_.size());
    if (is_new) groups_.emplace_back(event.place, Group());
    Group& group = groups_[found->second].second;
    logged_values_ += logged != nullptr;
    if (logged != nullptr) group.logged.push_back(logged);
    if (const auto* timed = std::get_if<TimedEvent>(&event.what)) group.timed.push_back(timed);
  }

  void AddSamples(const EventPlace& place, const Group& group) {
    Signature signature{place.instruction, {}, {}};
    if (!group.logged.empty()) signature.logged = NameOf(group.logged.front()->name, place);
    if (group.timed.empty()) Add({signature, place.chain}, nullptr, group);
    for (const TimedEvent* timed : group.timed) {
      signature.timed = NameOf(timed->name, place);
      Add({signature, place.chain}, timed, group);
    }
  }

  // The last of those with one signature counts, at the place of the first.
  void Add(const SampledEvent& event, const TimedEvent* timed, const Group& group) {
    const auto [found, is_new] = index_of_.try_emplace(event.signature, events_.size());
    const size_t index = found->second;
    if (is_new) {
      events_.emplace_back();
      result_.timed.emplace_back();
      if (logged_values_ != 0) result_.logged.emplace_back();
    }
    events_[index] = event;
    result_.timed[index] = timed;
    if (logged_values_ != 0) result_.logged[index] = group.logged;
    if (timed != nullptr) result_.calls.emplace_back(index, timed);
  }

  std::map<EventPlace, size_t> index_;
  std::vector<std::pair<EventPlace, Group>> groups_;  // in the order of their first events
  std::map<Signature, size_t> index_of_;
  std::vector<SampledEvent> events_;
  size_t logged_values_ = 0;
  RunSamples result_;
};

// Elapsed time in the target scale. Of rows of delegates each end is scaled first, since their own converters could do
// so; the last digits depend on it.
class Clock {
 public:
  explicit Clock(const EventScales& scales) : factor_(PerSecond(scales.source) / PerSecond(scales.target)) {}

  Result<double> Elapsed(const TimedEvent& event, bool is_delegated) const {
    if (is_delegated) {
      const double start = static_cast<double>(event.start) / factor_, end = static_cast<double>(event.end) / factor_;
      if (start <= end) return end - start;
      if (start > kMost32 || end > kMost32) return Backwards(event);
      return kMost32 - start + end;
    }
    if (event.start <= event.end) return static_cast<double>(event.end - event.start) / factor_;
    if (static_cast<double>(event.start) > kMost32) return Backwards(event);
    return static_cast<double>(std::numeric_limits<uint32_t>::max() - event.start + event.end) / factor_;
  }

 private:
  static Error Backwards(const TimedEvent& event) {
    return Malformed(Text("event ", Quoted(event.name), " ends at ", event.end, ", before it starts at ", event.start,
                          ", and is no 32-bit clock that wrapped"));
  }

  double factor_;
};

std::string ShownName(const Name& name) {
  if (name.delegate_number != -1) return std::to_string(name.delegate_number);
  return std::string(name.delegate_text.empty() ? name.text : name.delegate_text);
}

class BlockBuilder {
 public:
  BlockBuilder(const std::vector<DumpRun>& runs, const EventScales& scales) : runs_(runs), clock_(scales) {}

  Result<std::vector<EventBlock>> Build() && {
    for (const DumpRun& run : runs_) {
      RunSampler sampler(run);
      logged_values_ += sampler.logged_values();
      Key key{run.name, run.bundled_input_index, {}};
      for (const SampledEvent& event : sampler.events()) std::get<2>(key).push_back(event.signature);
      const auto [found, is_new] = index_.try_emplace(std::move(key), blocks_.size());
      if (is_new) blocks_.push_back({sampler.events(), {}});
      blocks_[found->second].runs.push_back(std::move(sampler).Take());
    }
    index_.clear();  // its keys are as many as events, and these are large
    std::vector<EventBlock> blocks;
    for (Block& block : blocks_) {
      PTEEDIT_ASSIGN(EventBlock built, BuildBlock(block));
      blocks.push_back(std::move(built));
      block = {};
    }
    return blocks;
  }

 private:
  using Key = std::tuple<std::string_view, int32_t, std::vector<Signature>>;
  struct Block {
    std::vector<SampledEvent> events;  // as the first run has them
    std::vector<RunSamples> runs;
  };

  Result<EventBlock> BuildBlock(const Block& sampled) {
    EventBlock block;
    block.name = sampled.runs.front().run->name;
    block.bundled_input_index = sampled.runs.front().run->bundled_input_index;
    block.runs = sampled.runs.size();
    block.events.reserve(sampled.events.size());
    for (size_t i = 0; i < sampled.events.size(); ++i) {
      PTEEDIT_ASSIGN(ProfiledEvent event, BuildEvent(sampled, i));
      block.checks.kernels += event.kind() == EventKind::kKernel;
      block.checks.delegate_rows += event.is_delegated();
      block.events.push_back(std::move(event));
    }
    for (const RunSamples& run : sampled.runs) {
      AddOutputs(run.outputs, block);
      AddAllocations(*run.run, block);
      PTEEDIT_TRY(AddCalls(run, block));
    }
    return block;
  }

  Status AddCalls(const RunSamples& run, EventBlock& block) const {
    const auto number = static_cast<uint64_t>(run.run - runs_.data());
    std::vector<TimedCall> calls;
    for (const auto& [event, timed] : run.calls) {
      PTEEDIT_ASSIGN(const double elapsed, clock_.Elapsed(*timed, block.events[event].is_delegated()));
      calls.push_back({number, event, timed->start, timed->end, elapsed});
    }
    std::stable_sort(calls.begin(), calls.end(),
                     [](const TimedCall& a, const TimedCall& b) { return a.event < b.event; });
    block.calls.insert(block.calls.end(), calls.begin(), calls.end());
    return {};
  }

  Result<ProfiledEvent> BuildEvent(const Block& block, size_t index) {
    const SampledEvent& first = block.events[index];
    ProfiledEvent event;
    event.instruction = first.signature.instruction;
    event.chain = first.chain;
    for (const std::optional<Name>& name : {first.signature.timed, first.signature.logged}) {
      if (!name) continue;
      if (std::string shown = ShownName(*name); !shown.empty()) event.name = std::move(shown);
      if (name->delegate_number != -1) event.delegate_debug_number = name->delegate_number;
      event.delegate_debug_text = name->delegate_text;
    }
    PTEEDIT_TRY(AddDebugData(block.runs, index, event));
    if (!first.signature.timed) return event;
    std::vector<double> samples;
    for (const RunSamples& run : block.runs) {
      const TimedEvent& timed = *run.timed[index];
      PTEEDIT_ASSIGN(const double elapsed, clock_.Elapsed(timed, event.is_delegated()));
      samples.push_back(elapsed);
      event.start_times.push_back(timed.start);
      event.end_times.push_back(timed.end);
      event.delegate_debug_metadata.emplace_back(timed.metadata);
    }
    event.perf = PerfDataOf(std::move(samples));
    return event;
  }

  // All timed events of a group have its values.
  Status AddDebugData(const std::vector<RunSamples>& runs, size_t index, ProfiledEvent& event) {
    static const std::vector<const LoggedEvent*> kNone;
    for (const RunSamples& run : runs) {
      const std::vector<const LoggedEvent*>& logged = run.logged.empty() ? kNone : run.logged[index];
      kept_values_ += logged.size();
      if (kept_values_ > kMaxValueRepeats * logged_values_ + kFewValues) {
        return Unsupported(
            Text("dump has events that repeat the values it logged more than ", kMaxValueRepeats, " times"));
      }
      if (&run == &runs.front()) {
        event.debug_data = ValuesOf(logged);
      } else if (!logged.empty()) {
        event.later_debug_data.push_back(ValuesOf(logged));
      }
    }
    return {};
  }

  static std::vector<LoggedValue> ValuesOf(const std::vector<const LoggedEvent*>& events) {
    std::vector<LoggedValue> values;
    for (const LoggedEvent* event : events) values.push_back(event->value);
    return values;
  }

  // The first that there are count, as with the Inspector.
  static void AddOutputs(const std::vector<const LoggedEvent*>& outputs, EventBlock& block) {
    if (block.run_output.empty()) {
      block.run_output = ValuesOf(outputs);
    } else {
      block.later_run_outputs.push_back(ValuesOf(outputs));
    }
  }

  static void AddAllocations(const DumpRun& run, EventBlock& block) {
    for (const DumpEvent& event : run.events) {
      const auto* allocation = std::get_if<AllocationEvent>(&event.what);
      if (allocation == nullptr) continue;
      const auto index = static_cast<size_t>(allocation->allocator) - 1;
      const bool is_known = allocation->allocator > 0 && index < run.allocators.size();
      block.allocations.push_back(
          {is_known ? std::string(run.allocators[index]) : Text("allocator ", allocation->allocator),
           allocation->bytes});
    }
  }

  const std::vector<DumpRun>& runs_;
  Clock clock_;
  size_t logged_values_ = 0, kept_values_ = 0;
  std::map<Key, size_t> index_;
  std::vector<Block> blocks_;  // in the order of their first runs
};

}  // namespace

const char* NameOf(TimeScale scale) { return FactsOf(scale).name; }
double PerSecond(TimeScale scale) { return FactsOf(scale).per_second; }

std::optional<TimeScale> TimeScaleCalled(const std::string& name) {
  for (const ScaleFacts& facts : kScales) {
    if (name == facts.name) return facts.scale;
  }
  return std::nullopt;
}

PerfData PerfDataOf(std::vector<double> raw) {
  PerfData perf;
  perf.raw = std::move(raw);
  std::vector<double> sorted = perf.raw;
  std::sort(sorted.begin(), sorted.end());
  perf.p10 = Percentile(sorted, 10);
  perf.p50 = Percentile(sorted, 50);
  perf.p90 = Percentile(sorted, 90);
  perf.avg = Mean(perf.raw);
  perf.min = sorted.front();
  perf.max = sorted.back();
  return perf;
}

EventKind ProfiledEvent::kind() const {
  if (is_delegated()) return EventKind::kInDelegate;
  if (name == kOperatorCall) return EventKind::kOperatorCall;
  if (name == kDelegateCall) return EventKind::kDelegateCall;
  return name.starts_with(kKernelCall) ? EventKind::kKernel : EventKind::kRuntime;
}

std::string ProfiledEvent::delegate_debug_identifier() const {
  return delegate_debug_number ? std::to_string(*delegate_debug_number) : delegate_debug_text;
}

Result<std::vector<EventBlock>> ReadEventBlocks(const std::shared_ptr<const Source>& dump, const EventScales& scales) {
  if ((scales.source == TimeScale::kCycles) != (scales.target == TimeScale::kCycles)) {
    return InvalidArgument(Text("times in ", NameOf(scales.source), " cannot be shown in ", NameOf(scales.target),
                                "; where one is cycles, both have to be"));
  }
  PTEEDIT_ASSIGN(const Etdump opened, OpenEtdump(dump));
  PTEEDIT_ASSIGN(const std::vector<DumpRun> runs, ReadRuns(opened));
  return BlockBuilder(runs, scales).Build();
}

}  // namespace pteedit
