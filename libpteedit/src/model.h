// A file in editable form: unpacked tables and a list of segments. Segments are extents of sources, never buffers, so a
// model of a ten gigabyte program is as small as its tables. Operations are edits of the tables and the segment list;
// plan.h lays the result out.
#ifndef PTEEDIT_SRC_MODEL_H_
#define PTEEDIT_SRC_MODEL_H_

#include <cstdint>
#include <vector>

#include "pteedit/container.h"
#include "pteedit/planned_file.h"
#include "pteedit/result.h"
#include "tables.h"

namespace pteedit {

// Bytes behind the tables. Their place is not kept: it follows from order, size and alignment.
struct Segment {
  PlannedFile bytes;
  uint64_t alignment = 16;  // power of two
};

// A .pte.
struct ProgramModel {
  Container origin;
  tables::Program tables;  // `segments` is stale: the list below is the truth
  std::vector<Segment> segments;
  bool changed = false;  // set by whoever edits; an unchanged model is written as the very bytes of `origin`
};

// A .ptd in today's layout.
struct DataModel {
  tables::FlatTensor tables;
  std::vector<Segment> segments;
  std::optional<Container> origin;  // what the tables look into, unless the model was built from nothing
};

// The alignments to keep, read off the places of a file's segments, since no field stores them. At least 16, at most
// 4096, or 16384 where all segments with bytes have it. A place may also be round by chance, and keeping chance would
// swell every rewrite, so padding is the witness: a file in which no gap before a segment reaches the exporter's
// default of 128 bytes was laid out with at most that; otherwise all segments get what divides all offsets; and one
// with a longer gap before it than that explains was placed by an alignment of its own, the least that explains the
// gap: with a rounder one by chance, every rewrite would place it rounder still.
std::vector<uint64_t> ShownAlignments(const Container& file);

// Refuses, with kUnsupported, what a rewrite could not keep: fields that our schema does not know, segments that
// overlap in part, and keys that occur twice.
Result<ProgramModel> ReadProgramModel(const Container& program);
Result<DataModel> ReadDataModel(const Container& data);

// Whether a rewrite would keep everything of this file; the reason where not.
Status CheckRewritable(const Container& file);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_MODEL_H_
