// MergePrograms: list what the sets hold, choose what leaves each, fill the data files, edit the programs, lay out,
// check. Should the result be larger than the inputs, choose again so that less leaves the programs.
#include "pteedit/merge.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "data_builder.h"
#include "merge/merge_choice.h"
#include "merge/merge_inventory.h"
#include "plan.h"
#include "report_notes.h"
#include "split/joiner.h"
#include "strip/dedupe.h"
#include "text.h"
#include "try.h"
#include "verify/check_rewrite.h"

namespace pteedit {
namespace {

constexpr uint64_t kLeastAlignment = 16;  // that every layout has

// What is tried in turn until the outputs are no larger than the inputs: ever less leaves the programs, and at last
// what is outside need not come inside either.
struct Attempt {
  MergeLimits limits;
  bool all_inside = true;  // unless asked otherwise, what a set has alone is in its program
};
constexpr uint64_t kNothing = std::numeric_limits<uint64_t>::max();
constexpr std::array<Attempt, 8> kAttempts = {{{{0}},
                                               {{1 << 10}},
                                               {{1 << 14}},
                                               {{1 << 18}},
                                               {{1 << 22}},
                                               {{kNothing}},
                                               {{kNothing}, false},
                                               {{kNothing, false}, false}}};

// Until merging the outputs again changes nothing. Nearly all settle at once, the others in the second round.
constexpr int kMostRounds = 8;

// Of releases such as "0.7"; the empty one is the oldest.
bool IsOlder(const std::string& a, const std::string& b) {
  const auto major_length = [](const std::string& release) { return std::min(release.find('.'), release.size()); };
  const auto rank = [&](const std::string& release) {
    const size_t length = major_length(release);
    return std::tuple(length, release.substr(0, length), release.size(), release);
  };
  return rank(a) < rank(b);
}

// A data file that several claims fill: entries in order of keys, equal contents in one segment. The roundest and then
// the largest segments come first, which takes the least padding.
class KeyedData {
 public:
  void Add(const Destination& destination, const Claim& claim) {
    Entry& entry = entries_[destination.key];
    if (entry.claim == nullptr) entry.claim = &claim;
    if (destination.layout) entry.layout = &*destination.layout;
    sources_.insert(claim.place.source.get());
    uint64_t& alignment = alignments_[claim.content];
    alignment = std::max(alignment, claim.alignment);
  }

  // The file that all bytes come from, where it holds these very entries and no others; null where there is none.
  const Container* WholeFile(const std::vector<Container>& files) const {
    for (const Container& file : files) {
      if (sources_ != std::set<const Source*>{file.source().get()}) continue;
      const std::vector<NamedEntry>& all = file.named_data();
      const bool is_whole = all.size() == entries_.size() &&
                            std::all_of(all.begin(), all.end(),
                                        [&](const auto& entry) { return entries_.count(std::string(entry.key)) != 0; });
      return is_whole && file.kind() == FileKind::kData && !file.header().layout_06 ? &file : nullptr;
    }
    return nullptr;
  }

  std::optional<DataModel> Build() const {
    if (entries_.empty()) return std::nullopt;
    DataBuilder builder;
    std::map<size_t, uint32_t> segments;  // by content
    for (const Claim* claim : InOrder()) {
      const auto [segment, is_new] = segments.try_emplace(claim->content);
      if (!is_new) continue;
      segment->second = builder.AddSegment(claim->place.source, claim->place.extent);
      builder.Align(segment->second, alignments_.at(claim->content));
    }
    for (const auto& [key, entry] : entries_) {
      builder.AddEntry(tables::OwnText(key), segments.at(entry.claim->content), entry.layout);
    }
    return std::move(builder).Take();
  }

 private:
  struct Entry {
    const Claim* claim = nullptr;
    const TensorLayout* layout = nullptr;
  };

  std::vector<const Claim*> InOrder() const {
    std::vector<const Claim*> order;
    for (const auto& [key, entry] : entries_) order.push_back(entry.claim);
    const auto rank = [&](const Claim* claim) {
      return std::pair(alignments_.at(claim->content), claim->place.extent.size);
    };
    std::stable_sort(order.begin(), order.end(), [&](const Claim* a, const Claim* b) { return rank(a) > rank(b); });
    return order;
  }

