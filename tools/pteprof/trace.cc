#include "trace.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "live_memory.h"
#include "pteedit/text.h"
#include "text/format.h"

namespace pteedit::cli {
namespace {

constexpr uint64_t kMost32 = std::numeric_limits<uint32_t>::max();
constexpr uint64_t kHalf32 = kMost32 / 2;
constexpr const char* kRuns = "runs";
constexpr const char* kRuntime = "runtime";
constexpr int kProcess = 1;
constexpr size_t kMostBytes = 256;  // of most slices

struct Slice {
  const std::string* track = nullptr;
  uint64_t start = 0, end = 0;  // in the scale of the dump; a clock that wrapped goes on
  int depth = 0;                // of slices with the same ends, the outer one first
  bool is_in_delegate = false;
  const std::string* event = nullptr;  // the members of its JSON behind place and time; slices of one event share it
};

// A cycle is shown as one.
double PerMicrosecond(TimeScale scale) { return scale == TimeScale::kCycles ? 1 : PerSecond(scale) / 1e6; }

// Turns times of a clock that may have wrapped at 32 bits, as they were measured one run after the other, into times
// that only grow.
class Clock {
 public:
  // The calls of the next run, but for those of clocks of delegates.
  void StartRun(const std::vector<const TimedCall*>& calls) {
    uint64_t least = std::numeric_limits<uint64_t>::max(), most = 0;
    bool wraps = false;
    for (const TimedCall* call : calls) {
      least = std::min(least, call->start);
      most = std::max({most, call->start, call->end});
      wraps = wraps || call->end < call->start;
    }
    has_32_bits_ = most <= kMost32;
    wraps_ = has_32_bits_ && (wraps || most - least > kHalf32);
    uint64_t first = least;
    if (wraps_) {
      first = kMost32;
      for (const TimedCall* call : calls) first = call->start > kHalf32 ? std::min(first, call->start) : first;
    }
    if (has_32_bits_ && last_start_ && *last_start_ > first && *last_start_ - first > kHalf32) past_ += kMost32;
    last_start_ = first;
    run_past_ = past_;
    if (wraps_) past_ += kMost32;
  }

  uint64_t At(uint64_t time) const {
    if (!has_32_bits_) return time;
    return time + run_past_ + (wraps_ && time <= kHalf32 ? kMost32 : 0);
  }

 private:
  uint64_t past_ = 0, run_past_ = 0;
  bool has_32_bits_ = false, wraps_ = false;
  std::optional<uint64_t> last_start_;
};

const char* CategoryOf(const ProfiledEvent& event) {
  switch (event.kind()) {
    case EventKind::kInDelegate:
      return "delegate_operator";
    case EventKind::kDelegateCall:
      return "delegate";
    case EventKind::kOperatorCall:
      return "call";
    case EventKind::kKernel:
      return "kernel";
    case EventKind::kRuntime:
      return "runtime";
  }
  return "runtime";
}

// The runtime logs what is inside first.
int DepthOf(const ProfiledEvent& event) {
  if (event.kind() == EventKind::kRuntime) return 0;
  return event.kind() == EventKind::kKernel || event.is_delegated() ? 2 : 1;
}

std::string TrackOf(const ProfiledEvent& event) {
  if (!event.is_delegated()) return kRuntime;
  return event.delegate_backend_name.empty() ? "delegates" : "in " + event.delegate_backend_name;
}

Json ArgumentsOf(const ProfiledEvent& event) {
  Json object = Json::object();
  if (event.chain >= 0) object["instruction"] = event.instruction;
  if (event.chain > 0) object["chain"] = event.chain;
  if (!event.delegate_backend_name.empty()) object["backend"] = event.delegate_backend_name;
  if (!event.more->op_types.empty()) object["op_types"] = TextsOf(event.more->op_types);
  std::set<std::string> seen;
  Json modules = Json::array();
  for (const SourceOperator& op : event.more->operators) {
    if (!op.modules || op.modules->empty()) continue;
    const std::string& path = op.modules->back().path;
    if (seen.insert(path).second) modules.push_back(path);
  }
  if (!modules.empty()) object["modules"] = std::move(modules);
  return object;
}

class TraceBuilder {
 public:
  TraceBuilder(const std::vector<EventBlock>& blocks, const EventScales& scales,
               const std::vector<MethodMemory>& memory)
      : blocks_(blocks), per_us_(PerMicrosecond(scales.source)) {
    for (const MethodMemory& one : memory) steps_.emplace(one.method, LiveMemory(one));
    AddSlices();
    for (const Slice& slice : slices_) origin_ = std::min(origin_, slice.start);
    if (slices_.empty()) origin_ = 0;
  }

