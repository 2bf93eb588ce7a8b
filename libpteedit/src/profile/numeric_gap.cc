#include "pteedit/numeric_gap.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "profile/event_names.h"
#include "text.h"
#include "try.h"

namespace pteedit {
namespace {

using Values = std::vector<DebugValue>;

// Lists item by item.
Values Flat(const Values& values) {
  Values flat;
  for (const DebugValue& value : values) {
    if (value.kind != DebugValue::Kind::kList) {
      flat.push_back(value);
      continue;
    }
    for (DebugValue& item : Flat(value.items)) flat.push_back(std::move(item));
  }
  return flat;
}

// Whether two blocks ran the same method on the same input, as far as is known.
bool AreAlike(const EventBlock& a, const EventBlock& b) {
  const bool same_method = a.methods == b.methods || a.methods.empty() || b.methods.empty();
  return a.name == b.name && same_method && a.bundled_input_index == b.bundled_input_index;
}

bool Holds(const OperatorOutput& outer, const OperatorOutput& inner) {
  return std::all_of(inner.debug_handles.begin(), inner.debug_handles.end(), [&](uint64_t handle) {
    return std::find(outer.debug_handles.begin(), outer.debug_handles.end(), handle) != outer.debug_handles.end();
  });
}

// Of the values that an operator logged the one of this shape, and type if several are; else the last one.
const DebugValue& LikeThis(const Values& data, const DebugValue& other) {
  std::vector<const DebugValue*> found;
  for (const bool with_type : {false, true}) {
    found.clear();
    for (const DebugValue& value : data) {
      const bool is_same = value.kind == other.kind && value.tensor.sizes == other.tensor.sizes &&
                           (!with_type || value.tensor.scalar_type == other.tensor.scalar_type);
      if (is_same) found.push_back(&value);
    }
    if (found.size() == 1) return *found.front();
  }
  return data.back();
}

class HandleJoin {
 public:
  HandleJoin(const LoggedRun& reference, const LoggedRun& run)
      : reference_(reference),
        run_(run),
        references_(WithData(OperatorOutputs(reference.blocks, reference.values))),
        outputs_(WithData(OperatorOutputs(run.blocks, run.values))) {
    for (size_t i = 0; i < references_.size(); ++i) {
      for (const uint64_t handle : references_[i].debug_handles) by_handle_[handle].push_back(i);
    }
  }

  bool is_possible() const { return !references_.empty() && !outputs_.empty(); }

  Result<NumericGap> Compare() && {
    gap_.by_debug_handles = true;
    for (const OperatorOutput& output : outputs_) {
      const size_t before = gap_.operators.size();
      PTEEDIT_TRY(CompareOne(output));
      gap_.unmatched += gap_.operators.size() == before;
    }
    gap_.unmatched_reference = references_.size() - used_.size();
    return std::move(gap_);
  }

 private:
  static std::vector<OperatorOutput> WithData(std::vector<OperatorOutput> all) {
    std::vector<OperatorOutput> kept;
    for (OperatorOutput& one : all) {
      one.data = Flat(one.data);
      if (!one.data.empty()) kept.push_back(std::move(one));
    }
    return kept;
  }

  // Those of the reference that have handles in common.
  std::set<size_t> Overlapping(const OperatorOutput& output) const {
    std::set<size_t> overlapping;
    for (const uint64_t handle : output.debug_handles) {
      const auto found = by_handle_.find(handle);
      if (found == by_handle_.end()) continue;
      for (const size_t index : found->second) {
        if (AreAlike(reference_.blocks[references_[index].block], run_.blocks[output.block])) overlapping.insert(index);
      }
    }
    return overlapping;
  }

  Status CompareOne(const OperatorOutput& output) {
    const std::set<size_t> found = Overlapping(output);
    const bool holds_all =
        std::all_of(found.begin(), found.end(), [&](size_t index) { return Holds(output, references_[index]); });
    if (found.size() == 1 && holds_all && Holds(references_[*found.begin()], output))
      return CompareEqual(*found.begin(), output);
    if (holds_all) return CompareWithParts(found, output);
    if (found.size() == 1 && Holds(references_[*found.begin()], output)) return ComparePart(*found.begin(), output);
    return {};
  }

