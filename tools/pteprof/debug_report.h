// What a program logged while it ran, as --debug-buffer shows it.
#ifndef PTEEDIT_TOOLS_PTEPROF_DEBUG_REPORT_H_
#define PTEEDIT_TOOLS_PTEPROF_DEBUG_REPORT_H_

#include <string>
#include <vector>

#include "json.h"
#include "pteedit/profile/debug_values.h"
#include "pteedit/profile/event_blocks.h"
#include "pteedit/result.h"

namespace pteedit::cli {

// A tensor of more elements shows their hash and statistics, but not the elements.
inline constexpr uint64_t kMaxShownElements = 64;

// "Execute (forward)"; without the method where it is empty.
std::string BlockText(const std::string& name, const std::string& method);

// JSON has no NaN and no infinities: these are texts, "nan", "inf" and "-inf".
Json RealJson(double real);

// A number, a truth value, a text, a tensor, a list of such, or null. Reads all tensors; fails with kIo.
Result<Json> ValueJson(const DebugValue& value);
Result<Json> ValuesJson(const std::vector<DebugValue>& values);

// The values of blocks as JSON, in their order.
struct ShownEvent {
  Json debug_data;
  uint64_t other_runs = 0;
};
struct ShownBlock {
  Json run_output;
  uint64_t other_runs = 0;
  std::vector<ShownEvent> events;
};
Result<std::vector<ShownBlock>> ShownValues(const std::vector<BlockValues>& values);

// A row for each output and each logged value, but for OPERATOR_CALL, which has those of its kernel. Fails with kIo.
Result<std::string> ValuesText(const std::vector<EventBlock>& blocks, const std::vector<BlockValues>& values);

// What differs between runs of one block, a line each.
std::vector<std::string> DifferenceWarnings(const std::vector<EventBlock>& blocks,
                                            const std::vector<BlockValues>& values);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_PTEPROF_DEBUG_REPORT_H_
