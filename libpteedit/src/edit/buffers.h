// The buffers inside a constant or mutable segment, whose sizes no field stores: taking some out and putting some in.
#ifndef PTEEDIT_SRC_EDIT_BUFFERS_H_
#define PTEEDIT_SRC_EDIT_BUFFERS_H_

#include <cstdint>
#include <vector>

#include "edit/model.h"
#include "edit/tables.h"

namespace pteedit {

// What is known of the buffers of one part before an edit, indexed like its offsets.
struct BufferUse {
  bool wanted = true;           // false: is taken out
  uint64_t known_bytes = 0;     // of the longest tensor that reads it
  bool sized = false;           // whether known_bytes says all; otherwise it reaches to the next buffer or the end
  uint64_t alignment = 1;       // that its elements, and segments that lie inside it, need
  bool holds_segments = false;  // that lie somewhere inside it: then it stays where it was modulo the alignment
};

// Whether each buffer stays. The first is the placeholder, which always does.
std::vector<bool> WantedBuffers(const std::vector<BufferUse>& uses);

// For each buffer where it ends inside the segment.
std::vector<uint64_t> BufferEnds(const tables::SubsegmentOffsets& part, uint64_t segment_size,
                                 const std::vector<BufferUse>& uses);

// Buffers that have bytes of known size which no other buffer reads.
std::vector<size_t> BuffersAlone(const tables::SubsegmentOffsets& part, const std::vector<uint64_t>& ends,
                                 const std::vector<BufferUse>& uses);

// Cuts parts out of what a segment will hold, of which there may be as many as pieces. `whole` must outlive it.
class PartCutter {
 public:
  explicit PartCutter(const PlannedFile& whole);
  PlannedFile Cut(Extent part) const;

 private:
  PlannedFile::Pieces pieces_;
  std::vector<uint64_t> starts_;  // of the pieces
};

// Rewrites `part` and its segment without the unwanted buffers, the others in their order, with the alignment that all
// have and, where that is less, with the one that their elements need. Buffers that overlap stay together. Index 0, the
// placeholder, always stays. Returns the new index of each buffer.
std::vector<uint32_t> TakeOutBuffers(tables::SubsegmentOffsets& part, Segment& segment,
                                     const std::vector<BufferUse>& uses);

struct NewBuffer {
  PlannedFile bytes;
  uint64_t alignment = 16;
};

// Appends buffers and returns their indices. Where `part` is new it gets its placeholder first.
std::vector<uint32_t> AppendBuffers(tables::SubsegmentOffsets& part, Segment& segment,
                                    const std::vector<NewBuffer>& buffers);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_EDIT_BUFFERS_H_
