#include "pteedit/profile/operator_costs.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "profile/event_names.h"
#include "profile/statistics.h"

namespace pteedit {
namespace {

using Place = std::pair<int64_t, int64_t>;  // chain and instruction

// The stored items that the instructions of one method read; none where the method or the program is not known.
class MethodReads {
 public:
  MethodReads(const EventBlock& block, const StoredReads* reads)
      : items_(reads != nullptr && block.methods.size() == 1 ? &reads->items : nullptr) {
    if (items_ == nullptr) return;
    for (const StoredItem& item : *items_) {
      if (item.kind == StoredItem::Kind::kKey) of_key_.emplace(item.name, item.bytes.value_or(0));
    }
    for (const InstructionReads& one : reads->instructions) {
      if (one.method != block.methods.front()) continue;
      of_place_[{static_cast<int64_t>(one.chain), static_cast<int64_t>(one.index)}] = &one.items;
    }
  }

  bool is_known() const { return items_ != nullptr; }

  void AddTo(std::set<size_t>& all, const Place& place) const {
    const auto found = of_place_.find(place);
    if (found != of_place_.end()) all.insert(found->second->begin(), found->second->end());
  }

  std::optional<uint64_t> BytesOf(const std::set<size_t>& all) const {
    if (!is_known()) return std::nullopt;
    uint64_t bytes = 0;
    for (const size_t item : all) bytes += (*items_)[item].bytes.value_or(0);
    return bytes;
  }

  // Nothing where it is not known which node of its delegate an operator is of.
  std::optional<uint64_t> BytesOf(const std::optional<DelegateNodes>& nodes) const {
    if (!is_known() || !nodes || nodes->first != nodes->last) return std::nullopt;
    uint64_t bytes = nodes->blob_bytes;
    for (const std::string& key : nodes->keys) {
      const auto found = of_key_.find(key);
      bytes += found == of_key_.end() ? 0 : found->second;
    }
    return bytes;
  }

  std::vector<std::string> MissingOf(const std::set<size_t>& all) const {
    std::vector<std::string> keys;
    for (const size_t item : all) {
      const StoredItem& one = (*items_)[item];
      if (one.kind == StoredItem::Kind::kKey && !one.bytes) keys.push_back(one.name);
    }
    return keys;
  }

 private:
  const std::vector<StoredItem>* items_;
  std::map<Place, const std::vector<size_t>*> of_place_;
  std::map<std::string_view, uint64_t> of_key_;
};

// What the instructions of one method compute and move; nothing where the method or the program is not known.
class MethodWork {
 public:
  MethodWork(const EventBlock& block, const std::vector<InstructionWork>& work) {
    if (block.methods.size() != 1) return;
    for (const InstructionWork& one : work) {
      if (one.method != block.methods.front()) continue;
      of_place_[{static_cast<int64_t>(one.chain), static_cast<int64_t>(one.index)}] = &one;
    }
  }

  std::optional<OperatorWork> Of(const OperatorCost& cost) const {
    const auto found = of_place_.find({cost.chain, cost.instruction});
    if (found == of_place_.end()) return std::nullopt;
    const InstructionWork& call = *found->second;
    if (!cost.is_in_delegate) return call.work;
    const std::optional<DelegateNodes>& nodes = cost.more->nodes;
    const bool is_of_one = call.operators != nullptr && nodes && nodes->first == nodes->last;
    if (!is_of_one || nodes->first >= call.operators->size()) return std::nullopt;
    OperatorWork work = (*call.operators)[nodes->first];
    work.is_upper_bound = work.is_upper_bound || call.work.is_upper_bound;
    return work;
  }

 private:
  std::map<Place, const InstructionWork*> of_place_;
};

// "GEMM" of "GEMM #12".
std::string WithoutNumber(const std::string& name) {
  const size_t end = name.find_last_not_of("0123456789");
  const bool has_number = end != std::string::npos && end + 1 < name.size() && end > 1 && name[end] == '#';
  return has_number && name[end - 1] == ' ' ? name.substr(0, end - 1) : name;
}

std::string TypeInDelegate(const ProfiledEvent& event) {
  if (!event.delegate_debug_number) return WithoutNumber(event.name);
  const std::set<std::string> types(event.more->op_types.begin(), event.more->op_types.end());
  const std::string joined = Joined(types, ", ");
  return joined.empty() ? event.name : joined;
}

Place PlaceOf(const ProfiledEvent& event) { return {event.chain, event.instruction}; }

template <class Row>
void SortByTime(std::vector<Row>& rows) {
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.time > b.time; });
}

