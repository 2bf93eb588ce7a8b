#include "pteedit/diff.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

#include "base/parallel.h"
#include "base/text.h"
#include "diff/diff_match.h"
#include "diff/diff_meaning.h"
#include "diff/diff_rows.h"
#include "diff/element_changes.h"
#include "diff/weight_uses.h"
#include "program/native_package.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

// Of a size tree, and those of a bundle around a program.
constexpr std::array kComponents = {
    "Bundled Data", "Program Flatbuffer", "Constant Tensors", "Mutable Tensors", "Delegate Blobs",
    "Named Data",   "Data Flatbuffer",    kProgramGraph,      "Tensors",         "Tensor Header",
    "Aliases",      "Other Members",      "Archive",          "Padding",         "Unattributed"};

std::vector<ComponentChange> ComponentsOf(const DiffSide& before, const DiffSide& after) {
  std::map<std::string_view, ComponentChange> sums;
  for (const DiffRow& row : before.rows) sums[row.what].old_bytes += row.bytes;
  for (const DiffRow& row : after.rows) sums[row.what].new_bytes += row.bytes;
  std::vector<ComponentChange> components;
  for (const char* what : kComponents) {
    const auto found = sums.find(what);
    if (found != sums.end()) components.push_back({what, found->second.old_bytes, found->second.new_bytes});
  }
  return components;
}

// The rows that changed, and how many of each kind there are.
class ChangeCollector {
 public:
  ChangeCollector(const DiffSide& before, const DiffSide& after, FileDiff& diff)
      : before_(before), after_(after), matches_(MatchRows(before, after)), diff_(diff) {}

  Status Collect(const ProgramSet& after, unsigned threads) {
    std::vector<Pair> changed;
    for (size_t i = 0; i < after_.rows.size(); ++i) {
      const DiffRow* then = matches_.old_of[i] ? &before_.rows[*matches_.old_of[i]] : nullptr;
      const DiffRow* now = &after_.rows[i];
      const Pair pair{then, now, then != nullptr ? Compare(*then, *now) : Comparison()};
      if (CountPair(pair)) changed.push_back(pair);
    }
    for (size_t i = 0; i < before_.rows.size(); ++i) {
      if (!matches_.is_taken[i] && CountPair({&before_.rows[i]})) changed.push_back({&before_.rows[i]});
    }
    diff_.sizes.reserve(changed.size());
    for (const Pair& pair : changed) AddChange(pair);
    NoteUses(after);
    return CompareContents(threads);
  }

 private:
  // What both sides have alike, or not.
  struct Comparison {
    bool has_place = false, same_content = false, moved = false, renamed = false;
    bool says_the_same = false;
  };

  // One is null where a row is added or removed.
  struct Pair {
    const DiffRow* then = nullptr;
    const DiffRow* now = nullptr;
    Comparison found = {};  // where none is null
    size_t change = 0;      // index among those of sizes
  };

  static std::string TypeOf(const DiffRow& row) { return row.type != nullptr ? row.type->Text() : std::string(); }

  static SizeChange ChangeOf(const char* kind, const DiffRow& row) {
    SizeChange change;
    change.change = kind, change.what = row.what, change.name = row.name;
    change.is_weight = IsWeightComponent(row.what);
    change.module = row.module();
    return change;
  }

  void Count(const DiffRow& row, uint64_t MatchCounts::*count) {
    if (row.delegate) ++(diff_.delegates.*count);
    if (IsWeightComponent(row.what)) ++(diff_.weights.*count);
  }

  bool AreAlikeDelegates(const DiffRow& then, const DiffRow& now) const {
    return then.delegate && now.delegate &&
           AreAlike(before_.delegates[*then.delegate], after_.delegates[*now.delegate]);
  }

  static Comparison Compare(const DiffRow& then, const DiffRow& now) {
    Comparison found;
    found.has_place = then.file != nullptr && now.file != nullptr;
    found.same_content =
        (then.file == nullptr) == (now.file == nullptr) && (!found.has_place || then.content == now.content);
    found.moved = then.what != now.what;
    // What only counts, or tells the bytes, is no name to be changed; a name that is lost or given is.
    found.renamed = then.name != now.name && (then.has_given_name || now.has_given_name);
    const bool same_type = then.type == nullptr || now.type == nullptr || then.type->Text() == now.type->Text();
    found.says_the_same = found.same_content && (found.moved || same_type);
    return found;
  }

  // Whether it is a change.
  bool CountPair(const Pair& pair) {
    if (pair.then == nullptr || pair.now == nullptr) {
      Count(pair.now != nullptr ? *pair.now : *pair.then,
            pair.now != nullptr ? &MatchCounts::added : &MatchCounts::removed);
      return true;
    }
    const Comparison& found = pair.found;
    Count(*pair.now, found.says_the_same                        ? &MatchCounts::same
                     : AreAlikeDelegates(*pair.then, *pair.now) ? &MatchCounts::alike
                                                                : &MatchCounts::changed);
    return !found.says_the_same || found.moved || found.renamed || pair.then->bytes != pair.now->bytes;
  }

