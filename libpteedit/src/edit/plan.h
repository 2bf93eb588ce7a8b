// Layout: from a model to the list of where every byte of the output comes from. One forward pass, since segment
// offsets count from the end of the tables; nothing is read but tables already in memory.
//   tables with header | zeros to the largest alignment | segment 0 | zeros to its alignment | segment 1 | …
// Segments follow in index order without trailing bytes; one without bytes gets the place where it would have been.
// Segments that are the very same part of a source are written once, and what may lie inside another (Segment::inside)
// is where that has its bytes.
#ifndef PTEEDIT_SRC_EDIT_PLAN_H_
#define PTEEDIT_SRC_EDIT_PLAN_H_

#include <cstdint>
#include <vector>

#include "edit/model.h"
#include "pteedit/bytes.h"
#include "pteedit/planned_file.h"
#include "pteedit/result.h"

namespace pteedit {

// A program with segment data always gets an extended header of 32 bytes, one without has none, as the exporter does
// it, unless a runtime would ask for a segment all the same. A constant segment that tensors read is never without
// bytes. Each segment gets at least `min_alignment`, a power of two. A model that did not change is the very file.
Result<PlannedFile> PlanFile(const ProgramModel& model, uint64_t min_alignment = 16);
Result<PlannedFile> PlanFile(const DataModel& model, uint64_t min_alignment = 16);

// `bundle` with another program inside.
Result<PlannedFile> PlanBundle(const Container& bundle, const PlannedFile& program);

// `bundle` around what became of its program, opened and checked like any file; the very file where nothing changed.
Result<PlannedFile> PlanAround(const Container& bundle, const PlannedFile& program, bool changed);

// The same of a model whatever its `changed` says; whoever edits it further need not copy it first. `places` gets those
// of the segments in the file, by index, as whoever opens it finds them.
Result<PlannedFile> PlanAnew(const ProgramModel& model, uint64_t min_alignment, std::vector<Extent>* places = nullptr);
Result<PlannedFile> PlanAnew(const DataModel& model, uint64_t min_alignment, std::vector<Extent>* places = nullptr);

// The whole file as it is.
PlannedFile PlanCopy(const Container& file);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_EDIT_PLAN_H_
