#include "profile/handle_join.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "profile/event_names.h"
#include "profile/handle_sources.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

using Values = std::vector<DebugValue>;

// An operator's output, with its debug handles as keys that mean the same in both dumps.
struct KeyedOutput {
  OperatorOutput logged;
  std::vector<uint64_t> keys;
};

bool Holds(const KeyedOutput& outer, const KeyedOutput& inner) {
  return std::all_of(inner.keys.begin(), inner.keys.end(), [&](uint64_t key) {
    return std::find(outer.keys.begin(), outer.keys.end(), key) != outer.keys.end();
  });
}

// What the handles of a dump stand for, by method; empty where nothing is known.
using SourcesByMethod = std::map<std::string, HandleSources>;

Result<SourcesByMethod> SourcesOf(const LoggedRun& run) {
  SourcesByMethod sources;
  if (run.record == nullptr) return sources;
  PTEEDIT_ASSIGN(const Etrecord record, Etrecord::Open(run.record));
  for (const EventBlock& block : run.blocks) {
    if (block.methods.size() != 1 || sources.count(block.methods.front()) != 0) continue;
    PTEEDIT_ASSIGN(sources[block.methods.front()], ReadHandleSources(record, block.methods.front()));
  }
  return sources;
}

// Handles as keys: numbers of names where both dumps know the names of a method, else the handles themselves.
class KeyMaker {
 public:
  KeyMaker(SourcesByMethod reference, SourcesByMethod run) : reference_(std::move(reference)), run_(std::move(run)) {}

  std::vector<KeyedOutput> KeyReference(const LoggedRun& logged) { return Key(logged, reference_); }
  std::vector<KeyedOutput> KeyRun(const LoggedRun& logged) { return Key(logged, run_); }

 private:
  std::vector<KeyedOutput> Key(const LoggedRun& logged, const SourcesByMethod& sources) {
    std::vector<KeyedOutput> keyed;
    for (OperatorOutput& output : OperatorOutputs(logged.blocks, logged.values)) {
      output.data = Flat(output.data);
      if (output.data.empty() || output.debug_handles.empty()) continue;
      const std::vector<std::string>& methods = logged.blocks[output.block].methods;
      std::vector<uint64_t> keys;
      for (const uint64_t handle : output.debug_handles) keys.push_back(KeyOf(handle, methods, sources));
      keyed.push_back({std::move(output), std::move(keys)});
    }
    return keyed;
  }

  uint64_t KeyOf(uint64_t handle, const std::vector<std::string>& methods, const SourcesByMethod& sources) {
    const bool has_names = methods.size() == 1 && Knows(reference_, methods.front()) && Knows(run_, methods.front());
    if (!has_names) return handle;
    const HandleSources& names = sources.at(methods.front());
    const auto found = names.find(handle);
    const uint64_t next = kFirstName + by_name_.size() + unnamed_;
    if (found != names.end()) return by_name_.try_emplace(found->second, next).first->second;
    ++unnamed_;
    return next;
  }

  static bool Knows(const SourcesByMethod& sources, const std::string& method) {
    const auto found = sources.find(method);
    return found != sources.end() && !found->second.empty();
  }