  // The time that the trace counts from.
  uint64_t origin() const { return origin_; }

  // Adds the elements of the list of events, with commas between them, to `text`.
  void Write(const std::string& dump, std::string& text) {
    text_ = &text;
    text.reserve(text.size() + slices_.size() * kMostBytes);  // what is not written takes no memory
    Add(NameJson("process_name", 0, dump));
    std::stable_sort(slices_.begin(), slices_.end(), [](const Slice& a, const Slice& b) {
      // Operators of a delegate follow each other, also those too short to be measured.
      const bool a_is_short = a.is_in_delegate && a.end == a.start, b_is_short = b.is_in_delegate && b.end == b.start;
      if (a.start == b.start && a.is_in_delegate && b.is_in_delegate && a_is_short != b_is_short) return a_is_short;
      return std::tie(a.start, b.end, a.depth) < std::tie(b.start, a.end, b.depth);
    });
    for (const Slice& slice : slices_) Place(slice);
    for (const MemoryPoint& point : memory_points_) Place(point);
  }

 private:
  using Texts = std::pair<const std::string*, const std::string*>;  // track, and Slice::event

  struct MemoryPoint {
    const std::string* method = nullptr;
    uint32_t arena = 0;
    uint64_t time = 0, bytes = 0;
  };

  // A track; the ends of the slices that are open, the innermost last.
  struct Lane {
    int thread = 0;
    std::vector<uint64_t> open;
  };

  void AddSlices() {
    size_t count = 0;
    for (const EventBlock& block : blocks_) count += block.calls.size() + block.runs;
    slices_.reserve(count);
    std::map<uint64_t, std::pair<const EventBlock*, std::vector<const TimedCall*>>> runs;  // by number
    for (const EventBlock& block : blocks_) {
      for (const TimedCall& call : block.calls) {
        auto& [of_block, calls] = runs[call.run];
        of_block = &block;
        calls.push_back(&call);
      }
    }
    Clock clock;
    for (const auto& [number, run] : runs) {
      std::vector<const TimedCall*> of_runtime;
      for (const TimedCall* call : run.second) {
        if (!run.first->events[call->event].is_delegated()) of_runtime.push_back(call);
      }
      clock.StartRun(of_runtime.empty() ? run.second : of_runtime);
      AddRun(number, *run.first, run.second, clock);
    }
  }

  // What a delegate logged of one call, or of all whose calls were not logged.
  struct InsideCall {
    std::vector<size_t> slices;  // indices
    uint64_t start = std::numeric_limits<uint64_t>::max(), end = 0;

    void Add(size_t index, const Slice& slice) {
      slices.push_back(index);
      start = std::min(start, slice.start);
      end = std::max(end, slice.end);
    }
  };
  using CallKey = std::tuple<int64_t, int64_t, uint64_t>;  // chain, instruction, and which of its calls

  // Delegates may have clocks of their own: what lies wholly outside is moved to the start.
  void MoveInto(const Slice& around, const InsideCall& rows) {
    if (rows.start <= around.end && rows.end >= around.start) return;
    for (const size_t index : rows.slices) {
      slices_[index].start += around.start - rows.start;
      slices_[index].end += around.start - rows.start;
    }
  }

