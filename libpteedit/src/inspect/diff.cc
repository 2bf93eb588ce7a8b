#include "pteedit/diff.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "io/content_index.h"
#include "pteedit/delegates.h"
#include "pteedit/describe.h"
#include "pteedit/sizes.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

struct Row {
  std::string what, name;
  uint64_t bytes = 0;
  std::optional<Extent> place;
  std::shared_ptr<const Source> source;
  size_t content = 0;  // equal for equal bytes, where there is a place
};

// Leaves that bytes are attributed to: rows, and components without rows. Of a bundle those of the program inside too.
void AddRows(const std::vector<SizeNode>& components, std::vector<Row>& rows) {
  for (const SizeNode& component : components) {
    if (component.name == "Program") {
      AddRows(component.components, rows);
    } else if (component.components.empty()) {
      rows.push_back({component.name, component.name, component.size, component.place, nullptr});
    } else {
      for (const SizeNode& row : component.components)
        rows.push_back({component.name, row.name, row.size, row.place, nullptr});
    }
  }
}

Status AddRows(const Container& file, std::vector<Row>& rows) {
  PTEEDIT_ASSIGN(const SizeNode sizes, MeasureSizes(file));
  const size_t first = rows.size();
  AddRows(sizes.components, rows);
  for (size_t i = first; i < rows.size(); ++i) rows[i].source = file.source();
  return {};
}

Result<std::vector<Row>> RowsOf(const ProgramSet& side) {
  std::vector<Row> rows;
  PTEEDIT_TRY(AddRows(side.file(), rows));
  for (const Container& data : side.data()) PTEEDIT_TRY(AddRows(data, rows));
  return rows;
}

Status FindContents(std::vector<Row>& old_rows, std::vector<Row>& new_rows, unsigned threads) {
  std::vector<ContentPlace> places;
  std::vector<Row*> owners;
  for (std::vector<Row>* rows : {&old_rows, &new_rows}) {
    for (Row& row : *rows) {
      if (!row.place) continue;
      places.push_back({row.source, *row.place});
      owners.push_back(&row);
    }
  }
  PTEEDIT_ASSIGN(const std::vector<size_t> first, GroupByContent(places, threads));
  for (size_t i = 0; i < owners.size(); ++i) owners[i]->content = first[i];
  return {};
}

class RowMatcher {
 public:
  RowMatcher(const std::vector<Row>& old_rows, const std::vector<Row>& new_rows)
      : old_(old_rows), new_(new_rows), old_of_(new_rows.size()), is_taken_(old_rows.size()) {}

  std::vector<SizeChange> Changes() {
    const auto name = [](const Row& row) { return std::pair(row.what, row.name); };
    Match([&](const Row& row) { return std::optional(name(row)); });
    Match([](const Row& row) { return Content(row, row.what); });
    Match([](const Row& row) { return Content(row, ""); });
    std::vector<SizeChange> changes;
    for (size_t i = 0; i < new_.size(); ++i) AddChange(i, changes);
    for (size_t i = 0; i < old_.size(); ++i) {
      if (!is_taken_[i]) changes.push_back({"removed", old_[i].what, old_[i].name, {}, {}, old_[i].bytes, 0});
    }
    std::stable_sort(changes.begin(), changes.end(), [](const SizeChange& a, const SizeChange& b) {
      const auto growth = [](const SizeChange& one) { return static_cast<int64_t>(one.new_bytes - one.old_bytes); };
      return std::tuple(-growth(a), a.what, a.name) < std::tuple(-growth(b), b.what, b.name);
    });
    return changes;
  }

 private:
  // Nothing for what has no bytes of its own that could tell it from others.
  static std::optional<std::pair<std::string, size_t>> Content(const Row& row, const std::string& what) {
    if (!row.place || row.place->size == 0) return std::nullopt;
    return std::pair(what, row.content);
  }

  // Of those that are left, the first of the old ones goes with the first of the new ones that has the same key.
  template <class KeyOf>
  void Match(KeyOf key_of) {
    using Key = typename decltype(key_of(old_[0]))::value_type;
    std::map<Key, std::vector<size_t>> left;
    for (size_t i = old_.size(); i-- > 0;) {
      if (is_taken_[i]) continue;
      if (const auto key = key_of(old_[i])) left[*key].push_back(i);
    }
    for (size_t i = 0; i < new_.size(); ++i) {
      if (old_of_[i]) continue;
      const auto key = key_of(new_[i]);
      const auto found = key ? left.find(*key) : left.end();
      if (found == left.end() || found->second.empty()) continue;
      old_of_[i] = found->second.back();
      is_taken_[found->second.back()] = true;
      found->second.pop_back();
    }
  }

