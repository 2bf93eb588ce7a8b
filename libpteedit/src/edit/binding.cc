#include "edit/binding.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "base/checked.h"
#include "base/text.h"
#include "edit/plan.h"
#include "edit/segment_refs.h"
#include "edit/value_refs.h"
#include "program/binding_key.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

bool IsBindingValue(const tables::EValue& value) {
  const auto* tensor = std::get_if<tables::Tensor>(&value.val);
  if (tensor == nullptr || !tensor->extra_tensor_info || tensor->allocation_info) return false;
  const tables::ExtraTensorInfo& extra = *tensor->extra_tensor_info;
  if (extra.location != tables::kExternalLocation || !IsBindingKey(ViewOf(extra.fully_qualified_name))) return false;
  const std::vector<int32_t> sizes(tensor->sizes.begin(), tensor->sizes.end());
  const std::vector<uint8_t> dim_order(tensor->dim_order.begin(), tensor->dim_order.end());
  return TensorLayout{tensor->scalar_type, sizes, dim_order} == BindingLayout();
}

// Values from this one on are referred to by nothing.
size_t EndOfReferred(tables::ExecutionPlan& plan) {
  const auto count = static_cast<int64_t>(plan.values.items.size());
  int64_t end = 0;
  const auto count_in = [&](int64_t index) { end = std::max(end, std::min(index, count - 1) + 1); };
  const auto look = [&](const auto& field) {
    if constexpr (std::is_arithmetic_v<std::decay_t<decltype(field)>>) {
      count_in(field);
    } else {
      for (const auto index : field) count_in(index);
    }
  };
  ForEachValueRef(plan, look);
  for (tables::EValue& value : plan.values.items) ForEachItemRef(value, look);
  return static_cast<size_t>(end);
}

// Of the values that bind, the first.
size_t EndOfOthers(tables::ExecutionPlan& plan) {
  size_t end = plan.values.items.size();
  if (end == 0 || !IsBindingValue(plan.values.items.back())) return end;
  const size_t referred = EndOfReferred(plan);
  while (end > referred && IsBindingValue(plan.values.items[end - 1])) --end;
  return end;
}

tables::EValue ValueFor(const tables::Text& key) {
  const TensorLayout layout = BindingLayout();
  tables::Tensor tensor;
  tensor.scalar_type = layout.scalar_type;
  tensor.sizes = tables::Vector<int32_t>::Own(layout.sizes);
  tensor.dim_order = tables::Vector<uint8_t>::Own(layout.dim_order);
  tensor.extra_tensor_info.emplace();
  tensor.extra_tensor_info->fully_qualified_name = key;
  tensor.extra_tensor_info->location = tables::kExternalLocation;
  return {std::move(tensor)};
}

void DropBindings(DataModel& model) {
  std::vector<tables::DataEntry>& entries = model.tables.named_data.items;
  const std::vector<NamedEntry>& named = model.origin->named_data();
  std::vector<bool> stays(entries.size(), true), wanted(model.segments.size(), true);
  for (size_t i = 0; i < entries.size(); ++i) {
    if (IsBindingEntry(named[i])) stays[i] = wanted[entries[i].segment_index] = false;
  }
  Keep(entries, stays);
  KeepSegments(model, std::move(wanted));
}

void AddBinding(DataModel& model, const std::string& key) {
  const TensorLayout layout = BindingLayout();
  tables::DataEntry entry{tables::OwnText(key), static_cast<uint32_t>(model.segments.size()), {}};
  entry.tensor_layout = tables::Layout{layout.scalar_type, tables::Vector<int32_t>::Own(layout.sizes),
                                       tables::Vector<uint8_t>::Own(layout.dim_order)};
  std::vector<tables::DataEntry>& entries = model.tables.named_data.items;
  model.segments.reserve(model.segments.size() + 1);  // and not twice as many
  entries.reserve(entries.size() + 1);
  model.segments.emplace_back();
  entries.push_back(std::move(entry));
  model.changed = true;
}

void KeepPlaces(const Container& file, DataModel& model) {
  model.segment_base = file.header().segment_base_offset;
  for (size_t i = 0; i < model.segments.size(); ++i) {
    Segment& segment = model.segments[i];
    segment.least_place = PlaceBehindBase(file, file.segments()[i].offset);
    segment.alignment = AlignmentOf(segment.least_place, segment.alignment);
  }
}

Result<Container> Opened(PlannedFile file) { return Container::Open(std::move(file).AsSource("planned")); }

// A key as long as any, that no file has.
std::string ForetoldKey() { return Text(kBindingPrefix, std::string(kBindingIdDigits, '0')); }

Result<BoundData> PlanWithBinding(const Container& opened, std::string key, uint64_t min_alignment, Places places) {
  PTEEDIT_ASSIGN(DataModel model, ReadDataModel(opened));
  if (places == Places::kKept) KeepPlaces(opened, model);
  DropBindings(model);
  AddBinding(model, key);
  PTEEDIT_ASSIGN(const PlannedFile bound, PlanFile(model, min_alignment));
  return BoundData{Unfolded(bound), std::move(key)};
}

}  // namespace

std::vector<std::string_view> BindingsOf(tables::ExecutionPlan& plan) {
  std::vector<std::string_view> keys;
  for (size_t i = EndOfOthers(plan); i < plan.values.items.size(); ++i)
    keys.push_back(ViewOf(std::get<tables::Tensor>(plan.values.items[i].val).extra_tensor_info->fully_qualified_name));
  return keys;
}

