// What was found in a dump, and in the files beside it, for the views to show.
#ifndef PTEEDIT_TOOLS_PTEINSPECT_PROFILE_PROFILED_H_
#define PTEEDIT_TOOLS_PTEINSPECT_PROFILE_PROFILED_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "profile/baseline.h"
#include "profile/options.h"
#include "pteedit/debug_values.h"
#include "pteedit/event_blocks.h"
#include "pteedit/numeric_gap.h"
#include "pteedit/operator_costs.h"
#include "pteedit/result.h"

namespace pteedit::inspect {

// What a dump is joined with; empty where there is none.
struct JoinedFiles {
  std::string program, record;
  std::vector<std::string> data;  // of the program
};

struct Profiled {
  EventScales scales;
  uint64_t bytes = 0;  // of the dump
  std::vector<EventBlock> blocks;
  // With a record.
  std::shared_ptr<const Source> record;
  std::optional<ReferenceOutputs> references;
  std::optional<std::vector<BlockValues>> values;  // by block, with a debug buffer
  // Where they are asked for:
  std::vector<BlockCosts> costs;
  std::optional<Baseline> baseline;
  std::optional<NumericGap> gap;
};

Result<Profiled> ReadProfile(const ProfileOptions& options, const JoinedFiles& joined);

}  // namespace pteedit::inspect

#endif  // PTEEDIT_TOOLS_PTEINSPECT_PROFILE_PROFILED_H_
