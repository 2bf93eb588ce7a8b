// What a record tells of a dump.
#ifndef PTEEDIT_SRC_PROFILE_RECORD_JOINS_H_
#define PTEEDIT_SRC_PROFILE_RECORD_JOINS_H_

#include <string>
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
// damaged, kIo where it cannot be read. `graph` is another one of the record, "edge_after_transform/forward", whose
// operators events get instead; kInvalidArgument where the record has none of that name.
Status JoinRecord(std::vector<EventBlock>& blocks, const Etrecord& record, const std::string& graph = "",
                  const ParseLimits& limits = {});

struct ExpectedOutputs {
  ReferenceOutputs blocks;
  std::string why_unread;  // where the record has some that cannot be read: of values that are none of DebugValue
};

// Fails with kUnsupported where the record has outputs of fewer inputs than the block's; kMalformed where they are
// damaged; kIo where the record cannot be read.
Result<ExpectedOutputs> ReadReferenceOutputs(const std::vector<EventBlock>& blocks, const Etrecord& record);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_PROFILE_RECORD_JOINS_H_
