#include "profile/handle_join.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/text.h"
#include "profile/event_names.h"
#include "profile/handle_sources.h"
#include "profile/output_nodes.h"
#include "pteedit/try.h"
#include "record/etrecord.h"
#include "record/record_graph.h"

namespace pteedit {
namespace {

using Values = std::vector<DebugValue>;

// A value that a run logged, by the source of what computed it; see OutputNodes.
struct NamedValue {
  std::string source;
  size_t block = 0, event = 0;  // their indices
  size_t index = 0;             // of the output
  DebugValue value;
};

struct NamedRun {
  std::vector<NamedValue> values;
  size_t untold = 0;  // calls of delegates whose outputs the record does not tell apart
};

bool HasValues(const BlockValues& block) {
  return std::any_of(block.events.begin(), block.events.end(),
                     [](const EventValues& event) { return !event.debug_data.empty(); });
}

// What the record says of the methods that ran, which is read once however many blocks they have.
class MethodRecords {
 public:
  static Result<MethodRecords> Read(const LoggedRun& run) {
    PTEEDIT_ASSIGN(const Etrecord record, Etrecord::Open(run.record));
    MethodRecords records;
    for (size_t i = 0; i < run.blocks.size(); ++i) {
      const std::string name = MethodOf(run.blocks[i]);
      if (name.empty()) continue;
      const auto [place, is_new] = records.methods_.try_emplace(name);
      Method& method = place->second;
      if (is_new) {
        PTEEDIT_ASSIGN(method.sources, ReadHandleSources(record, name));
      }
      if (!HasValues(run.values[i]) || std::exchange(method.is_read, true)) continue;
      PTEEDIT_ASSIGN(method.graph, ReadGraph(record, name));
      PTEEDIT_ASSIGN(method.maps, ReadMaps(record, name));
    }
    return records;
  }

  // Whether the record knows where nodes came from, for all methods that ran.
  bool HasSources() const {
    return std::none_of(methods_.begin(), methods_.end(), [](const auto& one) { return one.second.sources.empty(); });
  }

  // Nothing of a method that the record has no graph of.
  std::optional<OutputNodes> NodesOf(const EventBlock& block, bool with_sources) const {
    const Method& method = methods_.at(MethodOf(block));
    if (!method.graph || !method.maps) return std::nullopt;
    std::map<uint64_t, std::string> kernels;
    for (const ProfiledEvent& event : block.events) {
      const std::string_view kernel = KernelOf(event.name);
      if (!kernel.empty() && event.instruction >= 0) kernels.emplace(event.instruction, kernel);
    }
    return OutputNodes(*method.graph, *method.maps, with_sources ? method.sources : HandleSources(), kernels);
  }

 private:
  struct Method {
    HandleSources sources;
    bool is_read = false;  // graph and maps, of one that logged values
    std::optional<RecordGraph> graph;
    std::optional<RecordMaps> maps;
  };
  std::map<std::string, Method> methods_;
};

class ValueNamer {
 public:
  ValueNamer(const LoggedRun& run, size_t block, const OutputNodes& nodes) : run_(run), block_(block), nodes_(nodes) {}

  // Rows of a delegate go before its call.
  void AddTo(NamedRun& named) const {
    std::set<std::string> inside;
    const std::vector<ProfiledEvent>& events = run_.blocks[block_].events;
    for (size_t i = 0; i < events.size(); ++i) {
      const Values values = Flat(run_.values[block_].events[i].debug_data);
      if (values.empty() || !events[i].more->debug_handles || events[i].more->debug_handles->empty()) continue;
      if (events[i].kind() == EventKind::kInDelegate) {
        const std::string source = nodes_.OfHandle(events[i].more->debug_handles->back());
        if (Add(source, i, 0, values.back(), named)) inside.insert(source);
      } else if (events[i].kind() == EventKind::kDelegateCall) {
        AddCall(i, values, inside, named);
      } else if (events[i].kind() == EventKind::kKernel) {
        AddKernel(i, values, named);
      }
    }
  }

 private:
  bool Add(const std::string& source, size_t event, size_t index, const DebugValue& value, NamedRun& named) const {
    if (source.empty()) return false;
    named.values.push_back({source, block_, event, index, value});
    return true;
  }

  // A call logs its arguments, the outputs last.
  void AddCall(size_t event, const Values& values, const std::set<std::string>& inside, NamedRun& named) const {
    const auto sources = nodes_.OfCall(static_cast<uint64_t>(run_.blocks[block_].events[event].instruction));
    if (!sources || sources->size() > values.size()) {
      ++named.untold;
      return;
    }
    const size_t first = values.size() - sources->size();
    for (size_t i = 0; i < sources->size(); ++i) {
      if (inside.count((*sources)[i]) == 0) Add((*sources)[i], event, i, values[first + i], named);
    }
  }