  // The k-th time of each event of a delegate is of its k-th call.
  void AddRun(uint64_t number, const EventBlock& block, const std::vector<const TimedCall*>& calls,
              const Clock& clock) {
    Slice whole{Kept(kRuns), std::numeric_limits<uint64_t>::max(), 0, 0, false, nullptr};
    std::map<CallKey, size_t> delegate_calls;
    std::vector<std::pair<CallKey, size_t>> rows;
    std::map<uint64_t, uint64_t> times;  // that an event was measured so far
    for (const TimedCall* call : calls) {
      const ProfiledEvent& event = block.events[call->event];
      const CallKey key{event.chain, event.instruction, times[call->event]++};
      if (event.kind() == EventKind::kDelegateCall) delegate_calls[key] = slices_.size();
      if (event.is_delegated()) rows.emplace_back(key, slices_.size());
      const Slice slice = SliceOf(*call, event, clock);
      if (!event.is_delegated()) {
        whole.start = std::min(whole.start, slice.start);
        whole.end = std::max(whole.end, slice.end);
      }
      slices_.push_back(slice);
    }
    if (whole.end < whole.start) return;  // nothing but rows of delegates
    PlaceRows(rows, delegate_calls, whole);
    AddMemory(block, calls, clock, whole.end);
    whole.event = Kept(MembersOf(RunJson(number, block)));
    slices_.push_back(whole);
  }

  Slice SliceOf(const TimedCall& call, const ProfiledEvent& event, const Clock& clock) {
    const auto [track, text] = PartsOf(event);
    const uint64_t start = clock.At(call.start);
    return {track, start, std::max(start, clock.At(call.end)), DepthOf(event), event.is_delegated(), text};
  }

  void PlaceRows(const std::vector<std::pair<CallKey, size_t>>& rows, const std::map<CallKey, size_t>& calls,
                 const Slice& whole) {
    std::map<size_t, InsideCall> inside;  // by call
    InsideCall others;
    for (const auto& [key, index] : rows) {
      const auto call = calls.find(key);
      (call == calls.end() ? others : inside[call->second]).Add(index, slices_[index]);
    }
    for (const auto& [call, of_call] : inside) MoveInto(slices_[call], of_call);
    MoveInto(whole, others);
  }

  static Json RunJson(uint64_t number, const EventBlock& block) {
    Json arguments = {{"run", number}};
    if (!block.methods.empty()) arguments["methods"] = TextsOf(block.methods);
    if (block.bundled_input_index >= 0) arguments["bundled_input_index"] = block.bundled_input_index;
    const std::string method = block.methods.size() == 1 ? " of " + block.methods.front() : "";
    return {{"name", block.name + method}, {"cat", "run"}, {"args", std::move(arguments)}};
  }

  // What is live at an instruction is so from when it was called; after a run nothing is.
  void AddMemory(const EventBlock& block, const std::vector<const TimedCall*>& calls, const Clock& clock,
                 uint64_t end) {
    const auto steps = block.methods.size() == 1 ? steps_.find(block.methods.front()) : steps_.end();
    if (steps == steps_.end()) return;
    std::map<uint64_t, uint64_t> starts;  // of instructions
    for (const TimedCall* call : calls) {
      const ProfiledEvent& event = block.events[call->event];
      if (event.kind() == EventKind::kRuntime || event.is_delegated() || event.chain != 0) continue;
      const auto [start, is_new] = starts.try_emplace(static_cast<uint64_t>(event.instruction), clock.At(call->start));
      if (!is_new) start->second = std::min(start->second, clock.At(call->start));
    }
    std::map<uint32_t, size_t> last;  // point, by arena
    for (const MemoryStep& step : steps->second) {
      const auto start = starts.lower_bound(step.instruction);  // not all log themselves
      if (start == starts.end()) continue;
      const auto [point, is_new] = last.try_emplace(step.arena, memory_points_.size());
      const bool is_same_time = !is_new && memory_points_[point->second].time == start->second;
      if (!is_same_time) {
        point->second = memory_points_.size();
        memory_points_.push_back({&steps->first, step.arena, start->second, 0});
      }
      memory_points_[point->second].bytes = step.bytes;
    }
    for (const auto& [arena, point] : last) memory_points_.push_back({&steps->first, arena, end, 0});
  }

