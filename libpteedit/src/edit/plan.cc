#include "edit/plan.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <tuple>
#include <utility>

#include "base/checked.h"
#include "base/first_of_equal.h"
#include "base/text.h"
#include "edit/pack.h"
#include "edit/segment_hosts.h"
#include "edit/segment_refs.h"
#include "edit/stored_tensors.h"
#include "edit/unpack.h"
#include "program/extended_header.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

constexpr uint64_t kMaxBundleBytes = (uint64_t{1} << 31) - 1;

// Of segments, by index.
struct SegmentLayout {
  tables::Children<tables::DataSegment> table{true, {}};
  std::vector<bool> is_written;  // the others lie where bytes are already
  uint64_t size = 0;             // of all
  uint64_t base_alignment = 16;
};

// Gives every segment its place, relative to the segment base.
class SegmentLayouter {
 public:
  SegmentLayout LayOut(const std::vector<Segment>& segments, uint64_t min_alignment) {
    layout_.base_alignment = min_alignment;
    const std::vector<std::optional<SegmentHost>> hosts = FindHosts(segments, min_alignment);
    std::vector<uint64_t> alignments;
    alignments.reserve(segments.size());
    for (const Segment& segment : segments) alignments.push_back(std::max(segment.alignment, min_alignment));
    for (size_t i = 0; i < segments.size(); ++i) {
      if (hosts[i]) alignments[hosts[i]->segment] = std::max(alignments[hosts[i]->segment], alignments[i]);
    }
    std::vector<tables::DataSegment>& places = layout_.table.items;
    places.reserve(segments.size());
    layout_.is_written.reserve(segments.size());
    const std::vector<size_t> first = FirstOfSameBytes(segments);
    std::vector<uint64_t> known(segments.size(), kNowhere);
    for (size_t i = 0; i < segments.size(); ++i) {
      const uint64_t before = layout_.size;
      places.push_back({hosts[i] ? 0 : Place(segments[i], alignments[i], known[first[i]]), segments[i].bytes.size()});
      layout_.is_written.push_back(layout_.size != before);
    }
    for (size_t i = 0; i < segments.size(); ++i) {
      if (hosts[i]) places[i].offset = places[hosts[i]->segment].offset + hosts[i]->offset;
    }
    return std::move(layout_);
  }

 private:
  // By index: the first segment of the same one piece, or itself.
  static std::vector<size_t> FirstOfSameBytes(const std::vector<Segment>& segments) {
    std::vector<size_t> compared;
    for (size_t i = 0; i < segments.size(); ++i) {
      if (segments[i].bytes.only_piece() != nullptr) compared.push_back(i);
    }
    return FirstOfEqual(segments.size(), std::move(compared), [&](size_t i) {
      const PlannedPiece& piece = *segments[i].bytes.only_piece();
      return std::tuple(piece.source.get(), piece.extent.offset, piece.extent.size);
    });
  }

  // `known` is where the same bytes lie already.
  uint64_t Place(const Segment& segment, uint64_t alignment, uint64_t& known) {
    if (segment.bytes.size() == 0) return layout_.size;
    if (known != kNowhere && known % alignment == 0) return known;
    layout_.base_alignment = std::max(layout_.base_alignment, alignment);
    const uint64_t place = AlignUp(std::max(layout_.size, segment.least_place), alignment);
    layout_.size = place + segment.bytes.size();
    return known = place;
  }

  static constexpr uint64_t kNowhere = ~uint64_t{0};
  SegmentLayout layout_;
};

// What lies behind the tables. For when those are packed: packing takes as much memory as all these pieces.
PlannedFile BytesOf(const std::vector<Segment>& segments, const SegmentLayout& layout) {
  PlannedFile bytes;
  bytes.MakeRoom(2 * segments.size());  // with what is between them
  for (size_t i = 0; i < segments.size(); ++i) {
    if (!layout.is_written[i]) continue;
    bytes.AppendZeros(layout.table.items[i].offset - bytes.size());
    bytes.Append(segments[i].bytes);
  }
  return bytes;
}

// Asked for a constant of a segment without bytes, a runtime looks for inline constants instead and refuses. So one
// that only tensors without elements read gets a byte, in a place no rounder than that of any other segment.
bool NeedsReadableConstants(const ProgramModel& model) {
  const std::optional<tables::SubsegmentOffsets>& part = model.tables.constant_segment;
  if (!part || part->offsets.size() == 0 || model.segments[part->segment_index].bytes.size() != 0) return false;
  const std::vector<BufferUse> uses = UsesOf(model.tables, {Store::kSegment, 0}, part->offsets.size());
  return std::any_of(uses.begin(), uses.end(), [](const BufferUse& use) { return use.wanted; });
}

ProgramModel WithReadableConstants(ProgramModel model) {
  tables::SubsegmentOffsets& part = *model.tables.constant_segment;
  Segment& empty = OwnSegment(model, part);
  for (const Segment& other : model.segments) {
    if (other.bytes.size() != 0) empty.alignment = std::min(empty.alignment, other.alignment);
  }
  empty.bytes.AppendZeros(1);
  return model;
}

// Whether a runtime loads segments when it loads methods, be they as short as they may: without a header it refuses.
bool IsAskedForSegments(const tables::Program& program) {
  const auto& states = program.mutable_data_segments.items;
  bool is_asked = std::any_of(states.begin(), states.end(),
                              [](const tables::SubsegmentOffsets& part) { return part.offsets.size() > 1; });
  ForEachSegmentUse(
      program, [&](SegmentUser::Kind kind, uint32_t) { is_asked = is_asked || kind == SegmentUser::Kind::kDelegate; });
  return is_asked;
}

