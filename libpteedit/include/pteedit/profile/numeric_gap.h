// How far the numbers of two runs are apart: of each operator, where both logged it, and of the outputs.
#ifndef PTEEDIT_PROFILE_NUMERIC_GAP_H_
#define PTEEDIT_PROFILE_NUMERIC_GAP_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pteedit/export.h"
#include "pteedit/profile/debug_values.h"
#include "pteedit/profile/event_blocks.h"
#include "pteedit/result.h"

namespace pteedit {

// Between tensors of one shape, in double precision, as the exporter's Inspector has it: in a tensor that has any, NaN
// counts as 0 and infinities as the largest number.
struct TensorGap {
  double mse = 0;             // mean of the squared differences
  double l1 = 0;              // sum of the absolute differences
  double snr = 0;             // 10 log10(mean of the squared reference / mse); infinite where the mse is 0
  double max_difference = 0;  // the largest absolute difference
};

// Numbers and truth values count as tensors without dimensions. Nothing where the shapes differ, or where one is
// neither, or of elements that cannot be read; see ReadElements. Fails with kIo.
PTEEDIT_API Result<std::optional<TensorGap>> GapBetween(const DebugValue& reference, const DebugValue& value);

// One value and its reference.
struct ValueGap {
  std::string block;                                  // its name
  std::string method;                                 // that the block is a run of; empty where it is not known
  std::vector<uint64_t> debug_handles;                // of operators joined by them: of the side that has more
  std::vector<std::string> reference_events, events;  // names; none for outputs
  int64_t instruction = -1;                           // of the last event; -1 for outputs
  size_t index = 0;  // of the output, or of the value among those of an operator; items of lists count each
  DebugValue reference, value;
  std::optional<TensorGap> gap;  // see GapBetween
};

struct NumericGap {
  bool by_debug_handles = false;    // else by the places of equal events
  std::vector<ValueGap> operators;  // in the order of the run
  std::vector<ValueGap> outputs;    // of blocks
  size_t unmatched_reference = 0;   // operators of the reference that logged values and have no counterpart
  size_t unmatched = 0;             // the same of the other one
  size_t untold = 0;  // calls of delegates, of both, whose outputs the records do not tell apart: not compared
};

// A dump, its blocks joined with a record where there is one, and their values.
struct LoggedRun {
  const std::vector<EventBlock>& blocks;
  const std::vector<BlockValues>& values;
  // The record that blocks are joined with; null where there is none. Each export numbers debug handles anew, and the
  // record tells what they stand for.
  std::shared_ptr<const Source> record = nullptr;
};

// Joins operators by debug handles where both records are there: by the names that handles stand for in the graph that
// was exported, where records have these. Of what was decomposed the last step counts; an output of a delegate is that
// of the node whose value others use. Otherwise by place, where the dumps have the same blocks of the same events.
// Fails with kUnsupported where neither can be, or nothing was logged; kIo where values cannot be read.
PTEEDIT_API Result<NumericGap> CompareRuns(const LoggedRun& reference, const LoggedRun& run);

// The outputs of a block against those that a record expects; none where there are not as many. Fails with kIo.
PTEEDIT_API Result<std::vector<ValueGap>> CompareOutputs(const EventBlock& block,
                                                         const std::vector<DebugValue>& run_output,
                                                         const std::vector<DebugValue>& reference_output);

}  // namespace pteedit

#endif  // PTEEDIT_PROFILE_NUMERIC_GAP_H_