  void AddChange(const Pair& pair) {
    const auto& [then, now, found, index] = pair;
    SizeChange change = then == nullptr  ? ChangeOf("added", *now)
                        : now == nullptr ? ChangeOf("removed", *then)
                                         : ChangeOfBoth(pair);
    if (then != nullptr) change.old_bytes = then->bytes, change.old_type = TypeOf(*then);
    if (now != nullptr) change.new_bytes = now->bytes, change.new_type = TypeOf(*now);
    diff_.sizes.push_back(std::move(change));
  }

  SizeChange ChangeOfBoth(const Pair& pair) {
    const DiffRow &then = *pair.then, &now = *pair.now;
    const Comparison& found = pair.found;
    const bool has_moved = found.says_the_same && (found.moved || found.renamed);
    SizeChange change = ChangeOf(!has_moved ? "changed" : found.moved ? "moved" : "renamed", now);
    if (found.moved || then.name != now.name) change.old_what = then.what, change.old_name = then.name;
    change.same_content = found.same_content;
    const bool has_elements = IsWeightComponent(now.what) || now.delegate;
    if (found.has_place && !found.same_content && has_elements)
      compared_.push_back({&then, &now, found, diff_.sizes.size()});
    return change;
  }

  // Who reads what is another weight now.
  void NoteUses(const ProgramSet& after) {
    if (compared_.empty()) return;
    std::vector<const DiffRow*> weights;
    for (const Pair& pair : compared_) {
      if (diff_.sizes[pair.change].is_weight) weights.push_back(pair.now);
    }
    const WeightUses uses(after, after_, weights);
    for (const Pair& pair : compared_) {
      SizeChange& change = diff_.sizes[pair.change];
      if (!change.is_weight) continue;
      Uses found = uses.Of(*pair.now);
      change.used_by = std::move(found.first);
      change.uses = found.count;
    }
  }

  Status CompareContents(unsigned threads) {
    return ParallelFor(compared_.size(), threads, [&](size_t i) { return CompareOne(compared_[i]); });
  }

  // What is as many bytes as the other side, and of a type that is known only there, is read like that.
  static TypedContent ContentOf(const DiffRow& row, const DiffRow& other) {
    const bool is_like_other = row.type == nullptr && row.place.size == other.place.size;
    const WeightType* type = is_like_other ? other.type : row.type;
    return {row.Content(), type != nullptr ? type->scalar_type : std::nullopt};
  }

  Status CompareOne(const Pair& pair) {
    PTEEDIT_ASSIGN(diff_.sizes[pair.change].elements,
                   CompareElements(ContentOf(*pair.then, *pair.now), ContentOf(*pair.now, *pair.then)));
    return {};
  }

  const DiffSide& before_;
  const DiffSide& after_;
  const RowMatches matches_;
  FileDiff& diff_;
  std::vector<Pair> compared_;
};

void SortByGrowth(std::vector<SizeChange>& changes) {
  std::stable_sort(changes.begin(), changes.end(), [](const SizeChange& a, const SizeChange& b) {
    const auto growth = [](const SizeChange& one) { return static_cast<int64_t>(one.new_bytes - one.old_bytes); };
    const int64_t of_a = growth(a), of_b = growth(b);
    return std::tie(of_b, a.what, a.name) < std::tie(of_a, b.what, b.name);
  });
}

Status CheckComparable(const ProgramSet& before, const ProgramSet& after) {
  if (before.file().kind() != after.file().kind()) {
    return InvalidArgument(Text("is a ", KindName(after.file().kind()), ", ", before.file().name(), " is a ",
                                KindName(before.file().kind())))
        .In(after.file().name());
  }
  PTEEDIT_TRY(CheckAreData(before.data()));
  return CheckAreData(after.data());
}

}  // namespace

Result<FileDiff> DiffFiles(const ProgramSet& before, const ProgramSet& after, unsigned threads,
                           const std::vector<BlobDecoder>& decoders) {
  PTEEDIT_TRY(CheckComparable(before, after));
  FileDiff diff;
  diff.old_bytes = before.bytes();
  diff.new_bytes = after.bytes();
  PTEEDIT_ASSIGN(DiffSide then, CollectDiffSide(before, decoders));
  PTEEDIT_ASSIGN(DiffSide now, CollectDiffSide(after, decoders));
  PTEEDIT_TRY(FindContents(then, now, threads));
  diff.components = ComponentsOf(then, now);
  PTEEDIT_TRY(ChangeCollector(then, now, diff).Collect(after, threads));
  for (DiffSide* side : {&then, &now}) side->rows = std::vector<DiffRow>();  // the changes say all of them
  SortByGrowth(diff.sizes);
  diff.methods = MethodChanges(before, after, then, now);
  diff.operators = OperatorChanges(then, now);
  diff.meaning = MeaningChanges(before, after, then, now);
  return diff;
}

}  // namespace pteedit