  Texts PartsOf(const ProfiledEvent& event) {
    Texts& texts = texts_[&event];
    if (texts.second == nullptr) {
      texts = {Kept(TrackOf(event)),
               Kept(MembersOf({{"name", event.name}, {"cat", CategoryOf(event)}, {"args", ArgumentsOf(event)}}))};
    }
    return texts;
  }

  // Without the brace in front.
  static std::string MembersOf(Json object) {
    MakePrintable(object);
    return object.dump().substr(1);
  }

  const std::string* Kept(std::string text) { return &*kept_.insert(std::move(text)).first; }

  void Add(Json event) {
    MakePrintable(event);
    Add(event.dump());
  }
  void Add(const std::string& event) {
    if (text_->back() != '[') *text_ += ',';
    *text_ += event;
  }

  // Slices come by start, longer ones first.
  void Place(const Slice& slice) {
    std::vector<Lane>& lanes = lanes_[*slice.track];
    auto lane = std::find_if(lanes.begin(), lanes.end(), [&](Lane& one) {
      while (!one.open.empty() && one.open.back() <= slice.start) one.open.pop_back();
      return one.open.empty() || slice.end <= one.open.back();
    });
    if (lane == lanes.end()) {
      lanes.push_back({++threads_, {}});
      lane = lanes.end() - 1;
      Add(NameJson("thread_name", lane->thread, *slice.track));
    }
    lane->open.push_back(slice.end);
    Json place = {{"ph", "X"}, {"pid", kProcess}, {"tid", lane->thread}};
    place["ts"] = static_cast<double>(slice.start - origin_) / per_us_;
    place["dur"] = static_cast<double>(slice.end - slice.start) / per_us_;
    std::string text = place.dump();
    text.back() = ',';
    Add(text);
    *text_ += *slice.event;
  }

  void Place(const MemoryPoint& point) {
    Add(Json({{"ph", "C"},
              {"pid", kProcess},
              {"ts", static_cast<double>(point.time - origin_) / per_us_},
              {"name", "planned memory of " + *point.method + ", arena " + std::to_string(point.arena)},
              {"args", {{"bytes", point.bytes}}}}));
  }

  static Json NameJson(const char* kind, int thread, const std::string& name) {
    return {{"ph", "M"}, {"pid", kProcess}, {"tid", thread}, {"name", kind}, {"args", {{"name", name}}}};
  }

  const std::vector<EventBlock>& blocks_;
  const double per_us_;
  std::map<std::string, std::vector<MemoryStep>> steps_;  // by method
  std::vector<Slice> slices_;
  std::vector<MemoryPoint> memory_points_;
  std::map<std::string, std::vector<Lane>> lanes_;
  int threads_ = 0;
  uint64_t origin_ = std::numeric_limits<uint64_t>::max();
  std::map<const ProfiledEvent*, Texts> texts_;
  std::set<std::string> kept_;  // that slices point to
  std::string* text_ = nullptr;
};

}  // namespace

std::string TraceText(const std::vector<EventBlock>& blocks, const EventScales& scales, const std::string& dump,
                      const std::vector<MethodMemory>& memory) {
  Json allocations = Json::array();
  for (const EventBlock& block : blocks) {
    for (const Allocation& one : block.allocations)
      allocations.push_back({{"block", block.name}, {"allocator", one.allocator}, {"bytes", one.bytes}});
  }
  Json trace;
  trace["displayTimeUnit"] = "ns";
  trace["otherData"] = {{"source", dump}, {"clock", NameOf(scales.source)}};
  if (!allocations.empty()) trace["otherData"]["allocations"] = std::move(allocations);
  TraceBuilder builder(blocks, scales, memory);
  trace["otherData"]["origin"] = builder.origin();
  MakePrintable(trace);
  std::string text = trace.dump();
  text.back() = ',';
  text += "\"traceEvents\":[";
  builder.Write(dump, text);
  return std::move(text) + "]}\n";
}

}  // namespace pteedit::cli
