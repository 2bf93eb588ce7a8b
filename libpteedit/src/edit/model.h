// A file in editable form: unpacked tables and a list of segments. Segments are extents of sources, never buffers, so a
// model of a ten gigabyte program is as small as its tables. Operations are edits of the tables and the segment list;
// plan.h lays the result out.
#ifndef PTEEDIT_SRC_EDIT_MODEL_H_
#define PTEEDIT_SRC_EDIT_MODEL_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "edit/tables.h"
#include "pteedit/container.h"
#include "pteedit/planned_file.h"
#include "pteedit/result.h"

namespace pteedit {

inline constexpr uint64_t kPageAlignment = 4096;

// Bytes behind the tables. Their place is not kept: it follows from order, size and alignment.
struct Segment {
  PlannedFile bytes;
  uint64_t alignment = 16;   // power of two
  uint64_t least_place = 0;  // lies no further ahead behind the segment base, so that an older file has it there too
  // May lie inside another that has its bytes: where it did so in the file, or where that was asked for.
  bool inside = false;
};

template <class Tables>
struct Model {
  std::optional<Container> origin;  // what the tables look into; nothing where the model was built from nothing
  Tables tables;                    // `segments` is stale: the list below is the truth
  std::vector<Segment> segments;
  bool changed = false;       // set by whoever edits; an unchanged model is written as the very bytes of `origin`
  uint64_t segment_base = 0;  // of a data file: where its segments begin at the earliest, once more for an older file
};

using ProgramModel = Model<tables::Program>;  // a .pte
using DataModel = Model<tables::FlatTensor>;  // a .ptd in today's layout

// The alignments to keep, read off the places of a file's segments, since no field stores them. At least 16, at most
// 4096, or 16384 where all segments with bytes have it. A place may also be round by chance, and keeping chance would
// swell every rewrite. So all segments get what divides all offsets: pages of 4096 bytes whatever lies between them, as
// losing those is worse than some padding; between the exporter's default of 128 and that only what padding shows. One
// with a longer gap before it than that explains was placed by an alignment of its own, the least that explains the
// gap: with a rounder one by chance, every rewrite would place it rounder still.
std::vector<uint64_t> ShownAlignments(const Container& file);
// The same of segments at `segments` behind so many bytes of tables.
std::vector<uint64_t> ShownAlignments(const std::vector<Extent>& segments, uint64_t tables_size);

// Whether any two segments have bytes in common.
bool SharesBytes(const Container& file);

// For whoever chooses one alignment for copies in several files: of `all`, which divides the offsets of all `places`,
// the part that is no accident, since a gap between them proves it or too many places have it. `start` is where the
// first could lie; `least` needs no proof.
uint64_t EvidentAlignment(const std::vector<Extent>& places, uint64_t start, uint64_t least, uint64_t all);
// The same of a file's segments: at most what ShownAlignments says.
std::vector<uint64_t> EvidentAlignments(const Container& file);

// How far behind the segment base a segment of the file lies, by where it begins.
inline uint64_t PlaceBehindBase(const Container& file, uint64_t offset) {
  return offset - file.header().segment_base_offset;
}

// Refuses, with kUnsupported, what a rewrite could not keep: fields that our schema does not know, segments that
// overlap in part, and keys that occur twice. Segments that lie inside others may do so in what is written, too.
Result<ProgramModel> ReadProgramModel(const Container& program);
Result<DataModel> ReadDataModel(const Container& data);

// Whether a rewrite would keep everything of this file; the reason where not.
Status CheckRewritable(const Container& file);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_EDIT_MODEL_H_
