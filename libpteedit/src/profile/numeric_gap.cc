#include "pteedit/profile/numeric_gap.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "profile/event_names.h"
#include "profile/handle_join.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

using Values = std::vector<DebugValue>;

bool AreSameEvents(const EventBlock& a, const EventBlock& b) {
  const auto same = [](const ProfiledEvent& one, const ProfiledEvent& other) {
    return one.name == other.name && one.instruction == other.instruction && one.chain == other.chain &&
           one.delegate_debug_identifier() == other.delegate_debug_identifier();
  };
  return a.name == b.name && a.bundled_input_index == b.bundled_input_index && a.events.size() == b.events.size() &&
         std::equal(a.events.begin(), a.events.end(), b.events.begin(), same);
}

// Value by value, as far as there are two.
Result<std::vector<ValueGap>> RowsOf(const ValueGap& place, const Values& listed_references,
                                     const Values& listed_values) {
  const Values references = Flat(listed_references), values = Flat(listed_values);
  std::vector<ValueGap> rows;
  for (size_t i = 0; i < std::min(references.size(), values.size()); ++i) {
    rows.push_back(place);
    rows.back().index = i;
    rows.back().reference = references[i];
    rows.back().value = values[i];
    PTEEDIT_ASSIGN(rows.back().gap, GapBetween(references[i], values[i]));
  }
  return rows;
}

ValueGap OutputsOf(const EventBlock& block) {
  ValueGap place;
  place.block = block.name;
  place.method = MethodOf(block);
  return place;
}

void Append(std::vector<ValueGap>& rows, std::vector<ValueGap> more) {
  rows.insert(rows.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

bool AreSameBlocks(const LoggedRun& reference, const LoggedRun& run) {
  return reference.blocks.size() == run.blocks.size() &&
         std::equal(reference.blocks.begin(), reference.blocks.end(), run.blocks.begin(), AreSameEvents);
}

Result<NumericGap> CompareByPlace(const LoggedRun& reference, const LoggedRun& run) {
  NumericGap gap;
  for (size_t i = 0; i < run.blocks.size(); ++i) {
    for (size_t k = 0; k < run.blocks[i].events.size(); ++k) {
      const ProfiledEvent& event = run.blocks[i].events[k];
      if (event.name == kOperatorCall) continue;
      const Values &references = reference.values[i].events[k].debug_data, &values = run.values[i].events[k].debug_data;
      const ValueGap place{run.blocks[i].name,
                           MethodOf(run.blocks[i]),
                           event.more->debug_handles.value_or(std::vector<uint64_t>()),
                           {event.name},
                           {event.name},
                           event.instruction,
                           0,
                           {},
                           {},
                           {}};
      PTEEDIT_ASSIGN(std::vector<ValueGap> rows, RowsOf(place, references, values));
      Append(gap.operators, std::move(rows));
      gap.unmatched += references.empty() && !values.empty();
      gap.unmatched_reference += values.empty() && !references.empty();
    }
  }
  return gap;
}

// Of blocks that are alike, the first with the first.
Result<std::vector<ValueGap>> OutputGaps(const LoggedRun& reference, const LoggedRun& run) {
  std::vector<ValueGap> gaps;
  std::vector<bool> is_used(reference.blocks.size());
  for (size_t i = 0; i < run.blocks.size(); ++i) {
    if (run.values[i].run_output.empty()) continue;
    size_t k = 0;
    while (k < is_used.size() && (is_used[k] || !AreAlike(reference.blocks[k], run.blocks[i]))) ++k;
    if (k == is_used.size()) continue;
    is_used[k] = true;
    PTEEDIT_ASSIGN(std::vector<ValueGap> rows,
                   RowsOf(OutputsOf(run.blocks[i]), reference.values[k].run_output, run.values[i].run_output));
    Append(gaps, std::move(rows));
  }
  return gaps;
}

}  // namespace

Result<NumericGap> CompareRuns(const LoggedRun& reference, const LoggedRun& run) {
  PTEEDIT_ASSIGN(std::optional<NumericGap> joined, CompareByHandles(reference, run));
  if (!joined && !AreSameBlocks(reference, run)) {
    return Unsupported(
        "dumps have different events, so that only debug handles, from a record for each, can join them");
  }
  NumericGap gap;
  if (joined) {
    gap = *std::move(joined);
  } else {
    PTEEDIT_ASSIGN(gap, CompareByPlace(reference, run));
  }
  PTEEDIT_ASSIGN(gap.outputs, OutputGaps(reference, run));
  if (gap.operators.empty() && gap.outputs.empty())
    return Unsupported("dumps have logged no values that can be compared");
  return gap;
}

Result<std::vector<ValueGap>> CompareOutputs(const EventBlock& block, const std::vector<DebugValue>& run_output,
                                             const std::vector<DebugValue>& reference_output) {
  if (Flat(run_output).size() != Flat(reference_output).size()) return std::vector<ValueGap>();
  return RowsOf(OutputsOf(block), reference_output, run_output);
}

}  // namespace pteedit
