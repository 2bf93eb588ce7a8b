// Storing what is both a constant and a key once, by a segment that lies inside another.
#ifndef PTEEDIT_SRC_STRIP_OVERLAP_H_
#define PTEEDIT_SRC_STRIP_OVERLAP_H_

#include <cstdint>
#include <vector>

#include "edit/dedupe.h"
#include "edit/model.h"
#include "pteedit/result.h"

namespace pteedit {

// Lets the segment of a key lie inside the constant segment where a constant has the same bytes, which is moved there
// as far as the key's alignment, at least `min_alignment`, asks. Only segments that nothing but keys use, and constants
// of known size that share no bytes with others. Initial states, blobs and inline constants stay as they are. Returns
// the keys, one a segment; sets model.changed where there are any.
Result<std::vector<Duplicate>> PutKeysInside(ProgramModel& model, uint64_t min_alignment, unsigned threads);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_STRIP_OVERLAP_H_
