#include "edit/buffers.h"

#include <algorithm>

#include "base/checked.h"
#include "base/renumber.h"

namespace pteedit {
namespace {

// The tables say where a buffer begins and nothing of where it ends: that follows from the tensors that read it, and
// where nothing does, from the next buffer. Buffers may overlap, be one within another, or lie in any order. To take
// some out, those that stay are sorted by place and cut into runs: a run is what overlaps, directly or by way of
// others, and moves as one, so every tensor reads the bytes that it read before. Runs keep their order and close up to
// the alignment that all offsets had in common, or to what the elements need where that is more.

struct Run {  // overlapping buffers, which keep their distances
  Extent old;
  uint64_t alignment = 1;  // most that one of them needs
  std::vector<size_t> buffers;
  bool holds_segments = false;
};

std::vector<uint64_t> ToVector(const tables::Vector<uint64_t>& offsets) { return {offsets.begin(), offsets.end()}; }

uint64_t CommonAlignment(const std::vector<uint64_t>& offsets, uint64_t most) {
  uint64_t common = most;
  for (const uint64_t offset : offsets) common = std::min(common, AlignmentOf(offset, most));
  return common;
}

// The first place from `start` on. One buffer gets what its elements need; of several, each stays where it was modulo
// that, since one of them may have to.
uint64_t PlaceFor(const Run& run, uint64_t start, uint64_t common) {
  const uint64_t alignment = std::max(common, run.alignment);
  const bool is_free = run.buffers.size() == 1 && !run.holds_segments;
  const uint64_t shift = is_free ? 0 : run.old.offset % alignment;
  return start + ((shift - start) & (alignment - 1));
}

std::vector<Run> RunsOf(const std::vector<uint64_t>& offsets, const std::vector<uint64_t>& ends,
                        const std::vector<BufferUse>& uses) {
  std::vector<size_t> kept;
  for (size_t i = 1; i < offsets.size(); ++i) {
    if (uses[i].wanted) kept.push_back(i);
  }
  std::stable_sort(kept.begin(), kept.end(), [&](size_t a, size_t b) { return offsets[a] < offsets[b]; });
  std::vector<Run> runs;
  for (const size_t i : kept) {
    const uint64_t begin = offsets[i];
    const uint64_t end = ends[i];
    if (!runs.empty() && begin < runs.back().old.offset + runs.back().old.size) {
      Extent& run = runs.back().old;
      run.size = std::max(run.size, end - run.offset);
    } else {
      runs.push_back({{begin, end - begin}, 1, {}, false});
    }
    runs.back().alignment = std::max(runs.back().alignment, uses[i].alignment);
    runs.back().holds_segments = runs.back().holds_segments || uses[i].holds_segments;
    runs.back().buffers.push_back(i);
  }
  return runs;
}

}  // namespace

std::vector<bool> WantedBuffers(const std::vector<BufferUse>& uses) {
  std::vector<bool> wanted;
  for (const BufferUse& use : uses) wanted.push_back(use.wanted || wanted.empty());
  return wanted;
}

std::vector<uint64_t> BufferEnds(const tables::SubsegmentOffsets& part, uint64_t segment_size,
                                 const std::vector<BufferUse>& uses) {
  std::vector<uint64_t> sorted = ToVector(part.offsets);
  std::sort(sorted.begin(), sorted.end());
  std::vector<uint64_t> ends;
  for (size_t i = 0; i < part.offsets.size(); ++i) {
    const uint64_t known_end = part.offsets[i] + uses[i].known_bytes;
    const auto next = std::upper_bound(sorted.begin(), sorted.end(), part.offsets[i]);
    const uint64_t most = next == sorted.end() ? segment_size : *next;
    ends.push_back(uses[i].sized ? known_end : std::max(most, known_end));
  }
  return ends;
}

std::vector<size_t> BuffersAlone(const tables::SubsegmentOffsets& part, const std::vector<uint64_t>& ends,
                                 const std::vector<BufferUse>& uses) {
  std::vector<size_t> order;
  for (size_t i = 1; i < uses.size(); ++i) {
    if (ends[i] > part.offsets[i]) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return part.offsets[a] < part.offsets[b]; });
  std::vector<bool> alone(uses.size());
  size_t longest = 0;  // of those before, the one that ends last
  for (const size_t i : order) {
    const bool overlaps = longest != 0 && part.offsets[i] < ends[longest];
    if (overlaps) alone[longest] = false;
    alone[i] = !overlaps && uses[i].sized;
    if (longest == 0 || ends[i] > ends[longest]) longest = i;
  }
  std::vector<size_t> found;
  for (size_t i = 1; i < uses.size(); ++i) {
    if (alone[i]) found.push_back(i);
  }
  return found;
}

PartCutter::PartCutter(const PlannedFile& whole) : pieces_(whole.pieces()) {
  uint64_t start = 0;
  for (const PlannedPiece& piece : pieces_) {
    starts_.push_back(start);
    start += piece.extent.size;
  }
}

PlannedFile PartCutter::Cut(Extent part) const {
  PlannedFile found;
  const auto behind = std::upper_bound(starts_.begin(), starts_.end(), part.offset);
  const size_t first = static_cast<size_t>(behind - starts_.begin()) - (behind == starts_.begin() ? 0 : 1);
  for (size_t i = first; i < pieces_.size() && starts_[i] < part.offset + part.size; ++i) {
    const uint64_t begin = std::max(part.offset, starts_[i]);
    const uint64_t end = std::min(part.offset + part.size, starts_[i] + pieces_[i].extent.size);
    if (begin < end) found.Append(pieces_[i].source, {pieces_[i].extent.offset + (begin - starts_[i]), end - begin});
  }
  return found;
}

std::vector<uint32_t> TakeOutBuffers(tables::SubsegmentOffsets& part, Segment& segment,
                                     const std::vector<BufferUse>& uses) {
  const std::vector<uint64_t> old = ToVector(part.offsets);
  const uint64_t alignment = CommonAlignment(old, segment.alignment);
  std::vector<uint64_t> moved(old.size());
  PlannedFile bytes;
  const PartCutter parts(segment.bytes);
  for (const Run& run : RunsOf(old, BufferEnds(part, segment.bytes.size(), uses), uses)) {
    const uint64_t start = PlaceFor(run, bytes.size(), alignment);
    bytes.AppendZeros(start - bytes.size());
    for (const size_t i : run.buffers) moved[i] = bytes.size() + (old[i] - run.old.offset);
    bytes.Append(parts.Cut(run.old));
  }
  std::vector<uint32_t> renumbered = Keep(moved, WantedBuffers(uses));
  segment.bytes = std::move(bytes);
  part.offsets = tables::Vector<uint64_t>::Own(std::move(moved));
  return renumbered;
}

std::vector<uint32_t> AppendBuffers(tables::SubsegmentOffsets& part, Segment& segment,
                                    const std::vector<NewBuffer>& buffers) {
  std::vector<uint64_t> offsets = ToVector(part.offsets);
  if (offsets.empty()) offsets.push_back(0);
  std::vector<uint32_t> indices;
  PlannedFile& all = segment.bytes;
  for (const NewBuffer& buffer : buffers) {
    if (buffer.bytes.size() != 0) all.AppendZeros(AlignUp(all.size(), buffer.alignment) - all.size());
    segment.alignment = std::max(segment.alignment, buffer.alignment);
    indices.push_back(static_cast<uint32_t>(offsets.size()));
    offsets.push_back(all.size());
    all.Append(buffer.bytes);
  }
  part.offsets = tables::Vector<uint64_t>::Own(std::move(offsets));
  return indices;
}

}  // namespace pteedit
