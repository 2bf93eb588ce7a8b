#include "mover.h"

#include <algorithm>

#include "checked.h"
#include "container_state.h"
#include "file_set.h"
#include "layout.h"
#include "segment_refs.h"

namespace pteedit {
namespace {

constexpr int8_t kExternalLocation = 1;

uint32_t MutablePartOf(const schema::Tensor& tensor) {
  const schema::ExtraTensorInfo* extra = tensor.extra_tensor_info();
  return extra == nullptr ? 0 : static_cast<uint32_t>(extra->mutable_data_segments_idx());
}

bool AllStay(const std::vector<BufferUse>& uses) {
  return std::all_of(uses.begin(), uses.end(), [](const BufferUse& use) { return use.wanted; });
}

}  // namespace

Mover::Mover(ProgramModel model) : model_(std::move(model)), alignments_(ShownAlignments(model_.origin)) {}

uint64_t Mover::AlignmentOfConstant(const Constant& constant) {
  if (constant.store == Store::kInline) return model_.tables.constant_buffer.items[constant.buffer].value.alignment;
  const auto [place, is_new] = part_alignments_.try_emplace({constant.store, constant.part});
  if (is_new) {
    const schema::Program& root = model_.origin.state().program_root();
    const schema::SubsegmentOffsets& part = constant.store == Store::kSegment
                                                ? *root.constant_segment()
                                                : *root.mutable_data_segments()->Get(constant.part);
    place->second = alignments_[part.segment_index()];
    for (const uint64_t offset : *part.offsets()) place->second = AlignmentOf(offset, place->second);
  }
  return place->second;
}

uint64_t Mover::AlignmentOfEntry(size_t entry) const {
  return alignments_[model_.origin.named_data()[entry].segment_index];
}

const tables::Text& Mover::TextOf(const std::string& key) {
  const auto [place, is_new] = texts_.try_emplace(key);
  if (is_new) place->second = tables::OwnText(key);
  return place->second;
}

void Mover::PointOutside(const ConstantUse& use, const std::string& key) {
  const schema::Program& root = model_.origin.state().program_root();
  const auto& values = *root.execution_plan()->Get(static_cast<flatbuffers::uoffset_t>(use.method))->values();
  const schema::Tensor& old = *values.Get(static_cast<flatbuffers::uoffset_t>(use.value))->val_as_Tensor();
  if (StoreOf(root, old) == Store::kMutable) touched_mutables_.insert(MutablePartOf(old));
  touched_constants_ = true;
  tables::Tensor& tensor = TensorOf(use.method, use.value);
  tensor.data_buffer_idx = 0;
  if (!tensor.extra_tensor_info) tensor.extra_tensor_info.emplace();
  tensor.extra_tensor_info->mutable_data_segments_idx = 0;
  tensor.extra_tensor_info->fully_qualified_name = TextOf(key);
  tensor.extra_tensor_info->location = kExternalLocation;
  model_.changed = true;
}

void Mover::TakeOutKeys(const std::vector<size_t>& entries) {
  if (entries.empty()) return;
  std::vector<bool> unwanted(model_.segments.size());
  std::vector<bool> moved(model_.tables.named_data.items.size());
  for (const size_t entry : entries) {
    moved[entry] = unwanted[model_.origin.named_data()[entry].segment_index] = true;
  }
  std::vector<tables::NamedData> kept;
  for (size_t i = 0; i < moved.size(); ++i) {
    if (!moved[i]) kept.push_back(std::move(model_.tables.named_data.items[i]));
  }
  model_.tables.named_data.items = std::move(kept);  // stays present: the runtime crashes on a null vector
  RemoveSegments(model_, std::move(unwanted));
  model_.changed = true;
}

ProgramModel Mover::Finish() && {
  if (touched_constants_) TakeOutConstants();
  TakeOutMutables();
  return std::move(model_);
}

tables::Tensor& Mover::TensorOf(size_t method, size_t value) {
  return std::get<tables::Tensor>(model_.tables.execution_plan.items[method].values.items[value].val);
}

// Of a tensor that was inside before.
bool Mover::IsOutside(size_t method, size_t value) const {
  const tables::EValue& now = model_.tables.execution_plan.items[method].values.items[value];
  const auto& extra = std::get<tables::Tensor>(now.val).extra_tensor_info;
  return extra && extra->location == kExternalLocation;
}

bool Mover::IsIn(Store store, uint32_t part, const schema::Tensor& tensor) const {
  if (StoreOf(model_.origin.state().program_root(), tensor) != store) return false;
  return store != Store::kMutable || part == MutablePartOf(tensor);
}

// By buffer: whether anything still reads it, and how far. One that nobody ever read stays.
std::vector<BufferUse> Mover::UsesOf(Store store, uint32_t part, size_t count) const {
  std::vector<BufferUse> uses(count);
  std::vector<bool> sized(count), unsized(count), left(count), kept(count);  // by some tensor that reads it
  ForEachTensor(model_.origin.state().program_root(), [&](size_t method, size_t value, const schema::Tensor& tensor) {
    if (!IsIn(store, part, tensor)) return;
    const uint32_t buffer = tensor.data_buffer_idx();
    const std::optional<uint64_t> bytes = ByteSize(LayoutOf(tensor));
    (bytes ? sized : unsized)[buffer] = true;
    (IsOutside(method, value) ? left : kept)[buffer] = true;
    uses[buffer].known_bytes = std::max(uses[buffer].known_bytes, bytes.value_or(0));
  });
  for (size_t i = 0; i < count; ++i) {
    uses[i].sized = sized[i] && !unsized[i];
    uses[i].wanted = kept[i] || !left[i];  // tensors without bytes may share the buffer of one that moved, and stay
  }
  return uses;
}

void Mover::TakeOutConstants() {
  const bool has_segment = model_.tables.constant_segment && model_.tables.constant_segment->offsets.size() != 0;
  if (!has_segment) return TakeOutInlineConstants();
  tables::SubsegmentOffsets& part = *model_.tables.constant_segment;
  const std::vector<BufferUse> uses = UsesOf(Store::kSegment, 0, part.offsets.size());
  if (!AllStay(uses)) Renumber(Store::kSegment, 0, TakeOutBuffers(part, OwnSegment(model_, part), uses));
}

void Mover::TakeOutInlineConstants() {
  std::vector<tables::InlineBytes>& buffers = model_.tables.constant_buffer.items;
  const std::vector<BufferUse> uses = UsesOf(Store::kInline, 0, buffers.size());
  std::vector<tables::InlineBytes> kept;
  std::vector<uint32_t> renumbered;
  for (size_t i = 0; i < buffers.size(); ++i) {
    renumbered.push_back(static_cast<uint32_t>(kept.size()));
    if (uses[i].wanted || i == 0) kept.push_back(std::move(buffers[i]));
  }
  buffers = std::move(kept);
  Renumber(Store::kInline, 0, renumbered);
}

void Mover::TakeOutMutables() {
  tables::Children<tables::SubsegmentOffsets>& parts = model_.tables.mutable_data_segments;
  for (const uint32_t i : touched_mutables_) {
    tables::SubsegmentOffsets& part = parts.items[i];
    const std::vector<BufferUse> uses = UsesOf(Store::kMutable, i, part.offsets.size());
    Renumber(Store::kMutable, i, TakeOutBuffers(part, OwnSegment(model_, part), uses));
  }
  const bool any_left = std::any_of(parts.items.begin(), parts.items.end(),
                                    [](const tables::SubsegmentOffsets& part) { return part.offsets.size() > 1; });
  if (touched_mutables_.empty() || any_left) return;
  std::vector<bool> unwanted(model_.segments.size());
  for (const tables::SubsegmentOffsets& part : parts.items) {
    if (part.offsets.size() != 0) unwanted[part.segment_index] = true;  // without offsets the index means nothing
  }
  parts = {};
  RemoveSegments(model_, std::move(unwanted));
}

// Tensors that stay follow their buffers.
void Mover::Renumber(Store store, uint32_t part, const std::vector<uint32_t>& renumbered) {
  ForEachTensor(model_.origin.state().program_root(), [&](size_t method, size_t value, const schema::Tensor& old) {
    if (!IsIn(store, part, old) || IsOutside(method, value)) return;
    TensorOf(method, value).data_buffer_idx = renumbered[old.data_buffer_idx()];
  });
}

}  // namespace pteedit
