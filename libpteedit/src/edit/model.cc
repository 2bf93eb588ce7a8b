#include "edit/model.h"

#include <algorithm>
#include <bit>
#include <set>
#include <tuple>

#include "base/checked.h"
#include "base/text.h"
#include "edit/unpack.h"
#include "program/container_state.h"
#include "program/extended_header.h"
#include "program/segment_users.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

constexpr uint64_t kMinSegmentAlignment = 16;
constexpr uint64_t kDefaultSegmentAlignment = 128;  // of the exporter, in all releases
constexpr uint64_t kMaxSegmentAlignment = kPageAlignment;
constexpr uint64_t kLargePageAlignment = 16384;  // believed only where all segments have it

// Those with bytes, by begin; of those that begin together the longest first.
std::vector<size_t> InFileOrder(const std::vector<Extent>& segments) {
  std::vector<size_t> order;
  for (size_t i = 0; i < segments.size(); ++i) {
    if (segments[i].size != 0) order.push_back(i);
  }
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::tuple(segments[a].offset, segments[b].size, a) < std::tuple(segments[b].offset, segments[a].size, b);
  });
  return order;
}

uint64_t EndOf(const Extent& extent) { return extent.offset + extent.size; }

// Segments may be the same extent, then they stay shared, or lie inside another, but may not overlap in part.
Status CheckOverlaps(const std::vector<Extent>& segments) {
  std::vector<size_t> around;  // each inside the one before it
  for (const size_t now : InFileOrder(segments)) {
    while (!around.empty() && EndOf(segments[around.back()]) <= segments[now].offset) around.pop_back();
    if (!around.empty() && EndOf(segments[now]) > EndOf(segments[around.back()])) {
      const auto [first, second] = std::minmax(around.back(), now);
      return Unsupported(Text("segments ", first, " and ", second, " overlap in part at byte ",
                              Hex(segments[now].offset), "; such files can be looked at but not rewritten"));
    }
    around.push_back(now);
  }
  return {};
}

// Which segments lie inside a longer one. None overlap in part.
std::vector<bool> FindInside(const std::vector<Extent>& segments) {
  std::vector<bool> inside(segments.size());
  Extent outermost;
  for (const size_t i : InFileOrder(segments)) {
    if (segments[i].offset >= EndOf(outermost)) outermost = segments[i];
    inside[i] = segments[i].size < outermost.size;
  }
  return inside;
}

// What lies inside others says nothing of how these were laid out: it counts as without bytes.
std::vector<Extent> WithoutInside(std::vector<Extent> segments) {
  const std::vector<bool> inside = FindInside(segments);
  for (size_t i = 0; i < segments.size(); ++i) {
    if (inside[i]) segments[i].size = 0;
  }
  return segments;
}

// Bytes between each place with bytes and what lies before it, from `start` on. 0 for the others.
std::vector<uint64_t> GapsBefore(const std::vector<Extent>& places, uint64_t start) {
  std::vector<uint64_t> gaps(places.size());
  uint64_t end = start;
  for (const size_t i : InFileOrder(places)) {
    gaps[i] = places[i].offset > end ? places[i].offset - end : 0;
    end = std::max(end, EndOf(places[i]));
  }
  return gaps;
}

// The alignments that exporters have by default, and pages: what is surely meant is one of them, unless a gap shows
// more.
uint64_t UsualBelow(uint64_t alignment) {
  for (const uint64_t usual : {kMaxSegmentAlignment, kDefaultSegmentAlignment}) {
    if (usual < alignment) return usual;
  }
  return kMinSegmentAlignment;
}

uint64_t LongestOf(const std::vector<uint64_t>& gaps) {
  return gaps.empty() ? 0 : *std::max_element(gaps.begin(), gaps.end());
}

// What divides the places of all segments with bytes, as ShownAlignments says it.
uint64_t CommonAlignment(const std::vector<Extent>& segments, const std::vector<uint64_t>& gaps) {
  uint64_t common = kLargePageAlignment;
  for (const Extent& segment : segments) {
    if (segment.size != 0) common = std::min(common, AlignmentOf(segment.offset, kLargePageAlignment));
  }
  const bool padded = LongestOf(gaps) >= kDefaultSegmentAlignment;
  const bool any =
      std::any_of(segments.begin(), segments.end(), [](const Extent& segment) { return segment.size != 0; });
  if (!any) return kDefaultSegmentAlignment;
  if (common < kLargePageAlignment) common = std::min(common, kMaxSegmentAlignment);
  return padded || common >= kMaxSegmentAlignment ? common : std::min(common, kDefaultSegmentAlignment);
}

// Of a segment behind a gap that the common alignment does not explain.
uint64_t OwnAlignment(uint64_t offset, uint64_t gap) {
  return std::min(AlignmentOf(offset, kMaxSegmentAlignment), std::bit_ceil(gap + 1));
}

Status CheckKeysDiffer(const std::vector<NamedEntry>& entries) {
  std::set<std::string_view> seen;
  for (const NamedEntry& entry : entries) {
    if (!seen.insert(entry.key).second) return Unsupported(Text("key ", Quoted(entry.key), " occurs twice"));
  }
  return {};
}

std::vector<Segment> SegmentsOf(const Container& file) {
  const std::vector<uint64_t> alignments = ShownAlignments(file);
  const std::vector<bool> inside = FindInside(file.segments());
  std::vector<Segment> segments(file.segments().size());
  for (size_t i = 0; i < segments.size(); ++i) {
    segments[i].bytes.Append(file.source(), file.segments()[i]);
    segments[i].alignment = alignments[i];
    segments[i].inside = inside[i];
    // What lies inside need not get a better place than it has.
    if (inside[i]) segments[i].alignment = AlignmentOf(file.segments()[i].offset, alignments[i]);
  }
  return segments;
}

