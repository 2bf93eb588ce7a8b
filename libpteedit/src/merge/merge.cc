// MergePrograms: merge in rounds, the outputs again where that may do more, bind, and verify what came of it.
//
// Why the rounds end: a round that changes anything makes a key mean less, as tensors that read it are told a content
// key or have their bytes inside now, or takes a constant out of a program that had been longer in a data file, cut to
// what tensors read. No round gives a tensor a name again, and only the first takes bytes of tensors inside; what is
// shared stays shared. So there are at most as many rounds as there are tensors outside at first, and in practice two.
#include "pteedit/merge.h"

#include <algorithm>
#include <optional>
#include <set>

#include "edit/model.h"
#include "merge/keyed_data.h"
#include "merge/merge_binding.h"
#include "merge/merge_round.h"
#include "needs/releases.h"
#include "program/key_search.h"
#include "pteedit/try.h"
#include "verify/check_rewrite.h"

namespace pteedit {
namespace {

// More than any files ever took: a guard, not a limit.
constexpr int kMaxRounds = 8;

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
    merged.report.data_files = std::max<uint64_t>(merged.report.data_files, after.data().size());
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
  first.skipped.clear();
  first.bindings = std::move(second.bindings);
  AddReport(first, std::move(second));
  return first;
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
    return MergeOnce(unbound, last, options, alignments);
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
