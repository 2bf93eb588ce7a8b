// What the public functions do with a record, for one that is open already.
#ifndef PTEEDIT_SRC_PROFILE_RECORD_JOINS_H_
#define PTEEDIT_SRC_PROFILE_RECORD_JOINS_H_

#include <memory>
#include <vector>

#include "pteedit/profile/debug_values.h"
#include "pteedit/profile/event_blocks.h"
#include "pteedit/result.h"
#include "pteedit/source.h"
#include "record/etrecord.h"

namespace pteedit {

Status JoinOpenRecord(std::vector<EventBlock>& blocks, const Etrecord& record, const ParseLimits& limits);

Result<ReferenceOutputs> ReadReferencesOf(const std::vector<EventBlock>& blocks,
                                          const std::shared_ptr<const Source>& source, const Etrecord& record);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_PROFILE_RECORD_JOINS_H_
