#include "pteedit/profile/operator_costs.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "profile/event_names.h"

namespace pteedit {
namespace {

using Place = std::pair<int64_t, int64_t>;  // chain and instruction

// The stored items that the instructions of one method read; none where the method or the program is not known.
class MethodReads {
 public:
  MethodReads(const EventBlock& block, const StoredReads* reads)
      : items_(reads != nullptr && block.methods.size() == 1 ? &reads->items : nullptr) {
    if (items_ == nullptr) return;
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
};

// "GEMM" of "GEMM #12".
std::string WithoutNumber(const std::string& name) {
  const size_t end = name.find_last_not_of("0123456789");
  const bool has_number = end != std::string::npos && end + 1 < name.size() && end > 1 && name[end] == '#';
  return has_number && name[end - 1] == ' ' ? name.substr(0, end - 1) : name;
}

std::string TypeInDelegate(const ProfiledEvent& event) {
  if (!event.delegate_debug_number) return WithoutNumber(event.name);
  std::set<std::string> types(event.op_types.begin(), event.op_types.end());
  std::string joined;
  for (const std::string& type : types) joined += (joined.empty() ? "" : ", ") + type;
  return joined.empty() ? event.name : joined;
}

Place PlaceOf(const ProfiledEvent& event) { return {event.chain, event.instruction}; }

template <class Row>
void SortByTime(std::vector<Row>& rows) {
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.time > b.time; });
}

class BlockSummer {
 public:
  BlockSummer(const EventBlock& block, const StoredReads* reads) : block_(block), reads_(block, reads) {
    time_.resize(block.events.size());
    calls_.resize(block.events.size());
    for (const TimedCall& call : block.calls) {
      time_[call.event] += call.elapsed / static_cast<double>(block.runs);
      ++calls_[call.event];
    }
  }

  BlockCosts Sum() && {
    result_.name = block_.name;
    result_.methods = block_.methods;
    result_.runs = block_.runs;
    result_.checks = block_.checks;
    for (size_t i = 0; i < block_.events.size(); ++i) AddEvent(i);
    AddWhole();
    AddTypes();
    SortByTime(result_.operators);
    SortByTime(result_.types);
    return std::move(result_);
  }

 private:
  void AddEvent(size_t index) {
    const ProfiledEvent& event = block_.events[index];
    if (!event.perf) return;
    switch (event.kind()) {
      case EventKind::kOperatorCall:
        calling_ += time_[index];
        break;
      case EventKind::kInDelegate:
        in_delegates_[PlaceOf(event)] += time_[index];
        AddOperator(index, event.name, TypeInDelegate(event));
        break;
      case EventKind::kDelegateCall:
        AddOperator(index, event.name, event.name);
        break;
      case EventKind::kKernel:
        kernels_ += time_[index];
        AddKernel(index, event.name.substr(kKernelCall.size()));
        break;
      case EventKind::kRuntime:
        if (event.name == kMethodExecute) execute_ = execute_.value_or(0) + time_[index];
    }
  }

  void AddKernel(size_t index, const std::string& name) { AddOperator(index, name, name); }

  void AddOperator(size_t index, std::string name, std::string type) {
    const ProfiledEvent& event = block_.events[index];
    OperatorCost cost;
    cost.name = std::move(name);
    cost.type = std::move(type);
    cost.backend = event.delegate_backend_name;
    std::tie(cost.chain, cost.instruction) = PlaceOf(event);
    cost.is_in_delegate = event.is_delegated();
    cost.op_types = event.op_types;
    cost.calls = calls_[index];
    cost.time = time_[index];
    if (!cost.is_in_delegate) cost.stored_bytes = BytesOf({&cost});
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
    double outermost = 0;
    std::vector<const OperatorCost*> all;
    for (const OperatorCost& cost : result_.operators) {
      if (!cost.is_in_delegate) outermost += cost.time;
      all.push_back(&cost);
    }
    result_.overhead = std::max(0.0, calling_ - kernels_);
    const double sum = outermost + result_.overhead;
    result_.time = execute_.value_or(sum);
    result_.rest = std::max(0.0, result_.time - sum);
    result_.stored_bytes = BytesOf(all);
    if (reads_.is_known()) result_.missing_keys = reads_.MissingOf(ItemsOf(all));
    for (OperatorCost& cost : result_.operators) cost.share = ShareOf(cost.time);
  }

  double ShareOf(double time) const { return result_.time > 0 ? time / result_.time : 0; }

  void AddTypes() {
    std::map<std::pair<std::string, std::string>, std::vector<const OperatorCost*>> by_type;
    for (const OperatorCost& cost : result_.operators) by_type[{cost.type, cost.backend}].push_back(&cost);
    for (const auto& [type, costs] : by_type) {
      OperatorTypeCost row;
      std::tie(row.type, row.backend) = type;
      row.operators = costs.size();
      for (const OperatorCost* cost : costs) {
        row.calls += cost->calls;
        row.time += cost->is_in_delegate ? cost->time : TimeOutside(*cost);
      }
      row.share = ShareOf(row.time);
      if (!costs.front()->is_in_delegate) row.stored_bytes = BytesOf(costs);
      result_.types.push_back(std::move(row));
    }
  }

  // Without what a delegate logged of it. Its clock may be another one, so that this is no more than all.
  double TimeOutside(const OperatorCost& cost) const {
    if (cost.name != kDelegateCall) return cost.time;
    const auto inside = in_delegates_.find({cost.chain, cost.instruction});
    return inside == in_delegates_.end() ? cost.time : std::max(0.0, cost.time - inside->second);
  }

  const EventBlock& block_;
  const MethodReads reads_;
  std::vector<double> time_;     // of a run, by event
  std::vector<uint64_t> calls_;  // by event
  std::map<Place, double> in_delegates_;
  double calling_ = 0, kernels_ = 0;
  std::optional<double> execute_;
  BlockCosts result_;
};

}  // namespace

std::vector<BlockCosts> CostsOf(const std::vector<EventBlock>& blocks, const StoredReads* reads) {
  std::vector<BlockCosts> costs;
  for (const EventBlock& block : blocks) {
    BlockCosts one = BlockSummer(block, reads).Sum();
    if (!one.operators.empty()) costs.push_back(std::move(one));
  }
  return costs;
}

}  // namespace pteedit