// An extended header is as long as the alignment of the tables, so nothing lies before that.
uint64_t MostBlobAlignment(const Container& program) {
  if (!program.header().has_extended_header) return kMaxSegmentAlignment;
  const uint64_t first = program.state().walk.first_byte;
  return first <= kExtendedHeaderOffset ? 1 : std::bit_floor(first - kExtendedHeaderOffset);
}

// A part of only the placeholder may name a segment that does not exist. Edits count on the indices of parts that list
// anything, so it gets an empty one then, as exporters write it.
void GiveSegments(const Container& program, ProgramModel& model) {
  const schema::Program& root = program.state().program_root();
  const auto give = [&](const schema::SubsegmentOffsets& part, tables::SubsegmentOffsets& edited) {
    if (edited.offsets.size() == 0 || !SaysNoBuffers(part, program.segments().size())) return;
    edited.segment_index = static_cast<uint32_t>(model.segments.size());
    model.segments.emplace_back();
  };
  if (root.constant_segment() != nullptr) give(*root.constant_segment(), *model.tables.constant_segment);
  std::vector<tables::SubsegmentOffsets>& parts = model.tables.mutable_data_segments.items;
  for (size_t i = 0; i < parts.size(); ++i) {
    give(*root.mutable_data_segments()->Get(static_cast<flatbuffers::uoffset_t>(i)), parts[i]);
  }
}

}  // namespace

std::vector<uint64_t> ShownAlignments(const Container& file) {
  return ShownAlignments(file.segments(), file.tables().size);
}

std::vector<uint64_t> ShownAlignments(const std::vector<Extent>& segments, uint64_t tables_size) {
  const std::vector<bool> inside = FindInside(segments);
  const std::vector<Extent> outside = WithoutInside(segments);
  const std::vector<uint64_t> gaps = GapsBefore(outside, tables_size);
  const uint64_t common = CommonAlignment(outside, gaps);
  std::vector<uint64_t> alignments;
  alignments.reserve(segments.size());
  for (size_t i = 0; i < segments.size(); ++i) {
    const bool has_own = gaps[i] >= common && common < kPageAlignment;
    const uint64_t shown = inside[i] ? AlignmentOf(segments[i].offset, common)
                           : has_own ? OwnAlignment(segments[i].offset, gaps[i])
                                     : common;
    alignments.push_back(std::max(kMinSegmentAlignment, shown));
  }
  return alignments;
}

bool SharesBytes(const Container& file) {
  std::vector<Extent> places;
  for (const Extent& segment : file.segments()) {
    if (segment.size != 0) places.push_back(segment);
  }
  std::sort(places.begin(), places.end(), [](const Extent& a, const Extent& b) { return a.offset < b.offset; });
  const auto meets = [](const Extent& a, const Extent& b) { return b.offset - a.offset < a.size; };
  return std::adjacent_find(places.begin(), places.end(), meets) != places.end();
}

uint64_t EvidentAlignment(const std::vector<Extent>& places, uint64_t start, uint64_t least, uint64_t all) {
  constexpr uint64_t kNoAccident = 9;  // once in 512 files
  const std::vector<uint64_t> gaps = GapsBefore(places, start);
  const auto padded =
      static_cast<uint64_t>(std::count_if(gaps.begin(), gaps.end(), [](uint64_t gap) { return gap != 0; }));
  uint64_t alignment = all;
  for (; alignment > least; alignment /= 2) {
    const uint64_t usual = UsualBelow(alignment);
    const auto halvings = static_cast<uint64_t>(std::bit_width(alignment) - std::bit_width(usual));
    if (LongestOf(gaps) >= usual || padded * halvings >= kNoAccident) return alignment;
  }
  return least;
}

std::vector<uint64_t> EvidentAlignments(const Container& file) {
  const std::vector<Extent> segments = WithoutInside(file.segments());
  const uint64_t start = file.tables().size;
  const std::vector<uint64_t> gaps = GapsBefore(segments, start);
  const uint64_t common = CommonAlignment(segments, gaps);
  // Programs have the default in all releases; data files had 16 at first.
  const bool has_default = file.kind() == FileKind::kProgram && common >= kDefaultSegmentAlignment;
  const uint64_t least = has_default ? kDefaultSegmentAlignment : kMinSegmentAlignment;
  const uint64_t evident = std::max(least, EvidentAlignment(segments, start, least, common));
  std::vector<uint64_t> alignments = ShownAlignments(file);
  for (size_t i = 0; i < alignments.size(); ++i) {
    if (alignments[i] <= std::max(common, kMinSegmentAlignment)) alignments[i] = std::min(alignments[i], evident);
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
  ProgramModel model{program, UnpackProgram(program.tables(), MostBlobAlignment(program)), SegmentsOf(program)};
  GiveSegments(program, model);
  return model;
}

Result<DataModel> ReadDataModel(const Container& data) {
  PTEEDIT_TRY(CheckRewritable(data));
  if (data.header().layout_06) {
    return Unsupported("data file is in the layout of release 0.6, which can be read but not rewritten")
        .In(data.name());
  }
  return DataModel{data, UnpackFlatTensor(data.tables()), SegmentsOf(data)};
}

}  // namespace pteedit
