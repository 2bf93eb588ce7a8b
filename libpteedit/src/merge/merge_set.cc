#include "merge/merge_set.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/shared_texts.h"
#include "base/text.h"
#include "delegates/listed_keys.h"
#include "edit/dedupe.h"
#include "edit/joiner.h"
#include "edit/model.h"
#include "edit/mover.h"
#include "edit/plan.h"
#include "edit/report_notes.h"
#include "merge/keyed_data.h"
#include "merge/merge_cost.h"
#include "program/file_set.h"
#include "program/found_names.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

// Named data that came inside, in order of keys: the order of data files, and of entries in them, means nothing.
void SortNewKeys(ProgramModel& model, size_t first) {
  std::vector<tables::NamedData>& items = model.tables.named_data.items;
  const auto begin = items.begin() + static_cast<std::ptrdiff_t>(first);
  std::sort(begin, items.end(),
            [](const tables::NamedData& a, const tables::NamedData& b) { return ViewOf(a.key) < ViewOf(b.key); });
  std::map<uint32_t, uint32_t> renumbered;
  std::vector<uint32_t> order;
  for (auto item = begin; item != items.end(); ++item) {
    if (renumbered.try_emplace(item->segment_index).second) order.push_back(item->segment_index);
  }
  std::vector<Segment> segments;
  for (const uint32_t index : order) segments.push_back(std::move(model.segments[index]));
  std::vector<uint32_t> places = order;
  std::sort(places.begin(), places.end());
  for (size_t i = 0; i < order.size(); ++i) {
    renumbered[order[i]] = places[i];
    model.segments[places[i]] = std::move(segments[i]);
  }
  for (auto item = begin; item != items.end(); ++item) item->segment_index = renumbered[item->segment_index];
}

class SetMerger {
 public:
  SetMerger(const MergeTask& task, size_t number, const std::vector<Container>& shared)
      : task_(task),
        set_(task.sets[number]),
        shared_(shared),
        is_alone_(task.sets.size() == 1 && task.inventory.bases.empty() && !task.options.previous &&
                  task.options.match.empty()) {
    for (auto [i, end] = ClaimsOfSet(task.inventory, number); i < end; ++i)
      choices_.push_back({&task.inventory.claims[i], &task.choice.destinations[i]});
  }

  Result<MergedSet> Merge() && {
    PTEEDIT_TRY(Move());
    PTEEDIT_TRY(Plan());
    return std::move(result_);
  }

  // What only this set has neither leaves the program nor comes into it. False where that changes nothing.
  bool LeaveOwnWhereItIs() {
    bool changes = false;
    for (Choice& choice : choices_) {
      const Claim& claim = *choice.claim;
      const DestinationKind target =
          claim.in_data && !claim.stays_in_program() ? DestinationKind::kOwn : DestinationKind::kProgram;
      const DestinationKind was = choice.destination->target;
      if (was == DestinationKind::kShared || was == DestinationKind::kBase || was == target) continue;
      Destination& now = Edit(choice);
      now.target = target;
      now.key = texts_(claim.key);
      now.layout = claim.layout;
      now.reason = texts_("outside it would make the files larger");
      changes = true;
    }
    return changes;
  }

 private:
  struct Choice {
    const Claim* claim;
    const Destination* destination;
  };

  Destination& Edit(Choice& choice) {
    edited_.push_back(*choice.destination);
    choice.destination = &edited_.back();
    return edited_.back();
  }

  // A file to whose keys the program does not refer would be no part of it.
  void KeepUnneededInside() {
    const auto is_own = [](const Choice& choice) { return choice.destination->target == DestinationKind::kOwn; };
    const bool any = std::any_of(choices_.begin(), choices_.end(),
                                 [&](const Choice& choice) { return is_own(choice) && choice.claim->is_needed(); });
    for (Choice& choice : choices_) {
      if (any || !is_own(choice)) continue;
      Edit(choice).target = DestinationKind::kProgram;
      result_.left_own = true;
    }
  }

