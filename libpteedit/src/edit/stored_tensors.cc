#include "edit/stored_tensors.h"

#include <algorithm>

#include "edit/segment_refs.h"

namespace pteedit {
namespace {

bool OnSameBytes(const Segment& a, const Segment& b) {
  const PlannedPiece *left = a.bytes.only_piece(), *right = b.bytes.only_piece();
  if (left == nullptr || right == nullptr) return false;
  return left->source == right->source && left->extent == right->extent;
}

}  // namespace

Store StoreOf(const tables::Program& program, const tables::Tensor& tensor) {
  if (tensor.extra_tensor_info && tensor.extra_tensor_info->location == tables::kExternalLocation)
    return Store::kExternal;
  if (tensor.data_buffer_idx == 0) return Store::kPlanned;
  if (tensor.allocation_info) return Store::kMutable;
  const bool has_segment = program.constant_segment && program.constant_segment->offsets.size() != 0;
  return has_segment ? Store::kSegment : Store::kInline;
}

std::optional<uint64_t> ByteSize(const tables::Tensor& tensor) {
  return ByteSize(TensorLayout{tensor.scalar_type, {tensor.sizes.begin(), tensor.sizes.end()}, {}});
}

BufferStore BufferStoreOf(const tables::Program& program, const tables::Tensor& tensor) {
  const Store store = StoreOf(program, tensor);
  if (store != Store::kMutable || !tensor.extra_tensor_info) return {store, 0};
  return {store, static_cast<uint32_t>(tensor.extra_tensor_info->mutable_data_segments_idx)};
}

std::vector<BufferUse> UsesOf(const tables::Program& program, const BufferStore& store, size_t count) {
  std::vector<BufferUse> uses(count, BufferUse{false, 0, false, 1});
  std::vector<bool> unsized(count);
  ForEachTensor(program, [&](const tables::Tensor& tensor) {
    if (BufferStoreOf(program, tensor) != store) return;
    BufferUse& use = uses[tensor.data_buffer_idx];
    const std::optional<uint64_t> bytes = ByteSize(tensor);
    if (!bytes) unsized[tensor.data_buffer_idx] = true;
    use.known_bytes = std::max(use.known_bytes, bytes.value_or(0));
    use.alignment = std::max(use.alignment, ElementSize(tensor.scalar_type).value_or(1));
    use.wanted = true;
  });
  for (size_t i = 0; i < count; ++i) uses[i].sized = uses[i].wanted && !unsized[i];
  return uses;
}

void RenumberBuffers(tables::Program& program, const BufferStore& store, const std::vector<uint32_t>& renumbered) {
  ForEachTensor(program, [&](tables::Tensor& tensor) {
    if (BufferStoreOf(program, tensor) == store) tensor.data_buffer_idx = renumbered[tensor.data_buffer_idx];
  });
}

bool IsSegmentOfItsOwn(ProgramModel& model, const tables::SubsegmentOffsets& part) {
  size_t users = 0;
  ForEachSegmentRef(model.tables, [&](uint32_t& index) { users += index == part.segment_index ? 1 : 0; });
  if (users != 1) return false;
  const Segment& own = model.segments[part.segment_index];
  return std::none_of(model.segments.begin(), model.segments.end(),
                      [&](const Segment& other) { return &other != &own && OnSameBytes(other, own); });
}

}  // namespace pteedit
