#include "merge/merge_round.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "edit/model.h"
#include "merge/merge_choice.h"
#include "merge/merge_inventory.h"
#include "merge/merge_set.h"
#include "program/key_search.h"
#include "pteedit/shards.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

// Whether a claim's key meant several things and now means less, or its bytes come inside: without those that no tensor
// reads, and may then be equal to others, or for tensors and for delegates apart.
bool MayDoMore(const Claim& claim, const Destination& destination) {
  if (destination.conflict) return true;
  const bool comes_inside = claim.in_data && destination.target == DestinationKind::kProgram;
  const bool is_cut = claim.layout && ByteSize(*claim.layout) != claim.extent.size;
  return comes_inside && (is_cut || (claim.for_delegate && !claim.uses->empty()));
}

bool MayDoMore(const Inventory& inventory, const MergeChoice& choice) {
  for (size_t i = 0; i < choice.destinations.size(); ++i) {
    if (MayDoMore(inventory.claims[i], choice.destinations[i])) return true;
  }
  return false;
}

// The keys of a set's files are disjoint, so their order says nothing.
std::vector<MergeSet> InOrder(std::vector<MergeSet> sets) {
  const auto least_key = [](const Container& file) {
    std::string_view least;
    for (const NamedEntry& entry : file.named_data()) least = least.empty() ? entry.key : std::min(least, entry.key);
    return least;
  };
  for (MergeSet& set : sets) {
    std::vector<Container> data = set.files.data();
    std::stable_sort(data.begin(), data.end(),
                     [&](const Container& a, const Container& b) { return least_key(a) < least_key(b); });
    set.files = {set.files.file(), std::move(data)};
  }
  return sets;
}

// Of what a round before put into the shared file, whose places show more by accident.
std::optional<uint64_t> KnownAlignment(const Claim& claim, const MergeTask& task, const KeyAlignments& alignments) {
  if (task.before == nullptr || !task.options.previous || !claim.in_data) return std::nullopt;
  const auto known = alignments.find(claim.key);
  return known == alignments.end() ? std::nullopt : std::optional<uint64_t>(known->second);
}

// What stays where the release before has it follows from what the first round saw of alignments, or the next release
// of the same files would give up other places.
Result<DataFiles> PlanShared(const MergeTask& task, KeyAlignments& alignments) {
  KeyedData shared;
  for (size_t i = 0; i < task.choice.destinations.size(); ++i) {
    const Destination& destination = task.choice.destinations[i];
    const Claim& claim = task.inventory.claims[i];
    if (destination.target != DestinationKind::kShared) continue;
    shared.Add(destination, claim, KnownAlignment(claim, task, alignments));
  }
  if (task.options.previous) shared.KeepAlignments(alignments);
  std::vector<Container> known;
  for (const MergeSet& set : task.sets) known.insert(known.end(), set.files.data().begin(), set.files.data().end());
  const PreviousContents* previous = task.options.previous ? &task.inventory.previous : nullptr;
  Result<DataFiles> planned =
      shared.Plan({known, task.options.min_alignment, task.options.max_shard_bytes, task.options.bind, previous});
  if (!planned) return std::move(planned).error().In(task.options.shared_name);
  return planned;
}

