#include "model.h"

#include <algorithm>
#include <bit>
#include <unordered_set>

#include "checked.h"
#include "container_state.h"
#include "extended_header.h"
#include "text.h"
#include "try.h"
#include "unpack.h"

namespace pteedit {
namespace {

constexpr uint64_t kMinSegmentAlignment = 16;
constexpr uint64_t kDefaultSegmentAlignment = 128;  // of the exporter, in all releases
constexpr uint64_t kMaxSegmentAlignment = 4096;
constexpr uint64_t kPageSegmentAlignment =
    16384;  // of systems with large pages; believed only where all segments have it

// Segments may be the same extent (then they stay shared) but may not overlap in part.
Status CheckOverlaps(const std::vector<Extent>& segments) {
  std::vector<size_t> order;
  for (size_t i = 0; i < segments.size(); ++i) {
    if (segments[i].size != 0) order.push_back(i);
  }
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::pair(segments[a].offset, segments[a].size) < std::pair(segments[b].offset, segments[b].size);
  });
  for (size_t k = 1; k < order.size(); ++k) {
    const Extent& before = segments[order[k - 1]];
    const Extent& now = segments[order[k]];
    if (before == now || now.offset - before.offset >= before.size) continue;
    return Unsupported(Text("segments ", order[k - 1], " and ", order[k], " overlap in part at byte ", Hex(now.offset),
                            "; such files can be looked at but not rewritten"));
  }
  return {};
}

// Bytes between each segment with bytes and what lies before it: the tables or another segment. 0 for the others.
std::vector<uint64_t> GapsBefore(const Container& file) {
  const std::vector<Extent>& segments = file.segments();
  std::vector<size_t> order;
  for (size_t i = 0; i < segments.size(); ++i) {
    if (segments[i].size != 0) order.push_back(i);
  }
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return segments[a].offset < segments[b].offset; });
  std::vector<uint64_t> gaps(segments.size());
  uint64_t end = file.tables().size;
  for (const size_t i : order) {
    gaps[i] = segments[i].offset > end ? segments[i].offset - end : 0;
    end = std::max(end, segments[i].offset + segments[i].size);
  }
  return gaps;
}

Status CheckKeysDiffer(const std::vector<NamedEntry>& entries) {
  std::unordered_set<std::string_view> seen;
  for (const NamedEntry& entry : entries) {
    if (!seen.insert(entry.key).second) return Unsupported(Text("key ", Quoted(entry.key), " occurs twice"));
  }
  return {};
}

std::vector<Segment> SegmentsOf(const Container& file) {
  const std::vector<uint64_t> alignments = ShownAlignments(file);
  std::vector<Segment> segments(file.segments().size());
  for (size_t i = 0; i < segments.size(); ++i) {
    segments[i].bytes.Append(file.source(), file.segments()[i]);
    segments[i].alignment = alignments[i];
  }
  return segments;
}

// An extended header is as long as the alignment of the tables, so nothing lies before that.
uint64_t MostBlobAlignment(const Container& program) {
  if (!program.header().has_extended_header) return kMaxSegmentAlignment;
  const uint64_t first = program.state().walk.first_byte;
  return first <= kExtendedHeaderOffset ? 1 : std::bit_floor(first - kExtendedHeaderOffset);
}

}  // namespace

std::vector<uint64_t> ShownAlignments(const Container& file) {
  const std::vector<Extent>& segments = file.segments();
  const std::vector<uint64_t> gaps = GapsBefore(file);
  bool on_pages = true;
  bool padded = false;
  for (size_t i = 0; i < segments.size(); ++i) {
    on_pages = on_pages && (segments[i].size == 0 || segments[i].offset % kPageSegmentAlignment == 0);
    padded = padded || gaps[i] >= kDefaultSegmentAlignment;
  }
  const uint64_t most = on_pages ? kPageSegmentAlignment : kMaxSegmentAlignment;
  uint64_t common = padded ? most : kDefaultSegmentAlignment;
  for (const Extent& segment : segments) {
    if (segment.size != 0) common = std::min(common, AlignmentOf(segment.offset, most));
  }
  std::vector<uint64_t> alignments;
  for (size_t i = 0; i < segments.size(); ++i) {
    const bool has_own = segments[i].size != 0 && gaps[i] >= common;
    const uint64_t own = std::min(AlignmentOf(segments[i].offset, most), std::bit_ceil(gaps[i] + 1));
    alignments.push_back(std::max(kMinSegmentAlignment, has_own ? own : common));
  }
  return alignments;
}

Status CheckRewritable(const Container& file) {
  const auto check = [&]() -> Status {
    if (!file.unknown_fields().empty()) {
      return Unsupported(file.unknown_fields().front() + ", which this version does not know; a rewrite would lose it");
    }
    PTEEDIT_TRY(CheckOverlaps(file.segments()));
    return CheckKeysDiffer(file.named_data());
  };
  Status status = check();
  if (!status) return std::move(status).error().In(file.name());
  return {};
}

Result<ProgramModel> ReadProgramModel(const Container& program) {
  PTEEDIT_TRY(CheckRewritable(program));
  return ProgramModel{program, UnpackProgram(program.tables(), MostBlobAlignment(program)), SegmentsOf(program)};
}

Result<DataModel> ReadDataModel(const Container& data) {
  PTEEDIT_TRY(CheckRewritable(data));
  if (data.header().layout_06) {
    return Unsupported("data file is in the layout of release 0.6, which can be read but not rewritten")
        .In(data.name());
  }
  return DataModel{UnpackFlatTensor(data.tables()), SegmentsOf(data), data};
}

}  // namespace pteedit