  Status Move() {
    KeepUnneededInside();
    PTEEDIT_ASSIGN(ProgramModel before, ReadProgramModel(set_.files.file()));
    Mover mover(std::move(before));
    std::vector<size_t> entries;
    std::set<std::string_view> inside;
    ReserveFor(choices_.size(), result_.report);
    for (const auto& [claim, chosen] : choices_) {
      const Destination& destination = *chosen;
      Report(*claim, destination);
      if (destination.target == DestinationKind::kProgram) {
        if (claim->in_data) inside.insert(claim->key);
        continue;
      }
      if (destination.target == DestinationKind::kOwn) own_.Add(destination, *claim);
      if (destination.target == DestinationKind::kShared && claim->is_needed())
        result_.files.shared.insert(ShardWith(destination.key));
      if (destination.target == DestinationKind::kBase && claim->is_needed())
        result_.files.bases.insert(*claim->base->file);
      if (claim->entry) entries.push_back(*claim->entry);
      if (!claim->is_constant && claim->key == destination.key.str()) continue;
      for (const ConstantUse& use : *claim->uses) mover.PointOutside(use, destination.key.str());
    }
    mover.TakeOutKeys(entries);
    model_ = std::move(mover).Finish();
    if (!inside.empty()) PTEEDIT_TRY(Bring(inside));
    SortItems();
    return {};
  }

  Status Bring(const std::set<std::string_view>& keys) {
    const size_t first = model_->tables.named_data.items.size();
    PTEEDIT_ASSIGN(const AskedKeys asked, FindKeysToJoin(set_.files, &keys));
    const JoinScope scope{
        &keys, asked.keys, asked.hashes, task_.options.min_alignment, set_.program_name, task_.options.threads};
    PTEEDIT_TRY(BringInside(*model_, set_.files, scope, result_.report));
    SortNewKeys(*model_, first);
    return {};
  }

  void Report(const Claim& claim, const Destination& destination) {
    const char* what = claim.is_constant || !claim.uses->empty() ? "constant" : "named-data";
    const uint64_t bytes = claim.extent.size;
    if (destination.target == DestinationKind::kOwn && !claim.base->reason.empty())
      result_.report.skipped.push_back({what, claim.name(), bytes, texts_(claim.base->reason)});
    if (destination.target == DestinationKind::kBase) {
      const Container& base = task_.inventory.bases.files()[*claim.base->file];
      if (claim.source() == base.source().get()) return;  // where it was
      AddItem(what, claim, destination, base.name());
    } else if (destination.target != DestinationKind::kProgram) {
      const bool is_shared = destination.target == DestinationKind::kShared;
      const std::string& to = is_shared ? shared_[ShardWith(destination.key)].name() : set_.data_name;
      AddItem(what, claim, destination, to);
    } else if ((!claim.in_data || destination.conflict) && !is_alone_) {
      result_.report.skipped.push_back({what, claim.name(), bytes, destination.reason});
    }
  }

  void AddItem(const char* what, const Claim& claim, const Destination& destination, const std::string& to) {
    if (task_.before != nullptr && claim.file->name() == to) return;
    result_.report.items.push_back(
        {what, NameOf(claim, destination), destination.key, claim.extent.size, texts_(claim.file->name()), texts_(to)});
  }

  static SharedText NameOf(const Claim& claim, const Destination& destination) {
    if (claim.is_constant) return claim.constant;
    return ShareIfEqual(ShownName(*claim.file, claim.key), destination.key);
  }

  size_t ShardWith(std::string_view key) {
    if (shared_.size() == 1) return 0;
    for (size_t i = shards_.empty() ? 0 : shared_.size(); i < shared_.size(); ++i) {
      for (const NamedEntry& entry : shared_[i].named_data()) shards_.emplace(entry.key, i);
    }
    return shards_.at(key);
  }

  // Together what goes the same way.
  void SortItems() {
    const auto way = [](const MovedItem& item) { return std::tie(item.from, item.to); };
    std::stable_sort(result_.report.items.begin(), result_.report.items.end(),
                     [&](const MovedItem& a, const MovedItem& b) { return way(a) < way(b); });
  }

