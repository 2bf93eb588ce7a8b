// The runs of a dump that are to count.
#include <algorithm>
#include <map>

#include "base/text.h"
#include "profile/event_names.h"
#include "pteedit/near_matches.h"
#include "pteedit/profile/event_blocks.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

constexpr size_t kNearMethods = 3;

bool RanInstructions(const EventBlock& block) {
  return std::any_of(block.events.begin(), block.events.end(),
                     [](const ProfiledEvent& event) { return IsOfInstruction(event) || event.name == kMethodExecute; });
}

template <class Item>
void Keep(std::vector<Item>& items, size_t first, size_t end) {
  if (items.size() < end) return;  // of events that only logged values
  items.erase(items.begin() + static_cast<std::ptrdiff_t>(end), items.end());
  items.erase(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(first));
}

// Runs from `first` to before `end`, counted from 0.
void KeepRuns(EventBlock& block, size_t first, size_t end) {
  std::map<uint64_t, size_t> indices;  // by number in the dump
  for (const TimedCall& call : block.calls) indices.try_emplace(call.run, 0);
  size_t next = 0;
  for (auto& [number, index] : indices) index = next++;
  std::erase_if(block.calls, [&](const TimedCall& call) {
    const size_t index = indices[call.run];
    return index < first || index >= end;
  });
  for (ProfiledEvent& event : block.events) {
    Keep(event.samples, first, end);
    if (!event.more->delegate_debug_metadata.empty()) Keep(event.more.Edit().delegate_debug_metadata, first, end);
  }
  block.runs = end - first;
}

Status ChooseMethod(std::vector<EventBlock>& blocks, const std::string& wanted) {
  std::vector<std::string> known;
  for (const EventBlock& block : blocks) known.insert(known.end(), block.methods.begin(), block.methods.end());
  if (known.empty()) return InvalidArgument("methods of runs are only known with the program or its record");
  const std::string* found = FindName(known, wanted);
  if (found == nullptr)
    return InvalidArgument("no block is a run of method " + DidYouMean(wanted, known, kNearMethods));
  const std::string& method = *found;
  const auto may_be = [&](const EventBlock& block) {
    return std::find(block.methods.begin(), block.methods.end(), method) != block.methods.end();
  };
  std::erase_if(blocks, [&](const EventBlock& block) { return !may_be(block); });
  for (EventBlock& block : blocks) block.methods = {method};
  return {};
}

}  // namespace

Status SelectRuns(std::vector<EventBlock>& blocks, const RunSelection& selection) {
  if (!selection.method.empty()) PTEEDIT_TRY(ChooseMethod(blocks, selection.method));
  if (selection.first <= 1 && !selection.last) return {};
  uint64_t most = 0;
  bool is_any_left = false;
  for (EventBlock& block : blocks) {
    if (!RanInstructions(block)) continue;
    most = std::max(most, block.runs);
    const uint64_t end = std::min(block.runs, selection.last.value_or(block.runs));
    if (selection.first == 0 || selection.first > end) {
      block.runs = 0;
      continue;
    }
    KeepRuns(block, selection.first - 1, end);
    is_any_left = true;
  }
  if (most == 0) return Unsupported("no block has runs to choose from");
  if (!is_any_left) return InvalidArgument(Text("no run is left: blocks have at most ", most));
  std::erase_if(blocks, [](const EventBlock& block) { return block.runs == 0; });
  return {};
}

}  // namespace pteedit
