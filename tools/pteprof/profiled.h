// What was found in a dump, and in the files beside it, for the views to show.
#ifndef PTEEDIT_TOOLS_PTEPROF_PROFILED_H_
#define PTEEDIT_TOOLS_PTEPROF_PROFILED_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "baseline.h"
#include "pteedit/container.h"
#include "pteedit/profile/debug_values.h"
#include "pteedit/profile/event_blocks.h"
#include "pteedit/profile/numeric_gap.h"
#include "pteedit/profile/operator_costs.h"
#include "pteedit/result.h"
#include "request.h"

namespace pteedit::inspect {

struct Profiled {
  EventScales scales;
  uint64_t bytes = 0;  // of the dump
  std::vector<EventBlock> blocks;
  // With a program.
  std::optional<Container> program;
  std::vector<Container> data;
  // With a record.
  std::shared_ptr<const Source> record;
  std::optional<ReferenceOutputs> references;
  std::optional<std::vector<BlockValues>> values;  // by block, with a debug buffer
  // Where they are asked for:
  std::vector<BlockCosts> costs;
  std::optional<Baseline> baseline;
  std::optional<NumericGap> gap;
};

// Reads the dump, and joins it with all that is given beside it. Fails as the library does where a file cannot be read
// or belongs to another program.
Result<Profiled> ReadProfile(const Request& request);

}  // namespace pteedit::inspect

#endif  // PTEEDIT_TOOLS_PTEPROF_PROFILED_H_
