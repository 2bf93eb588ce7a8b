// Which tensors of tables that are being edited read which stored bytes (layout.h and constants.h tell the same of
// checked tables in place).
#ifndef PTEEDIT_SRC_EDIT_STORED_TENSORS_H_
#define PTEEDIT_SRC_EDIT_STORED_TENSORS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <variant>
#include <vector>

#include "edit/buffers.h"
#include "edit/model.h"
#include "edit/tables.h"
#include "program/layout.h"

namespace pteedit {

// Calls visit(tensor) for every tensor value of every method, to be edited unless `program` is const.
template <class Program, class Visit>
  requires std::is_same_v<std::remove_const_t<Program>, tables::Program>
void ForEachTensor(Program& program, Visit visit) {
  for (auto& plan : program.execution_plan.items) {
    for (auto& value : plan.values.items) {
      if (auto* tensor = std::get_if<tables::Tensor>(&value.val)) visit(*tensor);
    }
  }
}

Store StoreOf(const tables::Program& program, const tables::Tensor& tensor);

// Bytes that the tensor reads; nothing where its element type is unknown.
std::optional<uint64_t> ByteSize(const tables::Tensor& tensor);

// One numbering of buffers: of the constant segment, of a mutable data segment, or of the inline constants.
struct BufferStore {
  Store store = Store::kSegment;
  uint32_t part = 0;  // kMutable: index of the mutable data segment

  auto operator<=>(const BufferStore&) const = default;
};

BufferStore BufferStoreOf(const tables::Program& program, const tables::Tensor& tensor);

// Of each of the `count` buffers, index 0 included, how far tensors read it. Wanted are those that any tensor reads.
std::vector<BufferUse> UsesOf(const tables::Program& program, const BufferStore& store, size_t count);

// Points all tensors that read buffer i of `store` at buffer renumbered[i].
void RenumberBuffers(tables::Program& program, const BufferStore& store, const std::vector<uint32_t>& renumbered);

// Whether the segment of a constant or mutable part serves nothing but this part, so that what is taken out of it is
// gone: no other reference to it and no other segment on the same bytes.
bool IsSegmentOfItsOwn(ProgramModel& model, const tables::SubsegmentOffsets& part);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_EDIT_STORED_TENSORS_H_