  void AddKernel(size_t event, const Values& values, NamedRun& named) const {
    const std::string source = nodes_.OfKernel(static_cast<uint64_t>(run_.blocks[block_].events[event].instruction));
    for (size_t i = 0; i < values.size(); ++i)
      Add(source.empty() || i == 0 ? source : Text(source, " ", i), event, i, values[i], named);
  }

  const LoggedRun& run_;
  const size_t block_;
  const OutputNodes& nodes_;
};

NamedRun NameValues(const LoggedRun& run, const MethodRecords& records, bool with_sources) {
  NamedRun named;
  for (size_t i = 0; i < run.blocks.size(); ++i) {
    if (!HasValues(run.values[i]) || MethodOf(run.blocks[i]).empty()) continue;
    const std::optional<OutputNodes> nodes = records.NodesOf(run.blocks[i], with_sources);
    if (nodes) ValueNamer(run, i, *nodes).AddTo(named);
  }
  return named;
}

// Rows of equal sources, in the order of the run.
class SourceJoin {
 public:
  SourceJoin(const LoggedRun& reference, const LoggedRun& run, NamedRun references, NamedRun values)
      : reference_(reference), run_(run), references_(std::move(references)), values_(std::move(values)) {
    for (const NamedValue& value : references_.values) by_source_[value.source].push_back(&value);
  }

  Result<NumericGap> Compare() && {
    gap_.by_debug_handles = true;
    gap_.untold = references_.untold + values_.untold;
    std::set<Place> joined, joined_references;
    for (const NamedValue& value : values_.values) {
      const NamedValue* reference = Find(value);
      if (reference == nullptr) continue;
      PTEEDIT_TRY(AddRow(*reference, value));
      joined.insert(PlaceOf(value));
      joined_references.insert(PlaceOf(*reference));
    }
    gap_.unmatched = CountPlaces(values_) - joined.size();
    gap_.unmatched_reference = CountPlaces(references_) - joined_references.size();
    return std::move(gap_);
  }

 private:
  using Place = std::pair<size_t, size_t>;  // block and event

  static Place PlaceOf(const NamedValue& value) { return {value.block, value.event}; }

  static size_t CountPlaces(const NamedRun& named) {
    std::set<Place> places;
    for (const NamedValue& value : named.values) places.insert(PlaceOf(value));
    return places.size();
  }

  // The last of those in blocks that are alike; null where there is none.
  const NamedValue* Find(const NamedValue& value) const {
    const auto found = by_source_.find(value.source);
    if (found == by_source_.end()) return nullptr;
    for (auto one = found->second.rbegin(); one != found->second.rend(); ++one) {
      if (AreAlike(reference_.blocks[(*one)->block], run_.blocks[value.block])) return *one;
    }
    return nullptr;
  }

  Status AddRow(const NamedValue& reference, const NamedValue& value) {
    const EventBlock& block = run_.blocks[value.block];
    const ProfiledEvent& event = block.events[value.event];
    const ProfiledEvent& other = reference_.blocks[reference.block].events[reference.event];
    const bool has_more = other.more->debug_handles->size() > event.more->debug_handles->size();
    ValueGap row{block.name,
                 MethodOf(block),
                 has_more ? *other.more->debug_handles : *event.more->debug_handles,
                 {other.name},
                 {event.name},
                 event.instruction,
                 value.index,
                 reference.value,
                 value.value,
                 {}};
    PTEEDIT_ASSIGN(row.gap, GapBetween(reference.value, value.value));
    gap_.operators.push_back(std::move(row));
    return {};
  }

  const LoggedRun &reference_, &run_;
  const NamedRun references_, values_;
  std::map<std::string, std::vector<const NamedValue*>> by_source_;
  NumericGap gap_;
};

}  // namespace

Values Flat(const Values& values) {
  Values flat;
  for (const DebugValue& value : values) {
    if (value.kind != DebugValue::Kind::kList && value.kind != DebugValue::Kind::kDict) {
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
  if (reference.record == nullptr || run.record == nullptr) return std::optional<NumericGap>();
  PTEEDIT_ASSIGN(const MethodRecords reference_records, MethodRecords::Read(reference));
  PTEEDIT_ASSIGN(const MethodRecords run_records, MethodRecords::Read(run));
  const bool with_sources = reference_records.HasSources() && run_records.HasSources();
  NamedRun references = NameValues(reference, reference_records, with_sources);
  NamedRun values = NameValues(run, run_records, with_sources);
  if (references.values.empty() || values.values.empty()) return std::optional<NumericGap>();
  PTEEDIT_ASSIGN(NumericGap gap, SourceJoin(reference, run, std::move(references), std::move(values)).Compare());
  return std::optional<NumericGap>(std::move(gap));
}

}  // namespace pteedit
