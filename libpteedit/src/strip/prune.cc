#include "strip/prune.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <variant>

#include "base/renumber.h"
#include "base/text.h"
#include "edit/pack.h"
#include "edit/segment_hosts.h"
#include "edit/segment_refs.h"
#include "edit/stored_tensors.h"
#include "program/binding_key.h"
#include "program/constants.h"
#include "program/container_state.h"
#include "program/delegate_names.h"
#include "program/found_names.h"
#include "pteedit/try.h"
#include "strip/prune_plan.h"
#include "strip/unused_keys.h"

namespace pteedit {
namespace {

// From the roots down, and each kind once, in the order of the header: what a step drops can only free what later steps
// look at, never what an earlier one kept, so one pass reaches the end. Values and delegates are marked from
// instructions, inputs and outputs; keys from what is left of both; segments and buffers from what is left of all. A
// second run on the result finds nothing, which is a law of the tests.

bool HasWanted(const std::vector<bool>& wanted, bool which) {
  return std::find(wanted.begin(), wanted.end(), which) != wanted.end();
}

// Unnamed initial states of several methods meet by their place in planned memory: loading one method may start the
// state of another.
class SharedState {
 public:
  explicit SharedState(const tables::Program& program) : program_(program) {
    for (size_t i = 0; i < program.execution_plan.items.size(); ++i) {
      for (const tables::EValue& value : program.execution_plan.items[i].values.items) {
        if (const auto place = PlaceOf(value)) methods_[*place].insert(i);
      }
    }
  }

  bool Contains(const tables::EValue& value) const {
    const auto place = PlaceOf(value);
    return place && methods_.at(*place).size() > 1;
  }

 private:
  using Place = std::tuple<uint32_t, uint32_t, uint32_t>;

  // Nothing for what is no state.
  std::optional<Place> PlaceOf(const tables::EValue& value) const {
    const auto* tensor = std::get_if<tables::Tensor>(&value.val);
    if (tensor == nullptr || StoreOf(program_, *tensor) != Store::kMutable) return std::nullopt;
    const tables::AllocationDetails& place = *tensor->allocation_info;
    return Place{place.memory_id, place.memory_offset_high, place.memory_offset_low};
  }

  const tables::Program& program_;
  std::map<Place, std::set<size_t>> methods_;
};

// The app can reach it by its name.
bool IsNamedState(const tables::EValue& value) {
  const auto* tensor = std::get_if<tables::Tensor>(&value.val);
  if (tensor == nullptr || !tensor->allocation_info || !tensor->extra_tensor_info) return false;
  return tensor->extra_tensor_info->fully_qualified_name.size() != 0;
}

bool BindsToBase(const tables::EValue& value) {
  const auto* tensor = std::get_if<tables::Tensor>(&value.val);
  if (tensor == nullptr || !tensor->extra_tensor_info) return false;
  return IsBindingKey(tables::ViewOf(tensor->extra_tensor_info->fully_qualified_name));
}

template <class Tables>
void Removed(Model<Tables>& model, const char* what, std::string name, uint64_t bytes, RewriteReport& report,
             std::string key = {}) {
  report.items.push_back({what, std::move(name), std::move(key), bytes, model.origin->name(), {}});
  model.changed = true;
}

// Those that lost their users, which the report has named, and those that had none. Of the segments that the model was
// given the file knows nothing.
template <class Tables>
void PruneSegments(Model<Tables>& model, RewriteReport& report) {
  std::vector<bool> had_user(model.origin->segments().size());
  ForEachSegmentUser(*model.origin, [&](uint32_t index, const SegmentUser&) { had_user[index] = true; });
  for (size_t i = 0; i < had_user.size(); ++i) {
    if (!had_user[i]) Removed(model, "segment", Text(i), model.segments[i].bytes.size(), report);
  }
  KeepSegments(model, std::vector<bool>(model.segments.size()));
}

// Takes the keys out that may go, of whatever has named data, and tells of them and of the others. What somebody else
// still has frees no bytes.
template <class Tables>
void PruneKeys(const std::vector<UnusedKey>& unused, Model<Tables>& model, RewriteReport& report) {
  auto& entries = model.tables.named_data.items;
  std::vector<bool> wanted(entries.size(), true);
  std::vector<uint32_t> segments;
  for (const auto& entry : entries) segments.push_back(entry.segment_index);
  for (const UnusedKey& key : unused) wanted[key.entry] = !key.why_stays.empty();
  Keep(entries, wanted);  // stays present: the runtime crashes on a null vector
  std::vector<bool> is_told(model.segments.size());
  ForEachSegmentRef(model.tables, [&](uint32_t& index) { is_told[index] = true; });
  for (const UnusedKey& key : unused) {
    const NamedEntry& entry = model.origin->named_data()[key.entry];
    const std::string name = ShownName(*model.origin, std::string(entry.key));
    if (wanted[key.entry]) {
      report.skipped.push_back({"named-data", name, entry.extent.size, key.why_stays});
      continue;
    }
    const uint64_t bytes = is_told[segments[key.entry]] ? 0 : entry.extent.size;
    is_told[segments[key.entry]] = true;
    Removed(model, "named-data", name, bytes, report, std::string(entry.key));
  }
}

class Pruner {
 public:
  Pruner(ProgramModel& model, uint64_t min_alignment, RewriteReport& report)
      : model_(model), min_alignment_(min_alignment), report_(report) {}

