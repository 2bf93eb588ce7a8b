// What a program logged while it ran, and what the exporter's record expects of it, as values.
#ifndef PTEEDIT_PROFILE_DEBUG_VALUES_H_
#define PTEEDIT_PROFILE_DEBUG_VALUES_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "pteedit/export.h"
#include "pteedit/profile/event_blocks.h"
#include "pteedit/profile/tensor_values.h"
#include "pteedit/result.h"
#include "pteedit/source.h"

namespace pteedit {

struct EventValues {
  std::vector<DebugValue> debug_data;  // of the first run
  uint64_t other_runs = 0;             // how many runs logged something else; the exporter's Inspector refuses these
};

// Of an EventBlock.
struct BlockValues {
  std::vector<DebugValue> run_output;  // of the first run that has any
  uint64_t other_runs = 0;             // how many of those after it have another output
  std::vector<EventValues> events;     // by event
};

// What the blocks of a dump logged, in their order. Without `debug_buffer`, which may be null, all elements of tensors
// are zero, as with the Inspector, and tensors of one type and size are the same. Values are the same where all their
// bytes are. Fails with kMalformed where a tensor does not lie inside the debug buffer or has a negative size,
// kUnsupported where its elements are of a type that the Inspector cannot read, kIo where the buffer cannot be read.
PTEEDIT_API Result<std::vector<BlockValues>> ReadDebugValues(const std::vector<EventBlock>& blocks,
                                                             const std::shared_ptr<const Source>& debug_buffer);

// The outputs that the exporter's record expects of each block, in their order: for the method whose run the block is,
// or the only one that the record has outputs of, those of the block's bundled input, or of the last one where the
// block has none, as with the Inspector. Nothing where the record has none, or the method is not known.
using ReferenceOutputs = std::vector<std::optional<std::vector<DebugValue>>>;

}  // namespace pteedit

#endif  // PTEEDIT_PROFILE_DEBUG_VALUES_H_