// The file reaches the base that its header promises even where no segment has bytes.
PlannedFile Assemble(const PackedTables& head, uint64_t segment_base, PlannedFile segments) {
  PlannedFile file;
  file.Append(MakeMemorySource("planned tables", head.bytes, head.size), {0, head.size});
  if (segment_base > head.size) file.AppendZeros(segment_base - head.size);
  file.Append(std::move(segments));
  return file;
}

// Where the segments begin behind so many bytes of tables: where they did, if there is room, or whole pages later, so
// that whoever compares files by blocks finds them again.
uint64_t SegmentBase(uint64_t tables, uint64_t least, uint64_t alignment) {
  const uint64_t base = AlignUp(std::max(tables, least), alignment);
  if (least == 0 || base == least || least % alignment != 0) return base;
  return least + AlignUp(base - least, std::max(alignment, kPageAlignment));
}

// Where the segments are in a file in which they begin at `base`.
void TellPlaces(const SegmentLayout& layout, uint64_t base, std::vector<Extent>* places) {
  if (places == nullptr) return;
  places->clear();
  places->reserve(layout.table.items.size());
  for (const tables::DataSegment& segment : layout.table.items)
    places->push_back({base + segment.offset, segment.size});
}

// With a header in the tables, which count from `tables_offset` on.
template <class ToBytes>
PlannedFile Assemble(const PackedTables& packed, uint64_t tables_offset, ToBytes to_bytes,
                     const std::vector<Segment>& segments, const SegmentLayout& layout, std::vector<Extent>* places,
                     uint64_t least_base = 0) {
  ExtendedHeader header;
  header.tables_offset = tables_offset;
  header.tables_size = packed.size - tables_offset;
  header.segment_base_offset = SegmentBase(packed.size, least_base, layout.base_alignment);
  header.segment_data_size = layout.size;
  TellPlaces(layout, header.segment_base_offset, places);
  const auto bytes = to_bytes(header);
  std::copy(bytes.begin(), bytes.end(), packed.bytes.get() + kExtendedHeaderOffset);
  return Assemble(packed, header.segment_base_offset, BytesOf(segments, layout));
}

template <class Tables>
bool IsCopy(const Model<Tables>& model) {
  return model.origin && !model.changed;
}

// Where a bundle's `program` vector ends up: its length stands right before the end of the packed tables.
void SetProgramLength(const PackedTables& packed, uint64_t length) {
  const auto value = static_cast<uint32_t>(length);
  std::memcpy(packed.bytes.get() + packed.size - sizeof(value), &value, sizeof(value));
}

}  // namespace

PlannedFile PlanCopy(const Container& file) {
  PlannedFile copy;
  copy.Append(file.source(), {0, file.source()->size()});
  return copy;
}

Result<PlannedFile> PlanFile(const ProgramModel& model, uint64_t min_alignment) {
  return IsCopy(model) ? PlanCopy(*model.origin) : PlanAnew(model, min_alignment);
}

Result<PlannedFile> PlanFile(const DataModel& model, uint64_t min_alignment) {
  return IsCopy(model) ? PlanCopy(*model.origin) : PlanAnew(model, min_alignment);
}

Result<PlannedFile> PlanAnew(const ProgramModel& model, uint64_t min_alignment, std::vector<Extent>* places) {
  if (NeedsReadableConstants(model)) return PlanAnew(WithReadableConstants(model), min_alignment, places);
  SegmentLayout layout = SegmentLayouter().LayOut(model.segments, min_alignment);
  layout.table.present = model.tables.segments.present || !model.segments.empty();
  const bool has_header = layout.size != 0 || IsAskedForSegments(model.tables);
  PTEEDIT_ASSIGN(const PackedTables packed,
                 PackProgram(model.tables, layout.table, has_header ? kProgramHeaderLength : size_t{0}));
  if (has_header) return Assemble(packed, 0, ProgramHeaderBytes, model.segments, layout, places);
  TellPlaces(layout, 0, places);
  return Assemble(packed, 0, {});
}

Result<PlannedFile> PlanAnew(const DataModel& model, uint64_t min_alignment, std::vector<Extent>* places) {
  const SegmentLayout layout = SegmentLayouter().LayOut(model.segments, min_alignment);
  PTEEDIT_ASSIGN(const PackedTables packed, PackFlatTensor(model.tables, layout.table, kDataHeaderLength));
  return Assemble(packed, kExtendedHeaderOffset + kDataHeaderLength, DataHeaderBytes, model.segments, layout, places,
                  model.segment_base);
}

Result<PlannedFile> PlanBundle(const Container& bundle, const PlannedFile& program) {
  PTEEDIT_TRY(CheckRewritable(bundle));
  PTEEDIT_ASSIGN(const PackedTables packed, PackBundledProgram(UnpackBundledProgram(bundle.tables())));
  if (!Fits(packed.size, program.size(), kMaxBundleBytes)) {
    return Unsupported(Text("bundle would have ", packed.size, " + ", program.size(),
                            " bytes, a flatbuffer has at most ", kMaxBundleBytes));
  }
  SetProgramLength(packed, program.size());
  return Assemble(packed, 0, program);
}

Result<PlannedFile> PlanAround(const Container& bundle, const PlannedFile& program, bool changed) {
  if (!changed) return PlanCopy(bundle);
  PTEEDIT_ASSIGN(PlannedFile file, PlanBundle(bundle, program));
  if (Result<Container> opened = Container::Open(file.AsSource(bundle.name())); !opened)
    return std::move(opened).error();
  return file;
}

}  // namespace pteedit