void TakeOutBindings(tables::Program& program) {
  for (tables::ExecutionPlan& plan : program.execution_plan.items) plan.values.items.resize(EndOfOthers(plan));
}

void SetBindings(ProgramModel& model, const std::vector<std::string>& keys) {
  std::vector<tables::Text> texts;
  for (const std::string& key : keys) texts.push_back(tables::OwnText(key));
  for (tables::ExecutionPlan& plan : model.tables.execution_plan.items) {
    const std::vector<std::string_view> now = BindingsOf(plan);
    if (std::equal(now.begin(), now.end(), keys.begin(), keys.end())) continue;
    plan.values.items.resize(plan.values.items.size() - now.size());
    plan.values.present = true;
    for (const tables::Text& key : texts) plan.values.items.push_back(ValueFor(key));
    model.changed = true;
  }
}

Result<BoundData> PlanBoundData(PlannedFile data, uint64_t min_alignment, unsigned threads, Places places) {
  PTEEDIT_ASSIGN(const Container opened, Opened(std::move(data)));
  PTEEDIT_ASSIGN(std::string key, BindingKeyOf(opened, threads));
  return PlanWithBinding(opened, std::move(key), min_alignment, places);
}

Result<BoundData> ForetellBoundData(PlannedFile data, uint64_t min_alignment) {
  PTEEDIT_ASSIGN(const Container opened, Opened(std::move(data)));
  return PlanWithBinding(opened, ForetoldKey(), min_alignment, Places::kAnew);
}

Result<std::optional<BoundData>> BindAnew(const PlannedFile& data, uint64_t min_alignment, unsigned threads,
                                          RewriteReport& report) {
  PTEEDIT_ASSIGN(const Container opened, Opened(data));
  const std::vector<std::string_view> keys = BindingsIn(opened);
  if (keys.empty()) return std::optional<BoundData>();
  PTEEDIT_ASSIGN(BoundData bound, PlanBoundData(data, min_alignment, threads));
  if (keys.size() == 1 && keys.front() == bound.key) return std::optional<BoundData>();
  report.notes.push_back(Text("key ", Quoted(keys.front()), ", to which programs are bound, becomes ",
                              Quoted(bound.key), ": those refuse the changed file"));
  return std::optional(std::move(bound));
}

Result<uint64_t> SizeWhenBound(const PlannedFile& data, Bind bind, uint64_t min_alignment, Places places) {
  if (bind == Bind::kNever) return data.size();
  PTEEDIT_ASSIGN(const Container opened, Opened(data));
  const bool may_be_bound =
      std::any_of(opened.named_data().begin(), opened.named_data().end(),
                  [&](const NamedEntry& entry) { return AsksToBind(entry, bind == Bind::kWhereNames); });
  if (!may_be_bound) return data.size();
  PTEEDIT_ASSIGN(const BoundData bound, PlanWithBinding(opened, ForetoldKey(), min_alignment, places));
  return bound.file.size();
}

Result<PlannedFile> PlanBoundProgram(const PlannedFile& program, const std::vector<std::string>& keys,
                                     uint64_t min_alignment) {
  PTEEDIT_ASSIGN(const Container opened, Opened(program));
  PTEEDIT_ASSIGN(ProgramModel model, ReadProgramModel(opened));
  SetBindings(model, keys);
  PTEEDIT_ASSIGN(const PlannedFile bound, PlanFile(model, min_alignment));
  return Unfolded(bound);
}

Result<PlannedFile> PlanUnbound(const Container& file, Places places) {
  if (file.kind() == FileKind::kData) {
    PTEEDIT_ASSIGN(DataModel model, ReadDataModel(file));
    if (places == Places::kKept) KeepPlaces(file, model);
    DropBindings(model);
    model.changed = true;
    return PlanFile(model);
  }
  PTEEDIT_ASSIGN(ProgramModel model, ReadProgramModel(file));
  SetBindings(model, {});
  return PlanFile(model);
}

Status CheckShardSize(uint64_t bytes, const std::optional<uint64_t>& most, const std::string& name) {
  if (!most || bytes <= *most) return {};
  return InvalidArgument(Text("takes ", bytes, " bytes with what programs are bound to, at most ", *most, " wanted"))
      .In(name);
}

Result<bool> IsToBind(Bind bind, const Container& program, const Container& data) {
  if (bind == Bind::kNever) return false;
  return RefersTo(program, data, bind == Bind::kWhereNames);
}

Result<std::optional<std::string>> KeyOfKept(const Container& data, Bind bind, unsigned threads,
                                             RewriteReport& report) {
  const std::vector<std::string_view> keys = BindingsIn(data);
  std::string why = "has no key to which programs can be bound";
  if (!keys.empty()) {
    PTEEDIT_ASSIGN(std::string right, BindingKeyOf(data, threads));
    if (std::find(keys.begin(), keys.end(), right) != keys.end()) return std::optional(std::move(right));
    why = Text("was changed after programs were bound to it: its key ", Quoted(keys.front()), " should be ",
               Quoted(right));
  }
  why += ", and stays as it is";
  if (bind == Bind::kAlways) return InvalidArgument(why).In(data.name());
  std::string note = Text(data.name(), " ", why, "; no runtime will notice another file in its place");
  if (std::find(report.notes.begin(), report.notes.end(), note) == report.notes.end())
    report.notes.push_back(std::move(note));
  return std::optional<std::string>();
}

bool IsCopyOf(const PlannedFile& file, const Source& whole) {
  const PlannedPiece* piece = file.only_piece();
  return piece != nullptr && piece->source.get() == &whole && file.size() == whole.size();
}

}  // namespace pteedit
