#include "inspect/table_rows.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "inspect/table_visit.h"
#include "program/container_state.h"
#include "program/extended_header.h"

namespace pteedit {
namespace {

using flatbuffers::ReadScalar;
using flatbuffers::uoffset_t;
using flatbuffers::voffset_t;
using Owner = ClaimedTree::Owner;

constexpr std::string_view kMethods = "execution_plan", kChains = "chains", kStackTraces = "stacktrace";
constexpr size_t kMaxMethods = 1000;  // of more, rows would take many times the memory of the file
constexpr std::string_view kRowsOfMethods[] = {"values", "operators", "delegates"};  // the others are small

class TableRows {
 public:
  TableRows(const Container& file, Extent extent, Owner component, ClaimedTree& tree)
      : file_(file),
        extent_(extent),
        component_(component),
        tree_(tree),
        has_vtable_(static_cast<size_t>(file.tables().size / sizeof(voffset_t))) {}

  void Claim() {
    const FileHeader& header = file_.header();
    const uint64_t extended = header.has_extended_header ? header.extended_header_length : 0;
    ClaimPiece(RowOf(component_, "header"), file_.tables().data, kExtendedHeaderOffset + extended);
    TableVisit(*this).Go(*flatbuffers::GetRoot<flatbuffers::Table>(file_.tables().data), RootTypeOf(file_));
    tree_.Claim(RowOf(component_, "between tables"), extent_);
  }

  bool AtTable(const flatbuffers::Table& table, const flatbuffers::TypeTable&, const TableStep* step) {
    const uint8_t* vtable = table.GetVTable();
    const auto place = static_cast<size_t>(vtable - file_.tables().data) / sizeof(voffset_t);
    if (!has_vtable_[place]) ClaimPiece(RowOf(component_, "vtables"), vtable, ReadScalar<voffset_t>(vtable));
    has_vtable_[place] = true;
    const auto* start = reinterpret_cast<const uint8_t*>(&table);
    // How long it says that it is, which nobody has verified.
    ClaimPiece(step == nullptr ? RowOf(component_, "header") : RowOf(*step), start,
               ReadScalar<voffset_t>(vtable + sizeof(voffset_t)));
    return false;
  }

  bool AtVector(const uint8_t* start, uint32_t count, uint64_t element, const TableStep& step) {
    ClaimPiece(RowOf(step), start, sizeof(uoffset_t) + count * element);
    return false;
  }

  bool AtString(const uint8_t* start, uint64_t size, const TableStep& step) {
    const Steps way = StepsOf(&step);
    ClaimPiece(way.is_trace ? RowOf(step) : RowOf(IsMethod(way) ? MethodOf(way) : component_, "strings"), start, size);
    return false;
  }

 private:
  // The first steps from the root, as far as there are any.
  struct Steps {
    const TableStep* root = nullptr;
    const TableStep* second = nullptr;
    bool is_trace = false;  // in a stack trace
  };

  static Steps StepsOf(const TableStep* step) {
    Steps steps;
    for (; step != nullptr; step = step->before) {
      steps.second = std::exchange(steps.root, step);
      steps.is_trace = steps.is_trace || step->field == kStackTraces;
    }
    return steps;
  }

  // What is in one, and not only in the list of them.
  static bool IsMethod(const Steps& steps) { return steps.root->field == kMethods && steps.root->index.has_value(); }

  Owner RowOf(const TableStep& step) {
    const Steps steps = StepsOf(&step);
    if (!IsMethod(steps)) return RowOf(component_, steps.root->field == kMethods ? "header" : steps.root->field);
    const Owner method = MethodOf(steps);
    if (steps.is_trace) return RowOf(method, "stack traces");
    const std::string_view field = steps.second == nullptr ? "" : steps.second->field;
    if (field == kChains) return RowOf(method, "instructions");
    return RowOf(method, std::ranges::count(kRowsOfMethods, field) != 0 ? field : "fields");
  }

  Owner MethodOf(const Steps& steps) {
    const uint32_t index = *steps.root->index;
    const auto [place, is_new] = methods_.emplace(index, 0);
    if (is_new) {
      const schema::ExecutionPlan& plan = *file_.state().program_root().execution_plan()->Get(index);
      place->second = tree_.AddRow(component_, Text(kMethodRow, ViewOf(plan.name())));
      tree_.NoteUser(place->second);
    }
    return place->second;
  }

  Owner RowOf(Owner parent, std::string_view name) {
    const auto found = rows_.find(std::pair(parent, name));
    if (found != rows_.end()) return found->second;
    return rows_.emplace(std::pair(parent, name), tree_.AddRow(parent, std::string(name))).first->second;
  }

  void ClaimPiece(Owner row, const uint8_t* start, uint64_t size) {
    const auto offset = static_cast<uint64_t>(start - file_.tables().data);
    const uint64_t end = extent_.offset + extent_.size;
    tree_.Claim(row, {std::min(offset, end), std::min(size, end - std::min(offset, end))});
  }

  const Container& file_;
  const Extent extent_;
  const Owner component_;
  ClaimedTree& tree_;
  std::vector<bool> has_vtable_;  // by place, which is even: that it is claimed
  std::map<uint32_t, Owner> methods_;
  std::map<std::pair<Owner, std::string_view>, Owner> rows_;  // by names of fields, which stay, and words of ours
};

}  // namespace

const flatbuffers::TypeTable& RootTypeOf(const Container& file) {
  if (file.kind() == FileKind::kProgram) return *schema::Program::MiniReflectTypeTable();
  if (file.kind() == FileKind::kBundle) return *schema::bundle::BundledProgram::MiniReflectTypeTable();
  if (file.header().layout_06) return *schema::flat06::FlatTensor::MiniReflectTypeTable();
  return *schema::flat::FlatTensor::MiniReflectTypeTable();
}

void ClaimTableRows(const Container& file, Extent extent, ClaimedTree::Owner component, ClaimedTree& tree) {
  const bool is_program = file.kind() == FileKind::kProgram;
  if (is_program && OrEmpty(file.state().program_root().execution_plan()).size() > kMaxMethods)
    return tree.ClaimWhole(component, extent);
  TableRows(file, extent, component, tree).Claim();
  tree.RowOf(component).place = extent;
}

}  // namespace pteedit
