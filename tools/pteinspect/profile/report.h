// The report of a dump: --etdump.
#ifndef PTEEDIT_TOOLS_PTEINSPECT_PROFILE_REPORT_H_
#define PTEEDIT_TOOLS_PTEINSPECT_PROFILE_REPORT_H_

#include <vector>

#include "json.h"
#include "profile/data_frame.h"
#include "profile/debug_report.h"
#include "pteedit/event_blocks.h"

namespace pteedit::inspect {

struct DataFrameOptions {
  TimeScale scale = TimeScale::kMs;  // of the times
  bool has_units = true;             // in the names of their columns
  bool has_delegate_data = false;    // a column with the metadata of delegates, where some event has any
  // Of the debug buffer; null where there is none.
  const std::vector<ShownBlock>* values = nullptr;
};

// All events, with all columns.
DataFrame ToDataFrame(const std::vector<EventBlock>& blocks, const DataFrameOptions& options);
// What the Inspector prints of it: no OPERATOR_CALL, and no column that is too wide for a table.
DataFrame ForPrinting(const DataFrame& frame);

cli::Json DataFrameJson(const DataFrame& frame);

// `values` are those of the debug buffer, `references` the outputs that a record expects, both by block; null where
// there is none.
cli::Json EventBlocksJson(const std::vector<EventBlock>& blocks, const EventScales& scales,
                          const std::vector<ShownBlock>* values, const std::vector<cli::Json>* references);

}  // namespace pteedit::inspect

#endif  // PTEEDIT_TOOLS_PTEINSPECT_PROFILE_REPORT_H_
