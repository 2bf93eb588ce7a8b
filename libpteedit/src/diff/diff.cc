#include "pteedit/diff.h"

#include <algorithm>
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
#include "pteedit/try.h"

namespace pteedit {
namespace {

std::vector<ComponentChange> ComponentsOf(const DiffSide& before, const DiffSide& after) {
  std::map<uint8_t, ComponentChange> sums;
  for (const DiffRow& row : before.rows) sums[row.component].old_bytes += row.bytes;
  for (const DiffRow& row : after.rows) sums[row.component].new_bytes += row.bytes;
  std::vector<ComponentChange> components;
  for (const auto& [component, sum] : sums)
    components.push_back({std::string(kDiffComponents[component]), sum.old_bytes, sum.new_bytes});
  return components;
}

// The rows that changed, and how many of each kind there are.
class ChangeCollector {
 public:
  ChangeCollector(const DiffSide& before, const DiffSide& after, FileDiff& diff)
      : before_(before), after_(after), diff_(diff) {
    for (const std::string_view component : kDiffComponents) components_.emplace_back(std::string(component));
  }

  Status Collect(const ProgramSet& after, unsigned threads) {
    FindChanged(MatchRows(before_, after_));
    AddChanges(UsesOfWeights(after));
    return CompareContents(threads);
  }

 private:
  static constexpr uint32_t kNone = DiffRow::kNone;

  // One is kNone where a row is added or removed.
  struct Pair {
    uint32_t then = kNone;
    uint32_t now = kNone;
  };

  // What both sides have alike, or not.
  struct Comparison {
    bool has_place = false, same_content = false, moved = false, renamed = false;
    bool says_the_same = false;
  };

  const DiffRow* Then(const Pair& pair) const { return pair.then != kNone ? &before_.rows[pair.then] : nullptr; }
  const DiffRow* Now(const Pair& pair) const { return pair.now != kNone ? &after_.rows[pair.now] : nullptr; }

  void FindChanged(const RowMatches& matches) {
    const auto note = [&](Pair pair) {
      const DiffRow *then = Then(pair), *now = Now(pair);
      const bool is_in_both = then != nullptr && now != nullptr;
      const Comparison found = is_in_both ? Compare(*then, *now) : Comparison();
      if (!CountPair(then, now, found)) return;
      const bool has_elements = is_in_both && (now->is_weight() || now->is_delegate());
      if (has_elements && found.has_place && !found.same_content)
        compared_.push_back(static_cast<uint32_t>(changed_.size()));
      changed_.push_back(pair);
    };
    for (uint32_t i = 0; i < after_.rows.size(); ++i) note({matches.old_of[i], i});
    for (uint32_t i = 0; i < before_.rows.size(); ++i) {
      if (!matches.is_taken[i]) note({i, kNone});
    }
  }

  // Who reads what is another weight now, in the order of the changes.
  WeightUses UsesOfWeights(const ProgramSet& after) const {
    std::vector<const DiffRow*> weights;
    for (const uint32_t i : compared_) {
      if (Now(changed_[i])->is_weight()) weights.push_back(Now(changed_[i]));
    }
    return {after, after_, weights};
  }

  void AddChanges(const WeightUses& uses) {
    diff_.sizes.reserve(changed_.size());
    for (const Pair& pair : changed_) diff_.sizes.push_back(ChangeOf(pair));
    size_t weight = 0;
    for (const uint32_t i : compared_) {
      SizeChange& change = diff_.sizes[i];
      if (!change.is_weight) continue;
      Uses found = uses.Of(weight++);
      if (found.count != 0) change.used_by.Edit() = std::move(found.first);
      change.uses = found.count;
    }
  }

  const SharedText& TypeOf(const DiffRow& row) {
    static const SharedText kNoType;
    if (row.type == nullptr) return kNoType;
    SharedText& text = types_[row.type];
    if (text.empty()) text = row.type->Text();
    return text;
  }