  Status Plan() {
    PTEEDIT_ASSIGN(DataFiles planned, own_.Plan({set_.files.data(), task_.options.min_alignment}));
    if (!planned.files.empty()) result_.files.data = std::move(planned.files.front());
    PTEEDIT_ASSIGN(result_.files.program, PlanProgram());
    return {};
  }

  // With equal contents stored once, where that makes the file smaller: new tables may be larger than old ones.
  Result<PlannedFile> PlanProgram() {
    PTEEDIT_ASSIGN(PlannedFile plain, PlanFile(*model_, task_.options.min_alignment));
    const bool was_changed = model_->changed;
    PTEEDIT_ASSIGN(const std::vector<Duplicate> duplicates, DedupeModel(*model_, task_.options.threads));
    PlannedFile once;
    if (!duplicates.empty()) {
      PTEEDIT_ASSIGN(once, PlanFile(*model_, task_.options.min_alignment));
    }
    const bool is_better = !duplicates.empty() && once.size() < plain.size();
    result_.keeps_duplicates = !duplicates.empty() && !is_better;
    if (was_changed || is_better) NoteTrailingBytes(*model_->origin, result_.report);
    if (!is_better) return plain;
    uint64_t bytes = 0;
    for (const Duplicate& duplicate : duplicates) bytes += duplicate.bytes;
    result_.report.notes.push_back(Text("duplicates inside ", set_.files.file().name(),
                                        " are stored once: ", duplicates.size(), " with ", bytes, " bytes"));
    return once;
  }

  const MergeTask& task_;
  const MergeSet& set_;
  const std::vector<Container>& shared_;
  bool is_alone_;
  std::vector<Choice> choices_;
  std::deque<Destination> edited_;             // which some choices are instead of the task's
  std::map<std::string_view, size_t> shards_;  // by key, once one was asked for
  SharedTexts texts_;                          // of the report
  KeyedData own_;
  std::optional<ProgramModel> model_;
  MergedSet result_;
};

uint64_t BytesOf(const MergedSet& set) {
  return set.files.program.size() + (set.files.data ? set.files.data->size() : 0);
}

// What the files of the set may have where nobody asked for more: what they had, its part of data files included, less
// three quarters of what leaves for the shared file. So with two sets, who save one copy of two, that file fits in.
uint64_t MostBytes(const MergeTask& task, size_t set) {
  uint64_t bytes = task.sets[set].files.file().source()->size(), leaves = 0;
  std::set<std::tuple<const Source*, uint64_t, uint64_t>> places;
  for (auto [i, end] = ClaimsOfSet(task.inventory, set); i < end; ++i) {
    const Claim& claim = task.inventory.claims[i];
    const Extent extent = claim.extent;
    const bool is_new = places.emplace(claim.source(), extent.offset, extent.size).second;
    const DestinationKind target = task.choice.destinations[i].target;
    const bool is_shared = target == DestinationKind::kShared || target == DestinationKind::kBase;
    if (claim.in_data && !is_shared) bytes += EntryBytes(claim.key.size(), claim.layout) + (is_new ? extent.size : 0);
    if (!claim.in_data && is_shared && is_new) leaves += extent.size;
  }
  return bytes - std::min(bytes, leaves - leaves / 4);
}

}  // namespace

void ReserveFor(size_t count, RewriteReport& report) {
  report.items.reserve(count);
  report.skipped.reserve(count);
}

Result<MergedSet> MergeSetOf(const MergeTask& task, size_t set, const std::vector<Container>& shared) {
  PTEEDIT_ASSIGN(MergedSet asked, SetMerger(task, set, shared).Merge());
  if (task.options.min_bytes || BytesOf(asked) <= MostBytes(task, set)) return asked;
  SetMerger merger(task, set, shared);
  if (!merger.LeaveOwnWhereItIs()) return asked;
  PTEEDIT_ASSIGN(MergedSet left, std::move(merger).Merge());
  left.left_own = true;
  return BytesOf(left) < BytesOf(asked) ? std::move(left) : std::move(asked);
}

}  // namespace pteedit
