// What operators computed, by debug handles, by the rules of the exporter's Inspector.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "profile/event_names.h"
#include "pteedit/profile/numeric_gap.h"

namespace pteedit {
namespace {

using Handles = std::vector<uint64_t>;

// Those of `first` that `second` lacks, then those of `second`; each once.
Handles Merged(const Handles& first, const Handles& second) {
  std::set<uint64_t> seen(second.begin(), second.end());
  Handles merged;
  for (const uint64_t handle : first) {
    if (seen.insert(handle).second) merged.push_back(handle);
  }
  seen = {merged.begin(), merged.end()};
  for (const uint64_t handle : second) {
    if (seen.insert(handle).second) merged.push_back(handle);
  }
  return merged;
}

// Blocks of one method and input.
class Collector {
 public:
  Collector(const std::vector<EventBlock>& blocks, const std::vector<BlockValues>& values)
      : blocks_(blocks), values_(values) {}

  std::vector<OperatorOutput> Collect(const std::vector<size_t>& indices) && {
    ForEachEvent(indices, [&](size_t block, size_t event) { CoverHandles(block, event); });
    ForEachEvent(indices, [&](size_t block, size_t event) { Add(block, event); });
    for (const OperatorOutput& one : outputs_) Merge(one);
    AddNames();
    std::vector<OperatorOutput> kept;
    for (Entry& entry : merged_) {
      if (entry.is_kept) kept.push_back(std::move(entry.output));
    }
    return kept;
  }

 private:
  struct Entry {
    OperatorOutput output;
    bool is_kept = true;
  };

  template <class Use>
  void ForEachEvent(const std::vector<size_t>& indices, Use use) {
    for (const size_t block : indices) {
      for (size_t i = 0; i < blocks_[block].events.size(); ++i) {
        const ProfiledEvent& event = blocks_[block].events[i];
        if (!event.op_types.empty() && event.debug_handles) use(block, i);
      }
    }
  }

  void CoverHandles(size_t block, size_t index) {
    const ProfiledEvent& event = blocks_[block].events[index];
    if (!event.is_delegated() || values_[block].events[index].debug_data.empty()) return;
    covered_[event.delegate_backend_name].insert(event.debug_handles->begin(), event.debug_handles->end());
  }

  bool IsCovered(const ProfiledEvent& event) const {
    const auto found = covered_.find(event.delegate_backend_name);
    return event.name == kDelegateCall && found != covered_.end() &&
           std::any_of(event.debug_handles->begin(), event.debug_handles->end(),
                       [&](uint64_t handle) { return found->second.count(handle) != 0; });
  }

  void Add(size_t block, size_t index) {
    const ProfiledEvent& event = blocks_[block].events[index];
    if (event.name == kOperatorCall || IsCovered(event)) return;
    const auto [found, is_new] = by_handles_.try_emplace(*event.debug_handles, outputs_.size());
    if (is_new) outputs_.push_back({block, *event.debug_handles, {}, -1, event.num_outputs, {}});
    OperatorOutput& output = outputs_[found->second];
    if (event.instruction <= output.instruction) return;
    output = {block,
              *event.debug_handles,
              {event.name},
              event.instruction,
              event.num_outputs,
              values_[block].events[index].debug_data};
  }

  // With all that it has handles in common with, of which the largest instruction counts.
  void Merge(const OperatorOutput& one) {
    std::set<size_t> overlaps;
    for (const uint64_t handle : one.debug_handles) {
      if (const auto found = owners_.find(handle); found != owners_.end()) overlaps.insert(found->second);
    }
    OperatorOutput merged = one;
    for (const size_t index : overlaps) {
      const OperatorOutput& other = merged_[index].output;
      const bool is_later = other.instruction < one.instruction;
      Handles handles = is_later ? Merged(other.debug_handles, merged.debug_handles)
                                 : Merged(merged.debug_handles, other.debug_handles);
      if (!is_later) merged = other;
      merged.debug_handles = std::move(handles);
      merged_[index].is_kept = false;
    }
    for (const uint64_t handle : merged.debug_handles) owners_[handle] = merged_.size();
    merged_.push_back({std::move(merged), true});
  }

  void AddNames() {
    for (Entry& entry : merged_) entry.output.events.clear();
    for (const OperatorOutput& one : outputs_) {
      if (one.debug_handles.empty()) continue;
      std::vector<std::string>& events = merged_[owners_[one.debug_handles.front()]].output.events;
      events.insert(events.end(), one.events.begin(), one.events.end());
    }
  }

  const std::vector<EventBlock>& blocks_;
  const std::vector<BlockValues>& values_;
  std::map<std::string, std::set<uint64_t>> covered_;  // by rows of delegates, by backend
  std::map<Handles, size_t> by_handles_;
  std::vector<OperatorOutput> outputs_;  // in the order of their first events
  std::vector<Entry> merged_;
  std::map<uint64_t, size_t> owners_;  // by handle, in merged_
};

}  // namespace

std::vector<OperatorOutput> OperatorOutputs(const std::vector<EventBlock>& blocks,
                                            const std::vector<BlockValues>& values) {
  std::map<std::pair<std::vector<std::string>, int64_t>, std::vector<size_t>> groups;
  for (size_t i = 0; i < blocks.size(); ++i) groups[{blocks[i].methods, blocks[i].bundled_input_index}].push_back(i);
  std::vector<OperatorOutput> outputs;
  for (const auto& [key, indices] : groups) {
    for (OperatorOutput& output : Collector(blocks, values).Collect(indices)) outputs.push_back(std::move(output));
  }
  std::stable_sort(outputs.begin(), outputs.end(), [](const OperatorOutput& a, const OperatorOutput& b) {
    return std::tie(a.block, a.instruction) < std::tie(b.block, b.instruction);
  });
  return outputs;
}

}  // namespace pteedit