  void Count(const DiffRow& row, uint64_t MatchCounts::*count) {
    if (row.is_delegate()) ++(diff_.delegates.*count);
    if (row.is_weight()) ++(diff_.weights.*count);
  }

  bool AreAlikeDelegates(const DiffRow& then, const DiffRow& now) const {
    return then.is_delegate() && now.is_delegate() && AreAlike(*before_.DelegateOf(then), *after_.DelegateOf(now));
  }

  static Comparison Compare(const DiffRow& then, const DiffRow& now) {
    Comparison found;
    found.has_place = then.has_place() && now.has_place();
    found.same_content = then.has_place() == now.has_place() && (!found.has_place || then.content == now.content);
    found.moved = then.component != now.component;
    // What only counts, or tells the bytes, is no name to be changed; a name that is lost or given is.
    found.renamed = then.name != now.name && (then.has_given_name || now.has_given_name);
    const bool same_type = then.type == nullptr || now.type == nullptr || then.type->Text() == now.type->Text();
    found.says_the_same = found.same_content && (found.moved || same_type);
    return found;
  }

  // Whether it is a change.
  bool CountPair(const DiffRow* then, const DiffRow* now, const Comparison& found) {
    if (then == nullptr || now == nullptr) {
      Count(now != nullptr ? *now : *then, now != nullptr ? &MatchCounts::added : &MatchCounts::removed);
      return true;
    }
    Count(*now, found.says_the_same              ? &MatchCounts::same
                : AreAlikeDelegates(*then, *now) ? &MatchCounts::alike
                                                 : &MatchCounts::changed);
    return !found.says_the_same || found.moved || found.renamed || then->bytes != now->bytes;
  }

  SizeChange ChangeOf(const Pair& pair) {
    const DiffRow *then = Then(pair), *now = Now(pair), &shown = now != nullptr ? *now : *then;
    SizeChange change;
    change.change = then == nullptr ? "added" : "removed";
    change.what = components_[shown.component], change.name = shown.name;
    change.is_weight = shown.is_weight();
    change.module_length = shown.module_length;
    if (then != nullptr) change.old_bytes = then->bytes, change.old_type = TypeOf(*then);
    if (now != nullptr) change.new_bytes = now->bytes, change.new_type = TypeOf(*now);
    if (then != nullptr && now != nullptr) NoteBoth(*then, *now, change);
    return change;
  }

  void NoteBoth(const DiffRow& then, const DiffRow& now, SizeChange& change) {
    const Comparison found = Compare(then, now);
    const bool has_moved = found.says_the_same && (found.moved || found.renamed);
    change.change = !has_moved ? "changed" : found.moved ? "moved" : "renamed";
    if (found.moved || then.name != now.name)
      change.old_what = components_[then.component], change.old_name.Edit() = then.name;
    change.same_content = found.same_content;
  }

  Status CompareContents(unsigned threads) {
    return ParallelFor(compared_.size(), threads, [&](size_t i) -> Status {
      const auto &then = *Then(changed_[compared_[i]]), &now = *Now(changed_[compared_[i]]);
      PTEEDIT_ASSIGN(const std::optional<ElementChange> found,
                     CompareElements(ContentOf(before_, then, now), ContentOf(after_, now, then)));
      if (found) diff_.sizes[compared_[i]].elements = *found;
      return {};
    });
  }

  // What is as many bytes as the other side, and of a type that is known only there, is read like that.
  static TypedContent ContentOf(const DiffSide& side, const DiffRow& row, const DiffRow& other) {
    const bool is_like_other = row.type == nullptr && row.place.size == other.place.size;
    const WeightType* type = is_like_other ? other.type : row.type;
    return {side.ContentOf(row), type != nullptr ? type->scalar_type : std::nullopt};
  }

  const DiffSide& before_;
  const DiffSide& after_;
  FileDiff& diff_;
  std::vector<SharedText> components_;
  std::map<const WeightType*, SharedText> types_;
  std::vector<Pair> changed_;       // by change
  std::vector<uint32_t> compared_;  // changes of which both contents are compared, element by element
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
