#include <map>
#include <set>
#include <vector>

#include "base/text.h"
#include "inspect/claimed_tree.h"
#include "profile/etdump.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

using namespace etdump;
using Owner = ClaimedTree::Owner;
using Table = FlatTables::Table;

// Walks all of a dump, and claims for each event what only it reaches: its tables, texts and lists. Lists of fields
// are shared by all tables of a kind, so they are nobody's.
class EtdumpMeasure {
 public:
  explicit EtdumpMeasure(const Etdump& dump) : dump_(dump), tables_(dump.Tables()), tree_(dump.source->size()) {
    kinds_[event::kProfile] = tree_.AddComponent("Profile Events");
    kinds_[event::kDebug] = tree_.AddComponent("Debug Events");
    kinds_[event::kAllocation] = tree_.AddComponent("Allocation Events");
    others_ = tree_.AddComponent("Other Tables");
    behind_ = tree_.AddComponent("Unattributed");
  }

  Result<SizeNode> Measure() && {
    const Table root = tables_.Root();
    ClaimTable(others_, root);
    const std::vector<Table> runs = ClaimTables(others_, root, dump::kRuns);
    for (size_t i = 0; i < runs.size(); ++i) MeasureRun(i, runs[i]);
    PTEEDIT_TRY(tables_.status());
    const uint64_t end = dump_.buffer.offset + dump_.buffer.size;
    tree_.SplitGapsAt(end);
    return std::move(tree_).Build([&](Extent gap) { return gap.offset < end ? others_ : behind_; });
  }

 private:
  void MeasureRun(size_t index, Table run) {
    run_name_ = Text("run_", index);
    run_note_ = tables_.GetText(run, run::kName);
    rows_.clear();
    ClaimTable(others_, run);
    ClaimText(others_, run, run::kName);
    for (const Table allocator : ClaimTables(others_, run, run::kAllocators)) {
      ClaimTable(others_, allocator);
      ClaimText(others_, allocator, allocator::kName);
    }
    for (const Table event : ClaimTables(others_, run, run::kEvents)) MeasureEvent(event);
  }

  void MeasureEvent(Table event) {
    for (const auto& [kind, component] : kinds_) {
      const Table inner = tables_.GetTable(event, kind);
      if (!inner) continue;
      const Owner row = RowOf(kind);
      ClaimTable(row, event);
      ClaimTable(row, inner);
      if (kind == event::kProfile) MeasureProfileEvent(row, inner);
      if (kind == event::kDebug) MeasureDebugEvent(row, inner);
    }
  }

  // That of the present run.
  Owner RowOf(FlatTables::Field kind) {
    const auto [place, is_new] = rows_.emplace(kind, Owner());
    if (is_new) {
      SizeRow row = NamedRow(run_name_);
      row.more.Edit().note = run_note_;
      place->second = tree_.AddRow(kinds_.at(kind), std::move(row));
    }
    return place->second;
  }

  void MeasureProfileEvent(Owner row, Table event) {
    ClaimText(row, event, profile_event::kName);
    ClaimText(row, event, profile_event::kDelegateDebugText);
    ClaimVector(row, event, profile_event::kDelegateDebugMetadata, 1);
  }

  void MeasureDebugEvent(Owner row, Table event) {
    ClaimText(row, event, debug_event::kName);
    ClaimText(row, event, debug_event::kDelegateDebugText);
    const Table value = tables_.GetTable(event, debug_event::kValue);
    ClaimTable(row, value);
    for (const FlatTables::Field field : {value::kInt, value::kFloat, value::kDouble, value::kBool, value::kOutput})
      ClaimTable(row, tables_.GetTable(value, field));
    ClaimTensor(row, tables_.GetTable(value, value::kTensor));
    const Table list = tables_.GetTable(value, value::kTensorList);
    ClaimTable(row, list);
    for (const Table tensor : ClaimTables(row, list, tensor_list::kTensors)) ClaimTensor(row, tensor);
  }

  void ClaimTensor(Owner row, Table tensor) {
    ClaimTable(row, tensor);
    ClaimVector(row, tensor, tensor::kSizes, sizeof(int64_t));
    ClaimVector(row, tensor, tensor::kStrides, sizeof(int64_t));
  }

  void ClaimTable(Owner owner, Table table) {
    Claim(owner, tables_.PlaceOf(table));
    const Extent fields = tables_.FieldListOf(table);
    if (fields.size != 0 && field_lists_.insert(fields.offset).second) Claim(others_, fields);
  }

  std::vector<Table> ClaimTables(Owner owner, Table table, FlatTables::Field field) {
    ClaimVector(owner, table, field, sizeof(uint32_t));
    return tables_.GetTables(table, field);
  }

  void ClaimVector(Owner owner, Table table, FlatTables::Field field, uint64_t element_size) {
    Claim(owner, tables_.PlaceOf(tables_.GetVector(table, field, element_size), element_size));
  }

  void ClaimText(Owner owner, Table table, FlatTables::Field field) { Claim(owner, tables_.PlaceOfText(table, field)); }

  void Claim(Owner owner, Extent place) { tree_.Claim(owner, {dump_.buffer.offset + place.offset, place.size}); }

  const Etdump& dump_;
  FlatTables tables_;
  ClaimedTree tree_;
  std::map<FlatTables::Field, Owner> kinds_;  // by field of an event
  Owner others_, behind_;
  std::string run_name_, run_note_;
  std::map<FlatTables::Field, Owner> rows_;  // of the present run, by field of an event
  std::set<uint64_t> field_lists_;
};

}  // namespace

Result<SizeNode> MeasureEtdump(const Etdump& dump) { return EtdumpMeasure(dump).Measure(); }

}  // namespace pteedit
