// Which tensors of a method are on the same bytes of an arena while both are needed.
#ifndef PTEEDIT_SRC_VERIFY_PLANNED_OVERLAPS_H_
#define PTEEDIT_SRC_VERIFY_PLANNED_OVERLAPS_H_

#include <cstdint>
#include <vector>

#include "program/lifetimes.h"
#include "pteedit/bytes.h"
#include "verify/value_uses.h"

namespace pteedit {

struct PlannedValue {
  uint32_t value = 0;
  uint32_t arena = 0;
  Extent place;  // in the arena; not empty, does not wrap
  Lifetimes::Span life;
  ValueUse use;
};

struct PlannedOverlap {
  PlannedValue first, second;  // the later one is told
};

// Views have the bytes of what they view, and the exporter leaves some of them out as instructions. So values on the
// very same bytes are one thing under several names, unless a kernel writes the second and a later step still reads
// the first. Values that overlap otherwise are wrong whenever both live, but for what a view gives. One overlap for
// each value, in the order of the steps where they begin. The time grows with n log n.
std::vector<PlannedOverlap> FindPlannedOverlaps(std::vector<PlannedValue> values);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_VERIFY_PLANNED_OVERLAPS_H_