  Status Run() {
    const SharedState shared(model_.tables);
    const std::vector<DelegateNames> names = DelegateNamesIn(model_.origin->state().program_root());
    std::vector<tables::ExecutionPlan>& plans = model_.tables.execution_plan.items;
    for (size_t i = 0; i < plans.size(); ++i) {
      std::vector<bool> roots;
      for (const tables::EValue& value : plans[i].values.items)
        roots.push_back(BindsToBase(value) || IsNamedState(value) || shared.Contains(value));
      wanted_.values.push_back(NamedValues(plans[i], std::move(roots)));
      wanted_.delegates.push_back(CalledDelegates(plans[i]));
    }
    PTEEDIT_ASSIGN(const std::vector<UnusedKey> unused, FindUnusedKeys(*model_.origin, wanted_));
    for (size_t i = 0; i < plans.size(); ++i) PrunePlan(i, names[i]);
    PruneInlineBlobs();
    PruneKeys(unused, model_, report_);
    PruneSegments(model_, report_);
    PruneParts();
    PruneInlineConstants();
    return {};
  }

 private:
  void Removed(const char* what, std::string name, uint64_t bytes, std::string key = {}) {
    pteedit::Removed(model_, what, std::move(name), bytes, report_, std::move(key));
  }

  void PrunePlan(size_t index, const DelegateNames& delegate_names) {
    tables::ExecutionPlan& plan = model_.tables.execution_plan.items[index];
    const std::string method(tables::ViewOf(plan.name));
    tables::ExecutionPlan gone;
    if (const std::vector<bool>& wanted = wanted_.values[index]; HasWanted(wanted, false)) {
      gone.values = {true, KeepValues(plan, wanted)};
      Removed("values", method, TableBytes(std::exchange(gone, {})));
    }
    if (const std::vector<bool> wanted = CalledOperators(plan); HasWanted(wanted, false)) {
      gone.operators = {true, KeepOperators(plan, wanted)};
      Removed("operators", method, TableBytes(std::move(gone)));
    }
    const std::vector<bool>& wanted = wanted_.delegates[index];
    if (!HasWanted(wanted, false)) return;
    const auto& delegates = *model_.origin->state()
                                 .program_root()
                                 .execution_plan()
                                 ->Get(static_cast<flatbuffers::uoffset_t>(index))
                                 ->delegates();
    for (flatbuffers::uoffset_t i = 0; i < delegates.size(); ++i) {
      if (!wanted[i]) Removed("delegate", delegate_names[i], BlobExtent(*model_.origin, *delegates.Get(i)).size);
    }
    KeepDelegates(plan, wanted);
  }

  // Blobs go with their delegates, which the report has named, unless another delegate has them too.
  void PruneInlineBlobs() {
    std::vector<tables::InlineBytes>& blobs = model_.tables.backend_delegate_data.items;
    std::vector<bool> wanted(blobs.size());
    ForEachInlineBlobRef(model_.tables, [&](uint32_t& index) { wanted[index] = true; });
    if (!HasWanted(wanted, false)) return;
    for (size_t i = 0; i < blobs.size(); ++i) {
      if (!wanted[i] && !WasBlobOfDelegate(i)) Removed("inline-blob", Text(i), blobs[i].value.bytes.size());
    }
    const std::vector<uint32_t> renumbered = Keep(blobs, wanted);
    ForEachInlineBlobRef(model_.tables, [&](uint32_t& index) { index = renumbered[index]; });
    model_.changed = true;
  }

  bool WasBlobOfDelegate(size_t blob) const {
    for (const schema::ExecutionPlan* plan : OrEmpty(model_.origin->state().program_root().execution_plan())) {
      for (const schema::BackendDelegate* delegate : OrEmpty(plan->delegates())) {
        const schema::BackendDelegateDataReference& place = *delegate->processed();
        if (place.location() == schema::DataLocation::INLINE && place.index() == blob) return true;
      }
    }
    return false;
  }

  void PruneParts() {
    const SegmentsInside inside(model_.segments, min_alignment_);
    if (model_.tables.constant_segment) PrunePart({Store::kSegment, 0}, inside, *model_.tables.constant_segment);
    tables::Children<tables::SubsegmentOffsets>& parts = model_.tables.mutable_data_segments;
    bool any_pruned = false;
    for (uint32_t i = 0; i < parts.items.size(); ++i) {
      if (PrunePart({Store::kMutable, i}, inside, parts.items[i])) any_pruned = true;
    }
    const bool any_left = std::any_of(parts.items.begin(), parts.items.end(),
                                      [](const tables::SubsegmentOffsets& part) { return part.offsets.size() > 1; });
    if (!any_pruned || any_left) return;
    parts = {};
    KeepSegments(model_, std::vector<bool>(model_.segments.size()));
  }

