// Segments that lie inside others: where the layout puts them, and what that asks of the buffers they lie in.
#ifndef PTEEDIT_SRC_EDIT_SEGMENT_HOSTS_H_
#define PTEEDIT_SRC_EDIT_SEGMENT_HOSTS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "edit/buffers.h"
#include "edit/model.h"
#include "edit/tables.h"

namespace pteedit {

struct SegmentHost {
  size_t segment = 0;
  uint64_t offset = 0;  // from its begin
};

// For each segment the other that it lies in. Nothing for those that get a place of their own: all that may not lie
// inside, and those whose bytes no other has any more, or not at a multiple of the alignment that they need.
std::vector<std::optional<SegmentHost>> FindHosts(const std::vector<Segment>& segments, uint64_t min_alignment);

// What lies inside which segment, as they are now.
class SegmentsInside {
 public:
  explicit SegmentsInside(const std::vector<Segment>& segments, uint64_t min_alignment = 16);
  // For each buffer of a part what the segments that lie in it need, 0 where none does. One that reaches into the next
  // buffer counts for neither: it is there only until the buffers move.
  std::vector<uint64_t> AlignmentsIn(const tables::SubsegmentOffsets& part) const;

 private:
  struct Guest {
    uint64_t offset = 0, size = 0, alignment = 0;
  };
  std::multimap<size_t, Guest> guests_;  // by host
};

// `uses` of the part's buffers with these alignments, so that what lies inside can stay there.
std::vector<BufferUse> WithAlignmentsInside(std::vector<BufferUse> uses, const std::vector<uint64_t>& inside);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_EDIT_SEGMENT_HOSTS_H_
