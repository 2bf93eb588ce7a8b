// MergePrograms: list what the sets hold, choose what leaves each, fill the shared file, merge set by set; and again
// with the outputs where that may do more. The last are verified.
//
// Why the rounds end: a round that changes anything makes a key mean less, as tensors that read it are told a content
// key or have their bytes inside now, or takes a constant out of a program that had been longer in a data file, cut to
// what tensors read. No round gives a tensor a name again, and only the first takes bytes of tensors inside; what is
// shared stays shared. So there are at most as many rounds as there are tensors outside at first, and in practice two.
#include "pteedit/merge.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>

#include "edit/model.h"
#include "merge/keyed_data.h"
#include "merge/merge_binding.h"
#include "merge/merge_choice.h"
#include "merge/merge_inventory.h"
#include "merge/merge_set.h"
#include "needs/releases.h"
#include "program/key_search.h"
#include "pteedit/shards.h"
#include "pteedit/try.h"
#include "verify/check_rewrite.h"

namespace pteedit {
namespace {

// More than any files ever took: a guard, not a limit.
constexpr int kMaxRounds = 8;

// A result, and whether merging it again may do more: a key that meant several things is free once it means none, and
// what is together in one file takes less room than apart.
struct Round {
  MergeResult result;
  bool may_settle = false;
  bool keeps_duplicates = false;  // that may not pay for themselves the next time
};

// Whether a claim's key meant several things and now means less, or its bytes come inside: without those that no tensor
// reads, and may then be equal to others, or for tensors and for delegates apart.
bool MayDoMore(const Claim& claim, const Destination& destination) {
  if (destination.conflict) return true;
  const bool comes_inside = claim.in_data && destination.target == DestinationKind::kProgram;
  const bool is_cut = claim.layout && ByteSize(*claim.layout) != claim.extent.size;
  return comes_inside && (is_cut || (claim.for_delegate && !claim.uses.empty()));
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

Result<std::vector<Container>> OpenShared(const std::vector<PlannedFile>& shared, const std::string& name) {
  std::vector<Container> opened;
  for (const PlannedFile& file : shared) {
    PTEEDIT_ASSIGN(Container shard, Container::Open(file.AsSource(ShardName(name, opened.size(), shared.size()))));
    opened.push_back(std::move(shard));
  }
  return opened;
}

// Takes the data files of which no program refers to a key out of the sets, and returns them.
Result<std::vector<Container>> TakeOutUnused(std::vector<MergeSet>& sets) {
  std::set<const Source*> used;
  for (const MergeSet& set : sets) {
    PTEEDIT_TRY(CheckIsProgram(set.files.file()));
    PTEEDIT_TRY(CheckAreData(set.files.data()));
    PTEEDIT_ASSIGN(const std::vector<bool> referred, FindReferredData(set.files));
    for (size_t i = 0; i < referred.size(); ++i) {
      if (referred[i]) used.insert(set.files.data()[i].source().get());
    }
  }
  std::vector<Container> unused;
  std::set<const Source*> seen = used;
  for (MergeSet& set : sets) {
    std::vector<Container> data;
    for (const Container& file : set.files.data()) {
      if (used.count(file.source().get()) != 0) data.push_back(file);
      if (seen.insert(file.source().get()).second) unused.push_back(file);
    }
    if (data.size() < set.files.data().size()) set.files = {set.files.file(), std::move(data)};
  }
  return unused;
}

template <class Item>
void Append(std::vector<Item>& list, std::vector<Item> more) {
  list.insert(list.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

void AddReport(RewriteReport& report, RewriteReport more) {
  Append(report.items, std::move(more.items));
  Append(report.skipped, std::move(more.skipped));
  Append(report.notes, std::move(more.notes));
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
  const MergedProgram& program = task.before->programs[claim.set];
  if (destination.target == DestinationKind::kOwn) return claim.file->name() == task.sets[claim.set].data_name;
  if (destination.target == DestinationKind::kShared)
    return claim.file->name() == task.options.shared_name && (!claim.is_needed() || program.shared.count(0) != 0);
  const size_t base = *claim.base->file;
  return claim.source() == task.inventory.bases.files()[base].source().get() &&
         (!claim.is_needed() || program.bases.count(base) != 0);
}

// Whether the sets, outputs of `before`, are what merging them gives. With a previous release a plan says more than
// where things are.
bool AreSettled(const MergeTask& task, const Round* before) {
  if (before == nullptr || before->keeps_duplicates || task.options.previous) return false;
  for (size_t i = 0; i < task.choice.destinations.size(); ++i) {
    if (!StaysInPlace(task.inventory.claims[i], task.choice.destinations[i], task)) return false;
  }
  return true;
}

// None where that would change nothing.
Result<std::optional<Round>> MergeOnce(const std::vector<MergeSet>& sets, const Round* before,
                                       const MergeOptions& options, KeyAlignments& alignments) {
  PTEEDIT_ASSIGN(const Inventory inventory, TakeInventory(sets, options));
  PTEEDIT_ASSIGN(const MergeChoice choice, ChooseForMerge(inventory, options));
  const MergeTask task{sets, options, inventory, choice, before != nullptr ? &before->result : nullptr};
  if (AreSettled(task, before)) return std::optional<Round>();
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

// A program as it will be, with these shared files, what it needs of bases and its own.
Result<ProgramSet> OpenMerged(const MergeSet& set, const MergedProgram& merged, std::vector<Container> shared,
                              const MergeOptions& options) {
  PTEEDIT_ASSIGN(Container program, Container::Open(merged.program.AsSource(set.program_name)));
  std::vector<Container> data = std::move(shared);
  for (const size_t base : merged.bases) data.push_back(options.bases[base]);
  if (merged.data) {
    PTEEDIT_ASSIGN(Container own, Container::Open(merged.data->AsSource(set.data_name)));
    data.push_back(std::move(own));
  }
  return ProgramSet(std::move(program), std::move(data));
}

// The outputs as they would be given again.
Result<std::vector<MergeSet>> OutputsOf(const std::vector<MergeSet>& sets, const MergeResult& merged,
                                        const MergeOptions& options) {
  PTEEDIT_ASSIGN(const std::vector<Container> shared, OpenShared(merged.shared, options.shared_name));
  std::vector<MergeSet> outputs;
  for (size_t i = 0; i < sets.size(); ++i) {
    PTEEDIT_ASSIGN(ProgramSet opened, OpenMerged(sets[i], merged.programs[i], shared, options));
    outputs.push_back({std::move(opened), sets[i].program_name, sets[i].data_name});
  }
  return outputs;
}

// Verifies each program with what it is loaded with, and tells what that needs.
Status CheckMerged(const std::vector<MergeSet>& sets, const MergeOptions& options, MergeResult& merged) {
  PTEEDIT_ASSIGN(const std::vector<Container> shared, OpenShared(merged.shared, options.shared_name));
  for (size_t i = 0; i < sets.size(); ++i) {
    std::vector<Container> needed;
    for (const size_t shard : merged.programs[i].shared) needed.push_back(shared[shard]);
    PTEEDIT_ASSIGN(const ProgramSet after, OpenMerged(sets[i], merged.programs[i], std::move(needed), options));
    PTEEDIT_TRY(CheckRewrite(sets[i].files, after));
    PTEEDIT_TRY(ReportRuntime(after, merged.report));
    merged.report.data_files = std::max(merged.report.data_files, after.data().size());
  }
  return {};
}

std::vector<PlannedFile> FilesOf(const MergeResult& result) {
  std::vector<PlannedFile> files = result.shared;
  for (const MergedProgram& program : result.programs) {
    files.push_back(program.program);
    if (program.data) files.push_back(*program.data);
  }
  return files;
}

// Whether plans of the same files have the same tables and sizes. What lies behind equal tables has the same keys and
// users in the same places, and no merge changes what these mean.
Result<bool> HaveSameTables(const std::vector<PlannedFile>& a, const std::vector<PlannedFile>& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].size() != b[i].size()) return false;
    PTEEDIT_ASSIGN(const Container one, Container::Open(a[i].AsSource("planned")));
    PTEEDIT_ASSIGN(const Container other, Container::Open(b[i].AsSource("planned")));
    const ByteSpan tables = one.tables(), others = other.tables();
    if (!std::equal(tables.data, tables.data + tables.size, others.data, others.data + others.size)) return false;
  }
  return true;
}

// And each program is loaded with the same files.
Result<bool> AreTheSame(const MergeResult& a, const MergeResult& b) {
  const auto is_loaded_alike = [](const MergedProgram& one, const MergedProgram& other) {
    return one.shared == other.shared && one.bases == other.bases && one.data.has_value() == other.data.has_value();
  };
  const bool alike =
      a.shared.size() == b.shared.size() &&
      std::equal(a.programs.begin(), a.programs.end(), b.programs.begin(), b.programs.end(), is_loaded_alike);
  return alike ? HaveSameTables(FilesOf(a), FilesOf(b)) : Result<bool>(false);
}

// What moved in both rounds; what the second left where it was is what stays.
RewriteReport Together(RewriteReport first, RewriteReport second) {
  Append(first.items, std::move(second.items));
  Append(first.notes, std::move(second.notes));
  second.items = std::move(first.items);
  second.notes = std::move(first.notes);
  return second;
}

// Whether a merge of what is bound now, which takes out again what binds it, would begin with other files than these.
Result<bool> UnbindsToOther(const std::vector<PlannedFile>& unbound, const MergeResult& bound,
                            const MergeOptions& options) {
  if (bound.report.bindings.empty()) return false;
  if (bound.shared.size() > 1) return true;  // shards may be filled otherwise
  std::vector<PlannedFile> again = FilesOf(bound);
  for (PlannedFile& file : again) {
    PTEEDIT_ASSIGN(file, WithoutBindings(file, options));
  }
  PTEEDIT_ASSIGN(const bool same, HaveSameTables(unbound, again));
  return !same;
}

// Merges, and goes on with the outputs until merging them changes nothing. None where that was so at first.
template <class Merge>
Result<std::optional<Round>> MergeUntilSettled(const std::vector<MergeSet>& sets, const Round* before,
                                               const MergeOptions& options, Merge merge) {
  PTEEDIT_ASSIGN(std::optional<Round> merged, merge(sets, before));
  for (int round = 1; merged && merged->may_settle && round < kMaxRounds; ++round) {
    PTEEDIT_ASSIGN(const std::vector<MergeSet> outputs, OutputsOf(sets, merged->result, options));
    PTEEDIT_ASSIGN(std::optional<Round> again, merge(outputs, &*merged));
    if (!again) break;
    PTEEDIT_ASSIGN(const bool settled, AreTheSame(merged->result, again->result));
    if (settled) break;
    again->result.report = Together(std::move(merged->result.report), std::move(again->result.report));
    merged = std::move(again);
  }
  return merged;
}

// In rounds, and bound to what came of them, which may settle as these may: what binds moves all else.
Result<std::optional<Round>> MergeAndBind(std::vector<MergeSet> sets, const Round* before, const MergeOptions& options,
                                          KeyAlignments& alignments) {
  PTEEDIT_ASSIGN(const MergeBinding binding, MergeBinding::TakeOut(sets, options));
  const auto merge = [&](const std::vector<MergeSet>& unbound, const Round* last) {
    return MergeOnce(InOrder(unbound), last, options, alignments);
  };
  PTEEDIT_ASSIGN(std::optional<Round> merged, MergeUntilSettled(sets, before, options, merge));
  if (!merged) return merged;
  const std::vector<PlannedFile> unbound = FilesOf(merged->result);
  PTEEDIT_TRY(binding.PutIn(options, merged->result));
  PTEEDIT_ASSIGN(merged->may_settle, UnbindsToOther(unbound, merged->result, options));
  return merged;
}

}  // namespace

Result<MergeResult> MergePrograms(const std::vector<MergeSet>& given, const MergeOptions& options) {
  std::vector<MergeSet> sets = given;
  PTEEDIT_ASSIGN(std::vector<Container> unused, TakeOutUnused(sets));
  KeyAlignments alignments;
  const auto merge = [&](const std::vector<MergeSet>& now, const Round* last) {
    return MergeAndBind(now, last, options, alignments);
  };
  PTEEDIT_ASSIGN(std::optional<Round> merged, MergeUntilSettled(sets, nullptr, options, merge));
  PTEEDIT_TRY(CheckMerged(sets, options, merged->result));
  merged->result.unused_data = std::move(unused);
  return std::move(merged->result);
}

}  // namespace pteedit
