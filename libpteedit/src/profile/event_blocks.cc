// The grouping of the exporter's Inspector. Within a run, events of one place are a group; each timed event of a group,
// with what the group logged first, has a signature. Runs of one name whose signatures are the same, in order, are a
// block, and each signature an event of it.
#include "pteedit/profile/event_blocks.h"

#include <algorithm>
#include <limits>
#include <map>
#include <span>
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

// What tells the events of a run apart: their place without its chain, and what was logged there. Either of the two is
// null where there is none.
struct Signature {
  const EventPlace* place = nullptr;
  const TimedEvent* timed = nullptr;
  const LoggedEvent* logged = nullptr;

  auto Parts() const {
    const auto name_of = [](const auto* event) { return event ? std::optional(event->name) : std::nullopt; };
    return std::tuple(place->instruction, place->delegate_number, place->delegate_text, name_of(timed),
                      name_of(logged));
  }
  bool operator<(const Signature& other) const { return Parts() < other.Parts(); }
};

// What one run has of the events of its block, in their order.
struct RunSamples {
  const DumpRun* run = nullptr;
  std::vector<Signature> events;
  std::vector<std::vector<const LoggedEvent*>> logged;      // empty where the run has no values but outputs
  std::vector<std::pair<size_t, const TimedEvent*>> calls;  // with the event of each
  std::vector<const LoggedEvent*> outputs;
};

class RunSampler {
 public:
  explicit RunSampler(const DumpRun& run) {
    result_.run = &run;
    std::vector<const DumpEvent*> events;
    for (const DumpEvent& event : run.events) {
      const auto* logged = std::get_if<LoggedEvent>(&event.what);
      if (logged != nullptr && logged->is_output) {
        result_.outputs.push_back(logged);
      } else if (!std::holds_alternative<AllocationEvent>(event.what)) {
        logged_values_ += logged != nullptr;
        events.push_back(&event);
      }
    }
    for (const Group& group : GroupsOf(events)) AddSamples(group);
  }

  // Values that were logged, but for outputs.
  size_t logged_values() const { return logged_values_; }
  RunSamples Take() && { return std::move(result_); }

 private:
  using Group = std::span<const DumpEvent* const>;  // in the order of the run

  // Sorts `events` by place; the groups are in the order of their first events.
  static std::vector<Group> GroupsOf(std::vector<const DumpEvent*>& events) {
    std::ranges::stable_sort(events, {}, &DumpEvent::place);
    std::vector<Group> groups;
    for (auto begin = events.begin(); begin != events.end();) {
      const auto end =
          std::find_if(begin, events.end(), [&](const DumpEvent* event) { return event->place != (*begin)->place; });
      groups.emplace_back(begin, end);
      begin = end;
    }
    std::ranges::sort(groups, {}, [](const Group& group) { return group.front(); });
    return groups;
  }

  void AddSamples(const Group& group) {
    std::vector<const LoggedEvent*> logged;
    for (const DumpEvent* event : group) {
      if (const auto* one = std::get_if<LoggedEvent>(&event->what)) logged.push_back(one);
    }
    Signature signature{&group.front()->place, nullptr, logged.empty() ? nullptr : logged.front()};
    if (logged.size() == group.size()) return Add(signature, logged);
    for (const DumpEvent* event : group) {
      signature.timed = std::get_if<TimedEvent>(&event->what);
      if (signature.timed != nullptr) Add(signature, logged);
    }
  }

  // The last of those with one signature counts, at the place of the first.
  void Add(const Signature& event, const std::vector<const LoggedEvent*>& logged) {
    const auto [found, is_new] = index_of_.try_emplace(event, result_.events.size());
    const size_t index = found->second;
    if (is_new) {
      result_.events.emplace_back();
      if (logged_values_ != 0) result_.logged.emplace_back();
    }
    result_.events[index] = event;
    if (logged_values_ != 0) result_.logged[index] = logged;
    if (event.timed != nullptr) result_.calls.emplace_back(index, event.timed);
  }

  std::map<Signature, size_t> index_of_;
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

std::string ShownName(std::string_view name, const EventPlace& place) {
  if (place.delegate_number != -1) return std::to_string(place.delegate_number);
  return std::string(place.delegate_text.empty() ? name : place.delegate_text);
}

class BlockBuilder {
 public:
  BlockBuilder(const std::vector<DumpRun>& runs, const EventScales& scales) : runs_(runs), clock_(scales) {}

  Result<std::vector<EventBlock>> Build() && {
    for (const DumpRun& run : runs_) {
      RunSampler sampler(run);
      logged_values_ += sampler.logged_values();
      RunSamples samples = std::move(sampler).Take();
      const auto [found, is_new] =
          index_.try_emplace(Key(run.name, run.bundled_input_index, samples.events), blocks_.size());
      if (is_new) blocks_.emplace_back();
      blocks_[found->second].push_back(std::move(samples));
    }
    index_.clear();  // its keys are as many as events
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
  using Block = std::vector<RunSamples>;

  Result<EventBlock> BuildBlock(const Block& runs) {
    EventBlock block;
    block.name = runs.front().run->name;
    block.bundled_input_index = runs.front().run->bundled_input_index;
    block.runs = runs.size();
    block.events.reserve(runs.front().events.size());
    for (size_t i = 0; i < runs.front().events.size(); ++i) {
      PTEEDIT_ASSIGN(ProfiledEvent event, BuildEvent(runs, i));
      block.checks.kernels += event.kind() == EventKind::kKernel;
      block.checks.delegate_rows += event.is_delegated();
      block.events.push_back(std::move(event));
    }
    for (const RunSamples& run : runs) {
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

  Result<ProfiledEvent> BuildEvent(const Block& runs, size_t index) {
    const Signature& first = runs.front().events[index];
    const EventPlace& place = *first.place;
    ProfiledEvent event;
    event.instruction = place.instruction;
    event.chain = place.chain;
    if (first.timed != nullptr) event.name = ShownName(first.timed->name, place);
    if (first.logged != nullptr) {
      if (std::string shown = ShownName(first.logged->name, place); !shown.empty()) event.name = std::move(shown);
    }
    if (place.delegate_number != -1) event.delegate_debug_number = place.delegate_number;
    event.delegate_debug_text = place.delegate_text;
    PTEEDIT_TRY(AddDebugData(runs, index, event));
    if (first.timed == nullptr) return event;
    const auto timed_in = [&](const RunSamples& run) -> const TimedEvent& { return *run.events[index].timed; };
    event.samples.reserve(runs.size());
    for (const RunSamples& run : runs) {
      PTEEDIT_ASSIGN(const double elapsed, clock_.Elapsed(timed_in(run), event.is_delegated()));
      event.samples.push_back({elapsed, timed_in(run).start, timed_in(run).end});
    }
    if (std::ranges::all_of(runs, [&](const RunSamples& run) { return timed_in(run).metadata.empty(); })) return event;
    for (const RunSamples& run : runs) event.more.Edit().delegate_debug_metadata.emplace_back(timed_in(run).metadata);
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
      if (logged.empty()) continue;
      if (&run == &runs.front()) {
        event.more.Edit().debug_data = ValuesOf(logged);
      } else {
        event.more.Edit().later_debug_data.push_back(ValuesOf(logged));
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

std::optional<PerfData> ProfiledEvent::perf() const {
  if (samples.empty()) return std::nullopt;
  std::vector<double> raw;
  for (const Sample& sample : samples) raw.push_back(sample.elapsed);
  return PerfDataOf(std::move(raw));
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