  std::map<std::string, Entry> entries_;
  std::set<const Source*> sources_;        // of all copies
  std::map<size_t, uint64_t> alignments_;  // by content
};

// Makes the outputs of one choice.
class Merger {
 public:
  Merger(const std::vector<MergeSet>& sets, const MergeOptions& options, const Inventory& inventory,
         const MergeChoice& choice)
      : sets_(sets), options_(options), inventory_(inventory), choice_(choice) {}

  Result<MergeResult> Merge() {
    KeyedData shared;
    for (size_t i = 0; i < choice_.destinations.size(); ++i) {
      const Destination& destination = choice_.destinations[i];
      if (destination.target == Target::kShared) shared.Add(destination, inventory_.claims[i]);
    }
    PTEEDIT_ASSIGN(result_.shared, PlanData(shared, options_.shared_name, AllData(), shared_));
    if (sets_.size() > 1) result_.report.skipped = inventory_.skipped;
    for (size_t first = 0, set = 0; set < sets_.size(); ++set) {
      size_t end = first;
      while (end < inventory_.claims.size() && inventory_.claims[end].set == set) ++end;
      PTEEDIT_TRY(MergeSetOf(set, first, end));
      first = end;
    }
    return std::move(result_);
  }

 private:
  std::vector<Container> AllData() const {
    std::vector<Container> files;
    for (const MergeSet& set : sets_) files.insert(files.end(), set.data.begin(), set.data.end());
    return files;
  }

  // Plans a data file and opens the plan into `opened` as anybody would. One of `known` that stays whole is copied.
  Result<std::optional<PlannedFile>> PlanData(const KeyedData& data, const std::string& name,
                                              const std::vector<Container>& known,
                                              std::vector<Container>& opened) const {
    const Container* whole = options_.min_alignment > kLeastAlignment ? nullptr : data.WholeFile(known);
    std::optional<PlannedFile> file;
    if (whole != nullptr) {
      file = PlanCopy(*whole);
    } else if (std::optional<DataModel> model = data.Build()) {
      PTEEDIT_ASSIGN(file, PlanFile(*std::move(model), {options_.min_alignment, false}));
    }
    if (!file) return file;
    PTEEDIT_ASSIGN(Container container, Container::Open(file->AsSource(name)));
    opened.push_back(std::move(container));
    return file;
  }

  // The claims of the set are [first, end).
  Status MergeSetOf(size_t set, size_t first, size_t end) {
    Mover mover = inventory_.sets[set].mover;
    KeyedData own;
    std::vector<size_t> entries;
    std::set<std::string_view> inside;
    MergedProgram merged;
    const size_t items = result_.report.items.size();
    for (size_t i = first; i < end; ++i) {
      const Claim& claim = inventory_.claims[i];
      const Destination& destination = choice_.destinations[i];
      Report(claim, destination);
      if (destination.target == Target::kProgram) {
        if (claim.in_data) inside.insert(claim.key);
        continue;
      }
      if (destination.target == Target::kOwn) own.Add(destination, claim);
      const bool needs = claim.is_constant || claim.in_demand();
      if (destination.target == Target::kShared && needs) merged.needs_shared = true;
      if (claim.entry) entries.push_back(*claim.entry);
      if (!claim.is_constant && claim.key == destination.key) continue;
      for (const ConstantUse& use : claim.uses) mover.PointOutside(use, destination.key);
    }
    mover.TakeOutKeys(entries);
    ProgramModel model = std::move(mover).Finish();
    if (!inside.empty()) {
      const JoinScope scope{&inside, options_.min_alignment, sets_[set].program_name};
      PTEEDIT_TRY(BringInside(model, sets_[set].data, inventory_.sets[set].index, scope, result_.report));
    }
    SortItems(items);
    return Finish(set, std::move(model), own, std::move(merged));
  }

  void Report(const Claim& claim, const Destination& destination) {
    const char* what = claim.is_constant || !claim.uses.empty() ? "constant" : "named-data";
    const uint64_t bytes = claim.place.extent.size;
    if (destination.target != Target::kProgram) {
      const bool is_shared = destination.target == Target::kShared;
      const std::string& to = is_shared ? options_.shared_name : sets_[claim.set].data_name;
      result_.report.items.push_back({what, claim.name, destination.key, bytes, claim.file, to});
    } else if ((!claim.in_data || destination.conflict) && sets_.size() > 1) {
      result_.report.skipped.push_back({what, claim.name, bytes, destination.reason});
    }
  }

  // Together what goes the same way.
  void SortItems(size_t first) {
    const auto way = [](const MovedItem& item) { return std::tie(item.from, item.to); };
    std::stable_sort(result_.report.items.begin() + static_cast<std::ptrdiff_t>(first), result_.report.items.end(),
                     [&](const MovedItem& a, const MovedItem& b) { return way(a) < way(b); });
  }