  static constexpr uint64_t kFirstName = uint64_t{1} << 63;  // behind all handles
  SourcesByMethod reference_, run_;
  std::map<std::string, uint64_t> by_name_;
  uint64_t unnamed_ = 0;
};

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
  HandleJoin(const LoggedRun& reference, const LoggedRun& run, KeyMaker keys)
      : reference_(reference), run_(run), references_(keys.KeyReference(reference)), outputs_(keys.KeyRun(run)) {
    for (size_t i = 0; i < references_.size(); ++i) {
      for (const uint64_t key : references_[i].keys) by_key_[key].push_back(i);
    }
  }

  bool is_possible() const { return !references_.empty() && !outputs_.empty(); }

  Result<NumericGap> Compare() && {
    gap_.by_debug_handles = true;
    for (const KeyedOutput& output : outputs_) {
      const size_t before = gap_.operators.size();
      PTEEDIT_TRY(CompareOne(output));
      gap_.unmatched += gap_.operators.size() == before;
    }
    gap_.unmatched_reference = references_.size() - used_.size();
    return std::move(gap_);
  }

 private:
  // Those of the reference that have handles in common.
  std::set<size_t> Overlapping(const KeyedOutput& output) const {
    std::set<size_t> overlapping;
    for (const uint64_t key : output.keys) {
      const auto found = by_key_.find(key);
      if (found == by_key_.end()) continue;
      for (const size_t index : found->second) {
        if (AreAlike(reference_.blocks[references_[index].logged.block], run_.blocks[output.logged.block]))
          overlapping.insert(index);
      }
    }
    return overlapping;
  }

  Status CompareOne(const KeyedOutput& output) {
    const std::set<size_t> found = Overlapping(output);
    const bool holds_all =
        std::all_of(found.begin(), found.end(), [&](size_t index) { return Holds(output, references_[index]); });
    if (found.size() == 1 && holds_all && Holds(references_[*found.begin()], output))
      return CompareEqual(*found.begin(), output);
    if (holds_all) return CompareWithParts(found, output);
    if (found.size() == 1 && Holds(references_[*found.begin()], output)) return ComparePart(*found.begin(), output);
    return {};
  }

  Status CompareEqual(size_t index, const KeyedOutput& output) {
    const KeyedOutput& reference = references_[index];
    const uint64_t outputs = std::min(reference.logged.num_outputs, output.logged.num_outputs);
    const bool has_call = IsCall(reference) || IsCall(output);
    if (!has_call && reference.logged.data.size() == output.logged.data.size()) {
      for (size_t i = 0; i < output.logged.data.size(); ++i)
        PTEEDIT_TRY(AddRow(index, output, i, reference.logged.data[i], output.logged.data[i]));
      return {};
    }
    if (!IsCall(reference))
      return AddRow(index, output, 0, LikeThis(reference.logged.data, output.logged.data.back()),
                    output.logged.data.back());
    if (!IsCall(output))
      return AddRow(index, output, 0, reference.logged.data.back(),
                    LikeThis(output.logged.data, reference.logged.data.back()));
    const uint64_t count = std::min<uint64_t>({outputs, reference.logged.data.size(), output.logged.data.size()});
    for (uint64_t i = count; i-- > 0;)
      PTEEDIT_TRY(
          AddRow(index, output, count - 1 - i, FromEnd(reference.logged.data, i), FromEnd(output.logged.data, i)));
    return {};
  }

  // The last output is that of the last handle, the one before of the one before.
  Status CompareWithParts(const std::set<size_t>& parts, const KeyedOutput& output) {
    for (uint64_t i = OutputCount(output); i-- > 0;) {
      const DebugValue& value = FromEnd(output.logged.data, i);
      for (const size_t part : parts) {
        if (references_[part].keys.back() != FromEnd(output.keys, i)) continue;
        PTEEDIT_TRY(
            AddRow(part, output, OutputCount(output) - 1 - i, LikeThis(references_[part].logged.data, value), value));
      }
    }
    return {};
  }

  Status ComparePart(size_t index, const KeyedOutput& output) {
    const KeyedOutput& reference = references_[index];
    for (uint64_t i = OutputCount(reference); i-- > 0;) {
      if (output.keys.back() != FromEnd(reference.keys, i)) continue;
      const DebugValue& value = FromEnd(reference.logged.data, i);
      PTEEDIT_TRY(AddRow(index, output, OutputCount(reference) - 1 - i, value, LikeThis(output.logged.data, value)));
    }
    return {};
  }

  static bool IsCall(const KeyedOutput& output) {
    return std::find(output.logged.events.begin(), output.logged.events.end(), kDelegateCall) !=
           output.logged.events.end();
  }

  static uint64_t OutputCount(const KeyedOutput& output) {
    return std::min<uint64_t>({output.logged.num_outputs, output.logged.data.size(), output.keys.size()});
  }

  template <class Items>
  static const typename Items::value_type& FromEnd(const Items& items, uint64_t index) {
    return items[items.size() - 1 - static_cast<size_t>(index)];
  }

  Status AddRow(size_t index, const KeyedOutput& keyed, uint64_t place, const DebugValue& reference,
                const DebugValue& value) {
    const OperatorOutput &other = references_[index].logged, &output = keyed.logged;
    const bool has_more = other.debug_handles.size() > output.debug_handles.size();
    ValueGap row{run_.blocks[output.block].name,
                 MethodOf(run_.blocks[output.block]),
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
  std::vector<KeyedOutput> references_, outputs_;
  std::map<uint64_t, std::vector<size_t>> by_key_;  // in references_
  NumericGap gap_;
  std::set<size_t> used_;  // of references_
};

}  // namespace

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

std::string MethodOf(const EventBlock& block) {
  return block.methods.size() == 1 ? block.methods.front() : std::string();
}

bool AreAlike(const EventBlock& a, const EventBlock& b) {
  const bool same_method = a.methods == b.methods || a.methods.empty() || b.methods.empty();
  return a.name == b.name && same_method && a.bundled_input_index == b.bundled_input_index;
}

Result<std::optional<NumericGap>> CompareByHandles(const LoggedRun& reference, const LoggedRun& run) {
  PTEEDIT_ASSIGN(SourcesByMethod reference_sources, SourcesOf(reference));
  PTEEDIT_ASSIGN(SourcesByMethod run_sources, SourcesOf(run));
  HandleJoin join(reference, run, KeyMaker(std::move(reference_sources), std::move(run_sources)));
  if (!join.is_possible()) return std::optional<NumericGap>();
  PTEEDIT_ASSIGN(NumericGap gap, std::move(join).Compare());
  return std::optional<NumericGap>(std::move(gap));
}

}  // namespace pteedit
