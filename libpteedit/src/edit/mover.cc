#include "edit/mover.h"

#include <algorithm>

#include "base/checked.h"
#include "base/renumber.h"
#include "edit/segment_hosts.h"
#include "edit/segment_refs.h"
#include "program/container_state.h"
#include "program/file_set.h"
#include "program/layout.h"

namespace pteedit {
namespace {

bool AllStay(const std::vector<BufferUse>& uses) {
  return std::all_of(uses.begin(), uses.end(), [](const BufferUse& use) { return use.wanted; });
}

}  // namespace

Mover::Mover(ProgramModel model) : model_(std::move(model)), alignments_(ShownAlignments(*model_.origin)) {}

uint64_t Mover::AlignmentOfConstant(const Constant& constant) {
  if (constant.store == Store::kInline) return model_.tables.constant_buffer.items[constant.buffer].value.alignment;
  const auto [place, is_new] = part_alignments_.try_emplace({constant.store, constant.part});
  if (is_new) {
    const schema::Program& root = model_.origin->state().program_root();
    const schema::SubsegmentOffsets& part = constant.store == Store::kSegment
                                                ? *root.constant_segment()
                                                : *root.mutable_data_segments()->Get(constant.part);
    place->second = alignments_[part.segment_index()];
    for (const uint64_t offset : *part.offsets()) place->second = AlignmentOf(offset, place->second);
  }
  return place->second;
}

uint64_t Mover::AlignmentOfEntry(size_t entry) const {
  return alignments_[model_.origin->named_data()[entry].segment_index];
}

void Mover::PointOutside(const ConstantUse& use, std::string_view key) {
  tables::EValue& value = model_.tables.execution_plan.items[use.method].values.items[use.value];
  tables::Tensor& tensor = std::get<tables::Tensor>(value.val);
  const BufferStore store = BufferStoreOf(model_.tables, tensor);
  const bool was_inside = store.store != Store::kExternal;
  if (was_inside && !touched_.contains(store))
    touched_.emplace(store, UsesOf(model_.tables, store, BufferCount(store)));
  tensor.data_buffer_idx = 0;
  if (!tensor.extra_tensor_info) tensor.extra_tensor_info.emplace();
  tensor.extra_tensor_info->mutable_data_segments_idx = 0;
  tensor.extra_tensor_info->fully_qualified_name = tables::ViewText(*keys_.insert(key).first);
  tensor.extra_tensor_info->location = tables::kExternalLocation;
  model_.changed = true;
}

void Mover::TakeOutKeys(const std::vector<size_t>& entries) {
  if (entries.empty()) return;
  std::vector<bool> wanted(model_.segments.size(), true), stays(model_.tables.named_data.items.size(), true);
  for (const size_t entry : entries) stays[entry] = wanted[model_.origin->named_data()[entry].segment_index] = false;
  Keep(model_.tables.named_data.items, stays);  // stays present: the runtime crashes on a null vector
  KeepSegments(model_, std::move(wanted));
  model_.changed = true;
}

ProgramModel Mover::Finish() && {
  bool any_mutables = false;
  const SegmentsInside inside(model_.segments);
  for (auto& [store, before] : touched_) {
    const std::vector<BufferUse> uses = UsesAfter(store, std::move(before));
    any_mutables = any_mutables || store.store == Store::kMutable;
    if (store.store == Store::kInline) {
      TakeOutInlineConstants(uses);
    } else if (!AllStay(uses)) {
      tables::SubsegmentOffsets& part = store.store == Store::kSegment
                                            ? *model_.tables.constant_segment
                                            : model_.tables.mutable_data_segments.items[store.part];
      const std::vector<uint64_t> alignments = inside.AlignmentsIn(part);
      Segment& segment = OwnSegment(model_, part);
      RenumberBuffers(model_.tables, store, TakeOutBuffers(part, segment, WithAlignmentsInside(uses, alignments)));
    }
  }
  if (any_mutables) DropEmptyMutables();
  return std::move(model_);
}

size_t Mover::BufferCount(const BufferStore& store) const {
  const tables::Program& program = model_.tables;
  if (store.store == Store::kInline) return program.constant_buffer.items.size();
  if (store.store == Store::kSegment) return program.constant_segment->offsets.size();
  return program.mutable_data_segments.items[store.part].offsets.size();
}

// What is still wanted of what was used `before`. Tensors without bytes may share the buffer of one that moved, and
// stay; so does a buffer that nobody ever read.
std::vector<BufferUse> Mover::UsesAfter(const BufferStore& store, std::vector<BufferUse> before) {
  const std::vector<BufferUse> now = UsesOf(model_.tables, store, before.size());
  for (size_t i = 0; i < before.size(); ++i) before[i].wanted = now[i].wanted || !before[i].wanted;
  return before;
}

void Mover::TakeOutInlineConstants(const std::vector<BufferUse>& uses) {
  RenumberBuffers(model_.tables, {Store::kInline, 0}, Keep(model_.tables.constant_buffer.items, WantedBuffers(uses)));
}

void Mover::DropEmptyMutables() {
  tables::Children<tables::SubsegmentOffsets>& parts = model_.tables.mutable_data_segments;
  const bool any_left = std::any_of(parts.items.begin(), parts.items.end(),
                                    [](const tables::SubsegmentOffsets& part) { return part.offsets.size() > 1; });
  if (any_left) return;
  std::vector<bool> wanted(model_.segments.size(), true);
  for (const tables::SubsegmentOffsets& part : parts.items) {
    if (part.offsets.size() != 0) wanted[part.segment_index] = false;  // without offsets the index means nothing
  }
  parts = {};
  KeepSegments(model_, std::move(wanted));
}

}  // namespace pteedit
