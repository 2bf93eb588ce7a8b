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
#include "dedupe.h"
#include "joiner.h"
#include "merge_choice.h"
#include "merge_inventory.h"
#include "plan.h"
#include "report_notes.h"
#include "text.h"
#include "try.h"
#include "verify/check_rewrite.h"

namespace pteedit {
namespace {

// Least sizes of what leaves a program, tried in turn until the outputs are no larger than the inputs.
constexpr std::array<uint64_t, 6> kLeastSizes = {0,       1 << 10, 1 << 14,
                                                 1 << 18, 1 << 22, std::numeric_limits<uint64_t>::max()};

// Of releases such as "0.7"; the empty one is the oldest.
bool IsOlder(const std::string& a, const std::string& b) {
  const auto major_length = [](const std::string& release) { return std::min(release.find('.'), release.size()); };
  const auto rank = [&](const std::string& release) {
    const size_t length = major_length(release);
    return std::tuple(length, release.substr(0, length), release.size(), release);
  };
  return rank(a) < rank(b);
}

// A data file that several claims fill: entries in order of keys, equal contents in one segment, the largest first, so
// that what is padded least for its size comes before what is padded most.
class KeyedData {
 public:
  void Add(const std::string& key, const Claim& claim) {
    Entry& entry = entries_[key];
    if (entry.claim == nullptr) entry.claim = &claim;
    if (claim.layout) entry.layout = &*claim.layout;
    uint64_t& alignment = alignments_[claim.content];
    alignment = std::max(alignment, claim.alignment);
  }

  std::optional<DataModel> Build() const {
    if (entries_.empty()) return std::nullopt;
    DataBuilder builder;
    std::map<size_t, uint32_t> segments;  // by content
    for (const Claim* claim : LargestFirst()) {
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

  std::vector<const Claim*> LargestFirst() const {
    std::vector<const Claim*> order;
    for (const auto& [key, entry] : entries_) order.push_back(entry.claim);
    std::stable_sort(order.begin(), order.end(),
                     [](const Claim* a, const Claim* b) { return a->place.extent.size > b->place.extent.size; });
    return order;
  }

  std::map<std::string, Entry> entries_;
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
      if (destination.target == Target::kShared) shared.Add(destination.key, inventory_.claims[i]);
    }
    PTEEDIT_ASSIGN(result_.shared, PlanData(shared, options_.shared_name, shared_));
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
  // Plans a data file and opens the plan into `opened` as anybody would.
  Result<std::optional<PlannedFile>> PlanData(const KeyedData& data, const std::string& name,
                                              std::vector<Container>& opened) const {
    std::optional<DataModel> model = data.Build();
    if (!model) return std::optional<PlannedFile>();
    PTEEDIT_ASSIGN(PlannedFile file, PlanFile(*std::move(model), {options_.min_alignment, false}));
    PTEEDIT_ASSIGN(Container container, Container::Open(file.AsSource(name)));
    opened.push_back(std::move(container));
    return std::optional<PlannedFile>(std::move(file));
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
      if (destination.target == Target::kOwn) own.Add(destination.key, claim);
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
    PTEEDIT_TRY(StoreOnce(model, set));
    if (model.changed) NoteTrailingBytes(model.origin, result_.report);
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

  Status StoreOnce(ProgramModel& model, size_t set) {
    PTEEDIT_ASSIGN(const std::vector<Duplicate> duplicates, DedupeModel(model, options_.threads));
    if (duplicates.empty()) return {};
    uint64_t bytes = 0;
    for (const Duplicate& duplicate : duplicates) bytes += duplicate.bytes;
    result_.report.notes.push_back(Text("duplicates inside ", sets_[set].program.name(),
                                        " are stored once: ", duplicates.size(), " with ", bytes, " bytes"));
    return {};
  }

  // Plans the set's files, opens the plans, and verifies them with what they are loaded with.
  Status Finish(size_t set, ProgramModel model, const KeyedData& own, MergedProgram merged) {
    std::vector<Container> together;
    if (merged.needs_shared) together = shared_;
    PTEEDIT_ASSIGN(merged.data, PlanData(own, sets_[set].data_name, together));
    PTEEDIT_ASSIGN(merged.program, PlanFile(std::move(model), {options_.min_alignment, false}));
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

}  // namespace

Result<MergeResult> MergePrograms(const std::vector<MergeSet>& sets, const MergeOptions& options) {
  PTEEDIT_ASSIGN(const Inventory inventory, TakeInventory(sets, options));
  std::optional<MergeResult> best;
  for (const uint64_t least_bytes : kLeastSizes) {
    PTEEDIT_ASSIGN(const MergeChoice choice, ChooseForMerge(inventory, options, least_bytes));
    PTEEDIT_ASSIGN(MergeResult result, Merger(sets, options, inventory, choice).Merge());
    if (least_bytes != 0) {
      result.report.notes.push_back("sharing more would make the files larger together, so some of it is not shared");
    }
    if (!best || BytesOf(result) < BytesOf(*best)) best = std::move(result);
    if (options.min_bytes || BytesOf(*best) <= BytesOf(sets) || !choice.moves_out) break;
  }
  return *std::move(best);
}

}  // namespace pteedit
