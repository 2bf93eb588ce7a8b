#include "edit/segment_hosts.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace pteedit {
namespace {

constexpr uint64_t kLayoutAlignment = 16;  // that every layout has, but not what lies inside others

// The parts of sources that segments with places of their own hold.
class HostIndex {
 public:
  void Add(size_t segment, const PlannedFile& bytes) {
    uint64_t offset = 0;
    for (const PlannedPiece& piece : bytes.pieces()) {
      if (piece.source != nullptr && !Find(piece)) Keep(piece, {segment, offset});
      offset += piece.extent.size;
    }
  }

  std::optional<SegmentHost> Find(const PlannedPiece& piece) const {
    const Extent wanted = piece.extent;
    auto found = pieces_.upper_bound({piece.source.get(), wanted.offset});
    if (found == pieces_.begin()) return std::nullopt;
    --found;
    const auto& [place, known] = *found;
    if (place.first != piece.source.get() || wanted.offset + wanted.size > known.end) return std::nullopt;
    return SegmentHost{known.host.segment, known.host.offset + (wanted.offset - place.second)};
  }

 private:
  struct Known {
    uint64_t end = 0;
    SegmentHost host;
  };

  void Keep(const PlannedPiece& piece, SegmentHost host) {
    const Known known{piece.extent.offset + piece.extent.size, host};
    pieces_.insert_or_assign({piece.source.get(), piece.extent.offset}, known);
  }

  std::map<std::pair<const Source*, uint64_t>, Known> pieces_;
};

// The longest first, so that who may hold others comes before them.
std::vector<size_t> LongestFirst(const std::vector<Segment>& segments) {
  std::vector<size_t> order;
  for (size_t i = 0; i < segments.size(); ++i) {
    if (segments[i].bytes.size() != 0) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::pair(segments[b].bytes.size(), segments[a].inside) <
           std::pair(segments[a].bytes.size(), segments[b].inside);
  });
  return order;
}

}  // namespace

std::vector<std::optional<SegmentHost>> FindHosts(const std::vector<Segment>& segments, uint64_t min_alignment) {
  std::vector<std::optional<SegmentHost>> hosts(segments.size());
  const bool any = std::any_of(segments.begin(), segments.end(), [](const Segment& segment) { return segment.inside; });
  if (!any) return hosts;
  HostIndex index;
  for (const size_t i : LongestFirst(segments)) {
    const Segment& segment = segments[i];
    if (segment.inside && segment.bytes.only_piece() != nullptr) hosts[i] = index.Find(*segment.bytes.only_piece());
    const uint64_t asked = min_alignment > kLayoutAlignment ? min_alignment : 1;
    if (hosts[i] && hosts[i]->offset % std::max(segment.alignment, asked) != 0) hosts[i].reset();
    if (!hosts[i]) index.Add(i, segment.bytes);
  }
  return hosts;
}

SegmentsInside::SegmentsInside(const std::vector<Segment>& segments, uint64_t min_alignment) {
  const std::vector<std::optional<SegmentHost>> hosts = FindHosts(segments, min_alignment);
  for (size_t i = 0; i < segments.size(); ++i) {
    if (hosts[i])
      guests_.insert({hosts[i]->segment, {hosts[i]->offset, segments[i].bytes.size(), segments[i].alignment}});
  }
}

std::vector<uint64_t> SegmentsInside::AlignmentsIn(const tables::SubsegmentOffsets& part) const {
  std::vector<uint64_t> inside(part.offsets.size());
  const auto [begin, end] = guests_.equal_range(part.segment_index);
  if (begin == end) return inside;
  std::multimap<uint64_t, size_t> buffers;  // by offset
  for (size_t i = 1; i < part.offsets.size(); ++i) buffers.emplace(part.offsets[i], i);
  for (auto guest = begin; guest != end; ++guest) {
    const auto after = buffers.upper_bound(guest->second.offset);
    if (after == buffers.begin()) continue;
    if (after != buffers.end() && after->first - guest->second.offset < guest->second.size) continue;
    const auto [first, last] = buffers.equal_range(std::prev(after)->first);
    for (auto buffer = first; buffer != last; ++buffer)
      inside[buffer->second] = std::max(inside[buffer->second], guest->second.alignment);
  }
  return inside;
}

std::vector<BufferUse> WithAlignmentsInside(std::vector<BufferUse> uses, const std::vector<uint64_t>& inside) {
  for (size_t i = 0; i < uses.size(); ++i) {
    uses[i].alignment = std::max(uses[i].alignment, inside[i]);
    uses[i].holds_segments = inside[i] != 0;
  }
  return uses;
}

}  // namespace pteedit
