#include "copy/upgrade.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "base/checked.h"
#include "base/text.h"
#include "edit/segment_refs.h"
#include "program/extended_header.h"

namespace pteedit {
namespace {

// Constants on the same bytes of the tables stay on the same bytes. Indices stay as they are.
void AppendInline(const ProgramModel& model, Segment& segment, std::vector<uint64_t>& offsets) {
  const uint8_t* const tables = model.origin->tables().data;
  const std::vector<tables::InlineBytes>& constants = model.tables.constant_buffer.items;
  std::map<std::pair<const uint8_t*, size_t>, uint64_t> places;
  for (size_t i = 1; i < constants.size(); ++i) {
    const tables::Blob& blob = constants[i].value;
    const uint64_t behind = AlignUp(segment.bytes.size(), blob.alignment);
    const auto [place, is_new] = places.try_emplace({blob.bytes.data(), blob.bytes.size()}, behind);
    offsets.push_back(place->second);
    if (!is_new || blob.bytes.size() == 0) continue;
    segment.alignment = std::max<uint64_t>(segment.alignment, blob.alignment);
    segment.bytes.AppendZeros(behind - segment.bytes.size());
    segment.bytes.Append(model.origin->source(),
                         {static_cast<uint64_t>(blob.bytes.data() - tables), blob.bytes.size()});
  }
  for (uint64_t& offset : offsets) offset = std::min(offset, segment.bytes.size());
}

}  // namespace

void MoveInlineConstants(ProgramModel& model, RewriteReport& report) {
  tables::Program& program = model.tables;
  if (program.constant_segment && program.constant_segment->offsets.size() != 0) return;
  ForEachSegmentRef(program, [](uint32_t& index) { ++index; });
  Segment segment;
  std::vector<uint64_t> offsets = {0};
  AppendInline(model, segment, offsets);
  const size_t count = offsets.size() - 1;
  if (count != 0)
    report.notes.push_back(Text(count, count == 1 ? " constant moves" : " constants move", " out of the tables of ",
                                model.origin->name(), " into a segment"));
  if (count == 0) report.notes.push_back("a list of constants says now that there are none");
  model.segments.insert(model.segments.begin(), std::move(segment));
  program.constant_segment = tables::SubsegmentOffsets{0, tables::Vector<uint64_t>::Own(std::move(offsets))};
  program.constant_buffer = {true, {}};
  model.changed = true;
}

void Upgrade(ProgramModel& model, RewriteReport& report) {
  MoveInlineConstants(model, report);
  const FileHeader& header = model.origin->header();
  if (!header.has_extended_header || header.extended_header_length >= kProgramHeaderLength) return;
  report.notes.push_back("the header tells the size of the segments now");
  model.changed = true;
}

}  // namespace pteedit
