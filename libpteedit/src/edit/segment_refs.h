// The one place that knows every reference to a segment. Removing, reordering and merging segments are "change the
// list, renumber through ForEachSegmentRef".
#ifndef PTEEDIT_SRC_EDIT_SEGMENT_REFS_H_
#define PTEEDIT_SRC_EDIT_SEGMENT_REFS_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "base/renumber.h"
#include "edit/model.h"
#include "program/segment_users.h"

namespace pteedit {

// Calls visit(SegmentUser::Kind, index) with every segment index in use, to be edited unless `program` is const. The
// index of a constant or mutable segment without offsets means nothing and is left out.
template <class Program, class Visit>
void ForEachSegmentUse(Program& program, Visit visit) {
  using Kind = SegmentUser::Kind;
  if (program.constant_segment && program.constant_segment->offsets.size() != 0)
    visit(Kind::kConstants, program.constant_segment->segment_index);
  for (auto& part : program.mutable_data_segments.items) {
    if (part.offsets.size() != 0) visit(Kind::kMutable, part.segment_index);
  }
  for (auto& plan : program.execution_plan.items) {
    for (auto& delegate : plan.delegates.items) {
      constexpr int8_t kSegmentLocation = 1;
      if (delegate.processed && delegate.processed->location == kSegmentLocation)
        visit(Kind::kDelegate, delegate.processed->index);
    }
  }
  for (auto& entry : program.named_data.items) visit(Kind::kNamedData, entry.segment_index);
}

// Calls visit(uint32_t&) with the same.
template <class Visit>
void ForEachSegmentRef(tables::Program& program, Visit visit) {
  ForEachSegmentUse(program, [&](SegmentUser::Kind, uint32_t& index) { visit(index); });
}

template <class Visit>
void ForEachSegmentRef(tables::FlatTensor& data, Visit visit) {
  for (tables::DataEntry& entry : data.named_data.items) visit(entry.segment_index);
}

// Calls visit(uint32_t&) with every index of an inline blob in use.
template <class Visit>
void ForEachInlineBlobRef(tables::Program& program, Visit visit) {
  for (tables::ExecutionPlan& plan : program.execution_plan.items) {
    for (tables::BackendDelegate& delegate : plan.delegates.items) {
      if (delegate.processed->location == tables::kInlineLocation) visit(delegate.processed->index);
    }
  }
}

// The segment of a constant or mutable part, to be edited. Where others refer to it as well, as the formats allow, the
// part first gets one of its own, so that they keep theirs.
inline Segment& OwnSegment(ProgramModel& model, tables::SubsegmentOffsets& part) {
  size_t users = 0;
  ForEachSegmentRef(model.tables, [&](uint32_t& index) { users += index == part.segment_index ? 1 : 0; });
  if (users > 1) {
    Segment copy = model.segments[part.segment_index];
    part.segment_index = static_cast<uint32_t>(model.segments.size());
    model.segments.push_back(std::move(copy));
  }
  return model.segments[part.segment_index];
}

// Drops all segments but the `wanted` and those that something still refers to, and renumbers.
template <class AnyModel>
void KeepSegments(AnyModel& model, std::vector<bool> wanted) {
  ForEachSegmentRef(model.tables, [&](uint32_t& index) { wanted[index] = true; });
  const std::vector<uint32_t> renumbered = Keep(model.segments, wanted);
  ForEachSegmentRef(model.tables, [&](uint32_t& index) { index = renumbered[index]; });
}

}  // namespace pteedit

#endif  // PTEEDIT_SRC_EDIT_SEGMENT_REFS_H_