template <class Item>
void Append(std::vector<Item>& list, std::vector<Item> more) {
  list.insert(list.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

// Whether a key that stays shows another alignment now, on which it depends what it costs to share it.
Result<bool> ShowsOtherAlignments(const Container& before, const PlannedFile& planned) {
  PTEEDIT_ASSIGN(const Container after, Container::Open(planned.AsSource(before.name())));
  const std::vector<uint64_t> old_alignments = EvidentAlignments(before), alignments = EvidentAlignments(after);
  std::vector<std::pair<std::string_view, uint64_t>> known;
  known.reserve(before.named_data().size());
  for (const NamedEntry& entry : before.named_data())
    known.emplace_back(entry.key, old_alignments[entry.segment_index]);
  std::sort(known.begin(), known.end());
  return std::any_of(after.named_data().begin(), after.named_data().end(), [&](const NamedEntry& entry) {
    const auto found = std::lower_bound(known.begin(), known.end(), std::pair(entry.key, uint64_t{0}));
    return found != known.end() && found->first == entry.key && found->second != alignments[entry.segment_index];
  });
}

// Whether delegates mention a key of the shared file that the set does not have: it has it once it is given that.
Result<bool> MayAskForMore(const ProgramSet& set, const std::vector<Container>& shared) {
  std::vector<std::string_view> own, keys;
  own.reserve(set.file().named_data().size());
  for (const NamedEntry& entry : set.file().named_data()) own.push_back(entry.key);
  std::sort(own.begin(), own.end());
  for (const Container& file : shared) {
    for (const NamedEntry& entry : file.named_data()) {
      const bool has_it = std::binary_search(own.begin(), own.end(), entry.key) || set.FindInData(entry.key) != nullptr;
      if (!has_it) keys.push_back(entry.key);
    }
  }
  if (keys.empty()) return false;
  PTEEDIT_ASSIGN(const auto mentioned, KeysOfDelegates(set.file(), keys));
  for (const auto& method : mentioned) {
    for (const auto& delegate : method) {
      if (!delegate.empty()) return true;
    }
  }
  return false;
}

// Whether what a merge before put somewhere goes there again, and its program was told to be loaded with that if it
// needs it. Of shards nobody knows: they have other names.
bool StaysInPlace(const Claim& claim, const Destination& destination, const MergeTask& task) {
  if (destination.target == DestinationKind::kProgram) return !claim.in_data;
  if (!claim.in_data || claim.entry || claim.key != destination.key.str() || !(claim.layout == destination.layout))
    return false;
  const MergedProgram& program = task.before->result.programs[claim.set];
  if (destination.target == DestinationKind::kOwn) return claim.file->name() == task.sets[claim.set].data_name;
  if (destination.target == DestinationKind::kShared)
    return claim.file->name() == task.options.shared_name && (!claim.is_needed() || program.shared.count(0) != 0);
  const size_t base = *claim.base->file;
  return claim.source() == task.inventory.bases.files()[base].source().get() &&
         (!claim.is_needed() || program.bases.count(base) != 0);
}

// Whether the sets are what merging them gives. With a previous release a plan says more than where things are.
bool AreSettled(const MergeTask& task) {
  if (task.before == nullptr || task.before->keeps_duplicates || task.options.previous) return false;
  for (size_t i = 0; i < task.choice.destinations.size(); ++i) {
    if (!StaysInPlace(task.inventory.claims[i], task.choice.destinations[i], task)) return false;
  }
  return true;
}

}  // namespace

Result<std::vector<Container>> OpenShared(const std::vector<PlannedFile>& shared, const std::string& name) {
  std::vector<Container> opened;
  for (const PlannedFile& file : shared) {
    PTEEDIT_ASSIGN(Container shard, Container::Open(file.AsSource(ShardName(name, opened.size(), shared.size()))));
    opened.push_back(std::move(shard));
  }
  return opened;
}

void AddReport(RewriteReport& report, RewriteReport more) {
  Append(report.items, std::move(more.items));
  Append(report.skipped, std::move(more.skipped));
  Append(report.notes, std::move(more.notes));
}

Result<std::optional<Round>> MergeOnce(const std::vector<MergeSet>& given, const Round* before,
                                       const MergeOptions& options, KeyAlignments& alignments) {
  const std::vector<MergeSet> sets = InOrder(given);
  PTEEDIT_ASSIGN(const Inventory inventory, TakeInventory(sets, options));
  PTEEDIT_ASSIGN(const MergeChoice choice, ChooseForMerge(inventory, options));
  const MergeTask task{sets, options, inventory, choice, before};
  if (AreSettled(task)) return std::optional<Round>();
  Round round;
  round.may_settle = MayDoMore(inventory, choice);
  MergeResult& result = round.result;
  ReserveFor(inventory.claims.size() + inventory.skipped.size(), result.report);
  if (sets.size() > 1) result.report.skipped = inventory.skipped;
  PTEEDIT_ASSIGN(DataFiles planned, PlanShared(task, alignments));
  result.shared = std::move(planned.files);
  result.kept = planned.kept;
  if (result.shared.size() > 1) round.may_settle = true;  // what one file shows of alignments, parts of it may not
  PTEEDIT_ASSIGN(const std::vector<Container> shared, OpenShared(result.shared, options.shared_name));
  for (size_t i = 0; i < sets.size(); ++i) {
    PTEEDIT_ASSIGN(MergedSet merged, MergeSetOf(task, i, shared));
    AddReport(result.report, std::move(merged.report));
    round.keeps_duplicates = round.keeps_duplicates || merged.keeps_duplicates;
    round.may_settle = round.may_settle || merged.left_own;  // the files are others now, which may make a difference
    if (!round.may_settle) {
      PTEEDIT_ASSIGN(round.may_settle, ShowsOtherAlignments(sets[i].files.file(), merged.files.program));
    }
    if (!round.may_settle) {
      PTEEDIT_ASSIGN(round.may_settle, MayAskForMore(sets[i].files, shared));
    }
    result.programs.push_back(std::move(merged.files));
  }
  return std::optional<Round>(std::move(round));
}

}  // namespace pteedit