  void AddChange(size_t index, std::vector<SizeChange>& changes) const {
    const Row& now = new_[index];
    if (!old_of_[index]) return changes.push_back({"added", now.what, now.name, {}, {}, 0, now.bytes});
    const Row& then = old_[*old_of_[index]];
    if (now.what != then.what || now.name != then.name) {
      return changes.push_back({"renamed", now.what, now.name, then.what, then.name, then.bytes, now.bytes});
    }
    const bool same_bytes =
        now.place.has_value() == then.place.has_value() && (!now.place || now.content == then.content);
    if (same_bytes && now.bytes == then.bytes) return;
    changes.push_back({"changed", now.what, now.name, {}, {}, then.bytes, now.bytes});
  }

  const std::vector<Row>& old_;
  const std::vector<Row>& new_;
  std::vector<std::optional<size_t>> old_of_;  // by new row
  std::vector<bool> is_taken_;                 // by old row
};

std::vector<MethodChange> MethodChanges(const Description& before, const Description& after) {
  std::map<std::string, std::pair<const MethodDescription*, const MethodDescription*>> methods;
  for (const MethodDescription& method : before.methods) methods[method.name].first = &method;
  for (const MethodDescription& method : after.methods) methods[method.name].second = &method;
  std::vector<MethodChange> changes;
  for (const auto& [name, pair] : methods) {
    const auto [then, now] = pair;
    MethodChange change{then == nullptr ? "added" : now == nullptr ? "removed" : "changed", name};
    if (then != nullptr) change.old_instructions = then->instructions, change.old_planned_bytes = then->planned_bytes;
    if (now != nullptr) change.new_instructions = now->instructions, change.new_planned_bytes = now->planned_bytes;
    const bool is_same = then != nullptr && now != nullptr && then->instructions == now->instructions &&
                         then->planned_bytes == now->planned_bytes;
    if (!is_same) changes.push_back(std::move(change));
  }
  return changes;
}

// By delegate, empty for instructions, and operator.
using Calls = std::map<std::pair<std::string, std::string>, std::pair<uint64_t, uint64_t>>;

std::vector<OperatorChange> OperatorChanges(const Description& before, const Description& after,
                                            const std::vector<DelegateDescription>& old_delegates,
                                            const std::vector<DelegateDescription>& new_delegates) {
  Calls calls;
  for (const OperatorDescription& op : before.operators) calls[{"", op.name}].first = op.calls;
  for (const OperatorDescription& op : after.operators) calls[{"", op.name}].second = op.calls;
  std::map<std::string, const DelegateDescription*> by_name;
  for (const DelegateDescription& delegate : old_delegates) by_name.emplace(delegate.name, &delegate);
  for (const DelegateDescription& now : new_delegates) {
    const auto then = by_name.find(now.name);
    if (then == by_name.end() || !now.decoded || !then->second->decoded) continue;
    for (const std::string& op : then->second->operators) ++calls[{now.name, op}].first;
    for (const std::string& op : now.operators) ++calls[{now.name, op}].second;
  }
  std::vector<OperatorChange> changes;
  for (const auto& [place, counts] : calls) {
    if (counts.first != counts.second) changes.push_back({place.first, place.second, counts.first, counts.second});
  }
  return changes;
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
  PTEEDIT_ASSIGN(std::vector<Row> old_rows, RowsOf(before));
  PTEEDIT_ASSIGN(std::vector<Row> new_rows, RowsOf(after));
  PTEEDIT_TRY(FindContents(old_rows, new_rows, threads));
  diff.sizes = RowMatcher(old_rows, new_rows).Changes();
  const Description then = Describe(before.file());
  const Description now = Describe(after.file());
  diff.methods = MethodChanges(then, now);
  PTEEDIT_ASSIGN(const std::vector<DelegateDescription> old_delegates, DescribeDelegates(before, decoders));
  PTEEDIT_ASSIGN(const std::vector<DelegateDescription> new_delegates, DescribeDelegates(after, decoders));
  diff.operators = OperatorChanges(then, now, old_delegates, new_delegates);
  return diff;
}

}  // namespace pteedit