// By run.
using Times = std::vector<double>;
using TimesView = std::span<const double>;

Times Copy(TimesView times) { return {times.begin(), times.end()}; }

void AddTo(Times& sum, TimesView more) {
  for (size_t i = 0; i < sum.size(); ++i) sum[i] += more[i];
}

Times Beyond(TimesView whole, TimesView part) {
  Times rest(whole.size());
  for (size_t i = 0; i < rest.size(); ++i) rest[i] = std::max(0.0, whole[i] - part[i]);
  return rest;
}

double MedianOf(Times times) {
  std::sort(times.begin(), times.end());
  return times.empty() ? 0 : Percentile(times, 50);
}

TimeSpread SpreadOf(Times times) {
  if (times.empty()) return {};
  TimeSpread spread;
  spread.runs = times.size();
  spread.mean = Mean(times);
  std::sort(times.begin(), times.end());
  spread.p10 = Percentile(times, 10);
  spread.p90 = Percentile(times, 90);
  spread.p99 = Percentile(times, 99);
  return spread;
}

constexpr uint64_t kFewestRuns = 3;  // of fewer nobody can say which are cold
constexpr double kCold = 2;          // times the median

uint64_t CountCold(const Times& whole) {
  if (whole.size() < kFewestRuns) return 0;
  const double most = kCold * MedianOf(whole);
  const auto warm = std::find_if(whole.begin(), whole.end(), [&](double time) { return time <= most; });
  return static_cast<uint64_t>(warm - whole.begin());
}

// The path that both begin with, whole names only.
std::string CommonModule(const std::string& a, const std::string& b) {
  size_t end = 0;
  for (size_t i = 0; i <= std::min(a.size(), b.size()); ++i) {
    const bool ends_a = i == a.size() || a[i] == '.', ends_b = i == b.size() || b[i] == '.';
    if (ends_a && ends_b) end = i;
    if (i == a.size() || i == b.size() || a[i] != b[i]) break;
  }
  return a.substr(0, end);
}

// Of a row of a delegate those of its own node.
const std::vector<SourceOperator>& SourcesOf(const ProfiledEvent& event) {
  return event.more->node_operators.empty() ? event.more->operators : event.more->node_operators;
}

std::string ModuleOf(const ProfiledEvent& event) {
  std::optional<std::string> common;
  for (const SourceOperator& op : SourcesOf(event)) {
    if (!op.modules || op.modules->empty()) continue;
    const std::string& path = op.modules->back().path;
    common = common ? CommonModule(*common, path) : path;
  }
  return common.value_or("");
}

// "model.py:12" of the innermost frame of a trace outside of torch's own modules, or of these where there is no other:
// of a line that begins with File "/a/model.py", line 12.
std::string LineOf(const std::string& trace) {
  constexpr std::string_view kFile = "File \"", kLine = "\", line ", kTorch = "/torch/nn/";
  std::string innermost;
  for (size_t end = trace.size(), at = trace.rfind(kFile); at != std::string::npos; at = trace.rfind(kFile, at - 1)) {
    const size_t line = trace.find(kLine, at);
    if (line >= end) break;
    const std::string_view file = std::string_view(trace).substr(at + kFile.size(), line - at - kFile.size());
    const size_t number = line + kLine.size(), behind = trace.find_first_not_of("0123456789", number);
    const std::string found = Text(file.substr(file.find_last_of('/') + 1), ":",
                                   std::string_view(trace).substr(number, std::min(behind, trace.size()) - number));
    if (file.find(kTorch) == std::string_view::npos) return found;
    if (innermost.empty()) innermost = found;
    if (at == 0) break;
    end = at;
  }
  return innermost;
}

std::string SourceOf(const ProfiledEvent& event) {
  std::string source;
  for (const SourceOperator& op : SourcesOf(event)) {
    const std::string line = LineOf(op.stack_trace.value_or(""));
    if (line.empty()) continue;
    if (!source.empty() && line != source) return "";
    source = line;
  }
  return source;
}

class BlockSummer {
 public:
  BlockSummer(const EventBlock& block, const StoredReads* reads, const std::vector<InstructionWork>& work)
      : block_(block), reads_(block, reads), work_(block, work) {
    std::map<uint64_t, size_t> runs;  // by number in the dump
    for (const TimedCall& call : block.calls) runs.try_emplace(call.run, 0);
    for (auto& [number, index] : runs) index = runs_++;
    times_.resize(block.events.size() * runs_);
    calls_.resize(block.events.size());
    for (const TimedCall& call : block.calls) {
      times_[call.event * runs_ + runs[call.run]] += call.elapsed;
      ++calls_[call.event];
    }
    calling_ = kernels_ = outermost_ = Times(runs_);
  }