  Status CompareEqual(size_t index, const OperatorOutput& output) {
    const OperatorOutput& reference = references_[index];
    const uint64_t outputs = std::min(reference.num_outputs, output.num_outputs);
    const bool has_call = IsCall(reference) || IsCall(output);
    if (!has_call && reference.data.size() == output.data.size()) {
      for (size_t i = 0; i < output.data.size(); ++i)
        PTEEDIT_TRY(AddRow(index, output, i, reference.data[i], output.data[i]));
      return {};
    }
    if (!IsCall(reference))
      return AddRow(index, output, 0, LikeThis(reference.data, output.data.back()), output.data.back());
    if (!IsCall(output))
      return AddRow(index, output, 0, reference.data.back(), LikeThis(output.data, reference.data.back()));
    const uint64_t count = std::min<uint64_t>({outputs, reference.data.size(), output.data.size()});
    for (uint64_t i = count; i-- > 0;)
      PTEEDIT_TRY(AddRow(index, output, count - 1 - i, FromEnd(reference.data, i), FromEnd(output.data, i)));
    return {};
  }

  // The last output is that of the last handle, the one before of the one before.
  Status CompareWithParts(const std::set<size_t>& parts, const OperatorOutput& output) {
    for (uint64_t i = OutputCount(output); i-- > 0;) {
      const DebugValue& value = FromEnd(output.data, i);
      for (const size_t part : parts) {
        if (references_[part].debug_handles.back() != FromEnd(output.debug_handles, i)) continue;
        PTEEDIT_TRY(AddRow(part, output, OutputCount(output) - 1 - i, LikeThis(references_[part].data, value), value));
      }
    }
    return {};
  }

  Status ComparePart(size_t index, const OperatorOutput& output) {
    const OperatorOutput& reference = references_[index];
    for (uint64_t i = OutputCount(reference); i-- > 0;) {
      if (output.debug_handles.back() != FromEnd(reference.debug_handles, i)) continue;
      const DebugValue& value = FromEnd(reference.data, i);
      PTEEDIT_TRY(AddRow(index, output, OutputCount(reference) - 1 - i, value, LikeThis(output.data, value)));
    }
    return {};
  }

  static bool IsCall(const OperatorOutput& output) {
    return std::find(output.events.begin(), output.events.end(), kDelegateCall) != output.events.end();
  }

  static uint64_t OutputCount(const OperatorOutput& output) {
    return std::min<uint64_t>({output.num_outputs, output.data.size(), output.debug_handles.size()});
  }

  template <class Items>
  static const typename Items::value_type& FromEnd(const Items& items, uint64_t index) {
    return items[items.size() - 1 - static_cast<size_t>(index)];
  }

  Status AddRow(size_t index, const OperatorOutput& output, uint64_t place, const DebugValue& reference,
                const DebugValue& value) {
    const OperatorOutput& other = references_[index];
    const bool has_more = other.debug_handles.size() > output.debug_handles.size();
    ValueGap row{run_.blocks[output.block].name,
                 (has_more ? other : output).debug_handles,
                 other.events,
                 output.events,
                 output.instruction,
                 static_cast<size_t>(place),
                 reference,
                 value,
                 {}};
    PTEEDIT_ASSIGN(row.gap, GapBetween(reference, value));
    gap_.operators.push_back(std::move(row));
    used_.insert(index);
    return {};
  }

  const LoggedRun &reference_, &run_;
  std::vector<OperatorOutput> references_, outputs_;
  std::map<uint64_t, std::vector<size_t>> by_handle_;  // in references_
  NumericGap gap_;
  std::set<size_t> used_;  // of references_
};

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
                           event.debug_handles.value_or(std::vector<uint64_t>()),
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
  NumericGap gap;
  if (HandleJoin join(reference, run); join.is_possible()) {
    PTEEDIT_ASSIGN(gap, std::move(join).Compare());
  } else if (AreSameBlocks(reference, run)) {
    PTEEDIT_ASSIGN(gap, CompareByPlace(reference, run));
  } else {
    return Unsupported(
        "dumps have different events, so that only debug handles, from a record for each, can join them");
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