  // With equal contents stored once, where that makes the file smaller: new tables may be larger than old ones.
  Result<PlannedFile> PlanProgram(ProgramModel model, size_t set) {
    const LayoutOptions layout{options_.min_alignment, false};
    PTEEDIT_ASSIGN(PlannedFile plain, PlanFile(model, layout));
    const bool was_changed = model.changed;
    PTEEDIT_ASSIGN(const std::vector<Duplicate> duplicates, DedupeModel(model, options_.threads));
    PTEEDIT_ASSIGN(PlannedFile once, PlanFile(model, layout));
    const bool is_better = !duplicates.empty() && once.size() < plain.size();
    if (was_changed || is_better) NoteTrailingBytes(model.origin, result_.report);
    if (!is_better) return plain;
    uint64_t bytes = 0;
    for (const Duplicate& duplicate : duplicates) bytes += duplicate.bytes;
    result_.report.notes.push_back(Text("duplicates inside ", sets_[set].program.name(),
                                        " are stored once: ", duplicates.size(), " with ", bytes, " bytes"));
    return once;
  }

  // Plans the set's files, opens the plans, and verifies them with what they are loaded with.
  Status Finish(size_t set, ProgramModel model, const KeyedData& own, MergedProgram merged) {
    std::vector<Container> together;
    if (merged.needs_shared) together = shared_;
    PTEEDIT_ASSIGN(merged.data, PlanData(own, sets_[set].data_name, sets_[set].data, together));
    PTEEDIT_ASSIGN(merged.program, PlanProgram(std::move(model), set));
    PTEEDIT_ASSIGN(const Container opened, Container::Open(merged.program.AsSource(sets_[set].program_name)));
    PTEEDIT_TRY(CheckRewrite({sets_[set].program, sets_[set].data}, {opened, together}));
    AddNeeds(OldestRuntime(opened, together), together.size());
    result_.programs.push_back(std::move(merged));
    return {};
  }

  void AddNeeds(const std::string& runtime, uint64_t data_files) {
    RewriteReport& report = result_.report;
    if (IsOlder(report.min_runtime, runtime)) report.min_runtime = runtime;
    report.data_files = std::max(report.data_files, data_files);
  }