  BlockCosts Sum() && {
    result_.name = block_.name;
    result_.bundled_input_index = block_.bundled_input_index;
    result_.methods = block_.methods;
    result_.runs = block_.runs;
    result_.checks = block_.checks;
    for (size_t i = 0; i < block_.events.size(); ++i) AddEvent(i);
    OrderEvents();
    result_.operators.reserve(events_.size());  // which are large
    for (const size_t index : events_) AddOperator(index);
    AddWhole();
    AddGroups();
    return std::move(result_);
  }

 private:
  using Key = std::pair<std::string, std::string>;  // type or module, and backend

  void AddEvent(size_t index) {
    const ProfiledEvent& event = block_.events[index];
    if (event.samples.empty()) return;
    switch (event.kind()) {
      case EventKind::kOperatorCall:
        AddTo(calling_, TimesOf(index));
        break;
      case EventKind::kInDelegate:
        AddTo(in_delegates_.try_emplace(PlaceOf(event), Times(runs_)).first->second, TimesOf(index));
        events_.push_back(index);
        break;
      case EventKind::kDelegateCall:
        AddTo(outermost_, TimesOf(index));
        events_.push_back(index);
        break;
      case EventKind::kKernel:
        AddTo(kernels_, TimesOf(index));
        AddTo(outermost_, TimesOf(index));
        events_.push_back(index);
        break;
      case EventKind::kRuntime:
        if (event.name != kMethodExecute) break;
        if (!execute_) execute_ = Times(runs_);
        AddTo(*execute_, TimesOf(index));
    }
  }

  // The most time first, but what is inside a delegate behind its call.
  void OrderEvents() {
    std::vector<double> medians(block_.events.size());
    for (const size_t index : events_) medians[index] = MedianOf(Copy(TimesOf(index)));
    std::ranges::stable_sort(events_, [&](size_t a, size_t b) { return medians[a] > medians[b]; });
    std::map<Place, std::vector<size_t>> inside;
    for (const size_t index : events_) {
      if (KindOf(index) == EventKind::kInDelegate) inside[PlaceOf(block_.events[index])].push_back(index);
    }
    std::vector<size_t> ordered;
    const auto take = [&](std::vector<size_t>& events) {
      ordered.insert(ordered.end(), events.begin(), events.end());
      events.clear();
    };
    for (const size_t index : events_) {
      if (KindOf(index) == EventKind::kInDelegate) continue;
      ordered.push_back(index);
      if (KindOf(index) == EventKind::kDelegateCall) take(inside[PlaceOf(block_.events[index])]);
    }
    for (auto& [place, events] : inside) take(events);  // without a call
    events_ = std::move(ordered);
  }

  TimesView TimesOf(size_t index) const { return TimesView(times_).subspan(index * runs_, runs_); }
  EventKind KindOf(size_t index) const { return block_.events[index].kind(); }

  void AddOperator(size_t index) {
    const ProfiledEvent& event = block_.events[index];
    const EventKind kind = event.kind();
    OperatorCost cost;
    cost.name = kind == EventKind::kKernel ? event.name.substr(kKernelCall.size()) : event.name;
    cost.type = kind == EventKind::kInDelegate ? TypeInDelegate(event) : cost.name;
    cost.backend = event.delegate_backend_name;
    std::tie(cost.chain, cost.instruction) = PlaceOf(event);
    cost.is_in_delegate = event.is_delegated();
    cost.calls = calls_[index];
    cost.time = MedianOf(Copy(TimesOf(index)));
    cost.spread = SpreadOf(Copy(TimesOf(index)));
    OperatorCost::Details details{event.more->op_types, ModuleOf(event), SourceOf(event), event.more->nodes};
    if (!SourcesOf(event).empty() || !details.op_types.empty() || details.nodes) cost.more.Edit() = std::move(details);
    cost.stored_bytes = cost.is_in_delegate ? reads_.BytesOf(event.more->nodes) : BytesOf({&cost});
    cost.work = work_.Of(cost);
    result_.operators.push_back(std::move(cost));
  }

  // Of all that these read; nothing where it is not known.
  std::optional<uint64_t> BytesOf(const std::vector<const OperatorCost*>& costs) const {
    return reads_.BytesOf(ItemsOf(costs));
  }

