// Who uses which segment of an opened file, looking at the checked tables in place (segment_refs.h does the same for
// tables that are being edited).
#ifndef PTEEDIT_SRC_PROGRAM_SEGMENT_USERS_H_
#define PTEEDIT_SRC_PROGRAM_SEGMENT_USERS_H_

#include <cstddef>
#include <cstdint>
#include <tuple>

#include "program/container_state.h"
#include "pteedit/container.h"

namespace pteedit {

struct SegmentUser {
  enum class Kind { kConstants, kMutable, kDelegate, kNamedData };
  Kind kind = Kind::kConstants;
  size_t index = 0;  // kMutable: of the mutable data segment; kDelegate: among its method's; kNamedData: of the entry
  size_t plan = 0;   // kDelegate
};

// Whether a part has no buffers and its segment index so means nothing: it lists none, or only the placeholder and no
// segment for that. The runtime looks for a segment only where there is more.
inline bool SaysNoBuffers(const schema::SubsegmentOffsets& part, size_t segments) {
  const size_t count = OrEmpty(part.offsets()).size();
  return count == 0 || (count == 1 && part.segment_index() >= segments);
}

// Calls visit(uint32_t segment, SegmentUser) for constants, mutable data, delegates and named data, in this order.
// Every segment index is valid. Not for bundles.
template <class Visit>
void ForEachSegmentUser(const Container& file, Visit visit) {
  if (file.kind() == FileKind::kProgram) {
    const schema::Program& program = file.state().program_root();
    const auto has_buffers = [&](const schema::SubsegmentOffsets* part) {
      return part != nullptr && !SaysNoBuffers(*part, file.segments().size());
    };
    const schema::SubsegmentOffsets* constants = program.constant_segment();
    if (has_buffers(constants)) visit(constants->segment_index(), SegmentUser{SegmentUser::Kind::kConstants});
    size_t part_index = 0;
    for (const schema::SubsegmentOffsets* part : OrEmpty(program.mutable_data_segments())) {
      if (has_buffers(part)) visit(part->segment_index(), SegmentUser{SegmentUser::Kind::kMutable, part_index});
      ++part_index;
    }
    size_t plan_index = 0;
    for (const schema::ExecutionPlan* plan : OrEmpty(program.execution_plan())) {
      size_t delegate_index = 0;
      for (const schema::BackendDelegate* delegate : OrEmpty(plan->delegates())) {
        const schema::BackendDelegateDataReference& blob = *delegate->processed();
        const SegmentUser user{SegmentUser::Kind::kDelegate, delegate_index++, plan_index};
        if (blob.location() == schema::DataLocation::SEGMENT) visit(blob.index(), user);
      }
      ++plan_index;
    }
  }
  for (size_t i = 0; i < file.named_data().size(); ++i) {
    visit(file.named_data()[i].segment_index, SegmentUser{SegmentUser::Kind::kNamedData, i});
  }
}

// Equal for entries that have the very same bytes; entries without bytes are the same only on one segment.
using EntryPlace = std::tuple<uint64_t, uint64_t, uint32_t>;
inline EntryPlace PlaceOf(const NamedEntry& entry) {
  return {entry.extent.offset, entry.extent.size, entry.extent.size == 0 ? entry.segment_index : 0};
}

}  // namespace pteedit

#endif  // PTEEDIT_SRC_PROGRAM_SEGMENT_USERS_H_