  const std::vector<MergeSet>& sets_;
  const MergeOptions& options_;
  const Inventory& inventory_;
  const MergeChoice& choice_;
  std::vector<Container> shared_;  // the shared file opened; one or none
  MergeResult result_;
};

// Each file once, however many sets use it.
uint64_t BytesOf(const std::vector<MergeSet>& sets) {
  std::set<const Source*> sources;
  for (const MergeSet& set : sets) {
    sources.insert(set.program.source().get());
    for (const Container& file : set.data) sources.insert(file.source().get());
  }
  uint64_t bytes = 0;
  for (const Source* source : sources) bytes += source->size();
  return bytes;
}

uint64_t BytesOf(const MergeResult& result) {
  uint64_t bytes = result.shared ? result.shared->size() : 0;
  for (const MergedProgram& program : result.programs) {
    bytes += program.program.size() + (program.data ? program.data->size() : 0);
  }
  return bytes;
}

// A result, and whether merging it again may do more: a key that meant several things is free once it means none, and
// what is together in one file takes less room than apart.
struct Round {
  MergeResult result;
  bool may_settle = false;
};

// Whether a claim's key meant several things and now means less, or its bytes come inside without those that no tensor
// reads, and may then be equal to others.
bool MayDoMore(const Claim& claim, const Destination& destination) {
  if (destination.conflict) return true;
  const bool comes_inside = claim.in_data && destination.target == Target::kProgram;
  return comes_inside && claim.layout && ByteSize(*claim.layout) != claim.place.extent.size;
}

bool MayDoMore(const Inventory& inventory, const MergeChoice& choice) {
  for (size_t i = 0; i < choice.destinations.size(); ++i) {
    if (MayDoMore(inventory.claims[i], choice.destinations[i])) return true;
  }
  return false;
}

Result<Round> MergeOnce(const std::vector<MergeSet>& sets, const MergeOptions& options) {
  PTEEDIT_ASSIGN(const Inventory inventory, TakeInventory(sets, options));
  std::optional<Round> best;
  for (const Attempt& attempt : kAttempts) {
    MergeOptions tried = options;
    if (!attempt.all_inside) tried.variant_data = VariantData::kDataFile;
    PTEEDIT_ASSIGN(const MergeChoice choice, ChooseForMerge(inventory, tried, attempt.limits));
    PTEEDIT_ASSIGN(MergeResult result, Merger(sets, tried, inventory, choice).Merge());
    const bool is_first = attempt.limits.least_bytes == 0;
    if (!is_first) {
      result.report.notes.push_back("moving more would make the files larger together, so some stays where it was");
    }
    const bool may_settle = !is_first || MayDoMore(inventory, choice);
    if (!best || BytesOf(result) < BytesOf(best->result)) best = Round{std::move(result), may_settle};
    if (options.min_bytes || BytesOf(best->result) <= BytesOf(sets)) break;
  }
  return *std::move(best);
}

// The outputs as they would be given again: each with the shared file and its own.
Result<std::vector<MergeSet>> OutputsOf(const std::vector<MergeSet>& sets, const MergeResult& merged,
                                        const MergeOptions& options) {
  std::vector<Container> shared;
  if (merged.shared) {
    PTEEDIT_ASSIGN(Container opened, Container::Open(merged.shared->AsSource(options.shared_name)));
    shared.push_back(std::move(opened));
  }
  std::vector<MergeSet> outputs;
  for (size_t i = 0; i < sets.size(); ++i) {
    const MergedProgram& program = merged.programs[i];
    PTEEDIT_ASSIGN(Container opened, Container::Open(program.program.AsSource(sets[i].program_name)));
    MergeSet set{std::move(opened), shared, sets[i].program_name, sets[i].data_name};
    if (program.data) {
      PTEEDIT_ASSIGN(Container own, Container::Open(program.data->AsSource(sets[i].data_name)));
      set.data.push_back(std::move(own));
    }
    outputs.push_back(std::move(set));
  }
  return outputs;
}

// Whether two plans of one file have the same tables and size. What lies behind equal tables has the same keys and
// users in the same places, and no merge changes what these mean.
Result<bool> HaveSameTables(const std::optional<PlannedFile>& a, const std::optional<PlannedFile>& b) {
  if (!a || !b) return a.has_value() == b.has_value();
  if (a->size() != b->size()) return false;
  PTEEDIT_ASSIGN(const Container one, Container::Open(a->AsSource("planned")));
  PTEEDIT_ASSIGN(const Container other, Container::Open(b->AsSource("planned")));
  const ByteSpan tables = one.tables(), others = other.tables();
  return std::equal(tables.data, tables.data + tables.size, others.data, others.data + others.size);
}

Result<bool> HaveSameTables(const MergeResult& a, const MergeResult& b) {
  PTEEDIT_ASSIGN(bool same, HaveSameTables(a.shared, b.shared));
  for (size_t i = 0; same && i < a.programs.size(); ++i) {
    PTEEDIT_ASSIGN(same, HaveSameTables(a.programs[i].program, b.programs[i].program));
    if (!same) break;
    PTEEDIT_ASSIGN(same, HaveSameTables(a.programs[i].data, b.programs[i].data));
  }
  return same;
}

// What moved in both rounds; what the second left where it was is what stays.
RewriteReport Together(RewriteReport first, RewriteReport second) {
  second.items.erase(std::remove_if(second.items.begin(), second.items.end(),
                                    [](const MovedItem& item) { return item.from == item.to; }),
                     second.items.end());
  second.items.insert(second.items.begin(), std::make_move_iterator(first.items.begin()),
                      std::make_move_iterator(first.items.end()));
  second.notes.insert(second.notes.begin(), first.notes.begin(), first.notes.end());
  return second;
}

}  // namespace

Result<MergeResult> MergePrograms(const std::vector<MergeSet>& sets, const MergeOptions& options) {
  PTEEDIT_ASSIGN(Round merged, MergeOnce(sets, options));
  for (int round = 1; merged.may_settle && round < kMostRounds; ++round) {
    PTEEDIT_ASSIGN(const std::vector<MergeSet> outputs, OutputsOf(sets, merged.result, options));
    PTEEDIT_ASSIGN(Round again, MergeOnce(outputs, options));
    PTEEDIT_ASSIGN(const bool settled, HaveSameTables(merged.result, again.result));
    if (settled) break;
    again.result.report = Together(std::move(merged.result.report), std::move(again.result.report));
    merged = std::move(again);
  }
  return std::move(merged.result);
}

}  // namespace pteedit