  std::set<size_t> ItemsOf(const std::vector<const OperatorCost*>& costs) const {
    std::set<size_t> items;
    for (const OperatorCost* cost : costs) {
      if (!cost->is_in_delegate) reads_.AddTo(items, {cost->chain, cost->instruction});
    }
    return items;
  }

  void AddWhole() {
    std::vector<const OperatorCost*> all;
    for (const OperatorCost& cost : result_.operators) all.push_back(&cost);
    const Times overhead = Beyond(calling_, kernels_);
    Times sum = outermost_;
    AddTo(sum, overhead);
    const Times& whole = execute_ ? *execute_ : sum;
    result_.overhead = MedianOf(overhead);
    result_.time = MedianOf(whole);
    result_.spread = SpreadOf(whole);
    result_.cold_runs = CountCold(whole);
    result_.rest = MedianOf(Beyond(whole, sum));
    result_.stored_bytes = BytesOf(all);
    if (reads_.is_known()) result_.missing_keys = reads_.MissingOf(ItemsOf(all));
    for (OperatorCost& cost : result_.operators) cost.share = ShareOf(cost.time);
  }

  double ShareOf(double time) const { return result_.time > 0 ? time / result_.time : 0; }

  void AddGroups() {
    std::map<Key, std::vector<size_t>> types, modules;
    bool has_modules = false;
    for (const size_t i : InEventOrder()) {
      const OperatorCost& cost = result_.operators[i];
      types[{cost.type, cost.backend}].push_back(i);
      if (!cost.is_in_delegate) modules[{cost.more->module, ""}].push_back(i);
      has_modules = has_modules || !cost.more->module.empty();
    }
    for (const auto& [key, indices] : types) result_.types.push_back(RowOf(key, indices, /*inside_too=*/true));
    SortByTime(result_.types);
    if (!has_modules) return;
    for (const auto& [key, indices] : modules) result_.modules.push_back(RowOf(key, indices, /*inside_too=*/false));
    SortByTime(result_.modules);
  }

  // Of operators: on the order of a sum depends its last digit.
  std::vector<size_t> InEventOrder() const {
    std::vector<size_t> order(events_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::sort(order, {}, [&](size_t i) { return events_[i]; });
    return order;
  }

  // With `inside_too`, what is inside delegates has rows of its own.
  OperatorTypeCost RowOf(const Key& key, const std::vector<size_t>& indices, bool inside_too) const {
    OperatorTypeCost row;
    std::tie(row.type, row.backend) = key;
    row.operators = indices.size();
    Times times(runs_);
    std::vector<const OperatorCost*> costs;
    for (const size_t index : indices) {
      costs.push_back(&result_.operators[index]);
      row.calls += costs.back()->calls;
      AddTo(times, inside_too ? TimesOutside(index) : Copy(TimesOf(events_[index])));
    }
    row.time = MedianOf(times);
    row.spread = SpreadOf(times);
    row.times = std::move(times);
    row.share = ShareOf(row.time);
    if (!costs.front()->is_in_delegate) row.stored_bytes = BytesOf(costs);
    return row;
  }

  // Without what a delegate logged of it. Its clock may be another one, so that this is no more than all.
  Times TimesOutside(size_t index) const {
    const OperatorCost& cost = result_.operators[index];
    const TimesView whole = TimesOf(events_[index]);
    if (cost.is_in_delegate || cost.name != kDelegateCall) return Copy(whole);
    const auto inside = in_delegates_.find({cost.chain, cost.instruction});
    return inside == in_delegates_.end() ? Copy(whole) : Beyond(whole, inside->second);
  }

  const EventBlock& block_;
  const MethodReads reads_;
  const MethodWork work_;
  size_t runs_ = 0;
  Times times_;                  // by event and run
  std::vector<uint64_t> calls_;  // by event
  std::vector<size_t> events_;   // of operators, in their order
  std::map<Place, Times> in_delegates_;
  Times calling_, kernels_, outermost_;
  std::optional<Times> execute_;
  BlockCosts result_;
};

}  // namespace

std::vector<BlockCosts> CostsOf(const std::vector<EventBlock>& blocks, const StoredReads* reads,
                                const std::vector<InstructionWork>& work) {
  std::vector<BlockCosts> costs;
  for (const EventBlock& block : blocks) {
    BlockCosts one = BlockSummer(block, reads, work).Sum();
    if (!one.operators.empty()) costs.push_back(std::move(one));
  }
  return costs;
}

}  // namespace pteedit
