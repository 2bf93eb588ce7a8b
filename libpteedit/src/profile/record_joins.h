// What a record tells of a dump.
#ifndef PTEEDIT_SRC_PROFILE_RECORD_JOINS_H_
#define PTEEDIT_SRC_PROFILE_RECORD_JOINS_H_

#include <vector>

#include "pteedit/profile/debug_values.h"
#include "pteedit/profile/event_blocks.h"
#include "pteedit/result.h"
#include "record/etrecord.h"

namespace pteedit {

// Joins blocks with the exporter's record: instructions with debug handles, those with the operators of the model in
// the edge dialect, and calls of delegates with the names of backends. A dump names no methods; where a record has
// several, a block is joined where it can be a run of one only, by the places of delegates and the operators of
// kernels. Fails with kUnsupported where the record is of another program or over the limits, kMalformed where it is
// damaged, kIo where it cannot be read.
Status JoinRecord(std::vector<EventBlock>& blocks, const Etrecord& record, const ParseLimits& limits = {});

// Fails with kUnsupported where outputs are no tensors, numbers, texts and lists of these, or of fewer inputs than the
// block's; kMalformed where they are damaged; kIo where the record cannot be read.
Result<ReferenceOutputs> ReadReferenceOutputs(const std::vector<EventBlock>& blocks, const Etrecord& record);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_PROFILE_RECORD_JOINS_H_