  // Whether anything went.
  bool PrunePart(const BufferStore& store, const SegmentsInside& all_inside, tables::SubsegmentOffsets& part) {
    if (part.offsets.size() == 0 || !IsSegmentOfItsOwn(model_, part)) return false;
    Segment& segment = model_.segments[part.segment_index];
    const std::vector<uint64_t> inside = all_inside.AlignmentsIn(part);
    std::vector<BufferUse> uses = WithAlignmentsInside(UsesOf(model_.tables, store, part.offsets.size()), inside);
    for (size_t i = 0; i < uses.size(); ++i) uses[i].wanted = uses[i].wanted || inside[i] != 0;  // a segment needs it
    if (!HasWanted(WantedBuffers(uses), false)) return false;
    const std::vector<uint64_t> ends = BufferEnds(part, segment.bytes.size(), uses);
    for (size_t i = 1; i < uses.size(); ++i) {
      if (!uses[i].wanted) RemovedBuffer(store, i, ends[i] - part.offsets[i]);
    }
    RenumberBuffers(model_.tables, store, TakeOutBuffers(part, segment, uses));
    return true;
  }

  void RemovedBuffer(const BufferStore& store, size_t buffer, uint64_t bytes) {
    const char* what = store.store == Store::kMutable ? "mutable" : "constant";
    if (!constants_) {
      constants_ = CollectConstants(*model_.origin);
      for (const Constant& constant : *constants_)
        constant_of_.try_emplace({constant.store, constant.part, constant.buffer}, &constant);
    }
    const auto constant = constant_of_.find({store.store, store.part, buffer});
    if (constant == constant_of_.end()) return Removed(what, Text("buffer ", buffer), bytes);
    Removed(what, constant->second->name, constant->second->extent.size);
  }

  void PruneInlineConstants() {
    std::vector<tables::InlineBytes>& constants = model_.tables.constant_buffer.items;
    if (constants.size() < 2) return;
    const std::vector<bool> wanted = WantedBuffers(UsesOf(model_.tables, {Store::kInline, 0}, constants.size()));
    for (size_t i = 1; i < wanted.size(); ++i) {
      if (!wanted[i]) RemovedBuffer({Store::kInline, 0}, i, constants[i].value.bytes.size());
    }
    if (!HasWanted(wanted, false)) return;
    RenumberBuffers(model_.tables, {Store::kInline, 0}, Keep(constants, wanted));
  }

  ProgramModel& model_;
  const uint64_t min_alignment_;
  RewriteReport& report_;
  std::optional<std::vector<Constant>> constants_;                              // once something goes
  std::map<std::tuple<Store, uint32_t, size_t>, const Constant*> constant_of_;  // by the buffer of the first use
  WantedParts wanted_;
};

}  // namespace

Status Prune(ProgramModel& model, uint64_t min_alignment, RewriteReport& report) {
  return Pruner(model, min_alignment, report).Run();
}

void Prune(DataModel& model, RewriteReport& report) { PruneSegments(model, report); }

Status PruneKeysFor(const std::vector<Container>& programs, DataModel& model, RewriteReport& report) {
  PTEEDIT_ASSIGN(const std::vector<UnusedKey> unused, FindUnusedKeys(*model.origin, programs));
  const bool is_all = unused.size() == model.origin->named_data().size();
  const bool goes =
      std::all_of(unused.begin(), unused.end(), [](const UnusedKey& key) { return key.why_stays.empty(); });
  if (!unused.empty() && is_all && goes) {
    return InvalidArgument(Text("nothing would be left: none of its keys is used by ", Quoted(programs.front().name()),
                                programs.size() == 1 ? "" : " or the other programs"))
        .In(model.origin->name());
  }
  PruneKeys(unused, model, report);
  return {};
}

void PruneStackTraces(ProgramModel& model, RewriteReport& report) {
  for (tables::ExecutionPlan& plan : model.tables.execution_plan.items) {
    tables::ExecutionPlan with, without;  // to be measured
    with.chains.present = without.chains.present = true;
    for (tables::Chain& chain : plan.chains.items) {
      if (chain.stacktrace.items.empty()) continue;
      without.chains.items.emplace_back();
      with.chains.items.emplace_back().stacktrace = std::move(chain.stacktrace);
      chain.stacktrace = {};
    }
    if (with.chains.items.empty()) continue;
    Removed(model, "stack-traces", std::string(tables::ViewOf(plan.name)),
            TableBytes(std::move(with)) - TableBytes(std::move(without)), report);
  }
}

}  // namespace pteedit
