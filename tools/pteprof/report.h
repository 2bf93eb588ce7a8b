// What a dump holds: the data frame of the Inspector, and event blocks as JSON.
#ifndef PTEEDIT_TOOLS_PTEPROF_REPORT_H_
#define PTEEDIT_TOOLS_PTEPROF_REPORT_H_

#include <vector>

#include "debug_report.h"
#include "json.h"
#include "pteedit/profile/event_blocks.h"
#include "text/data_frame.h"

namespace pteedit::cli {

struct DataFrameOptions {
  TimeScale scale = TimeScale::kMs;  // of the times
  bool has_units = true;             // in the names of their columns
  bool has_delegate_data = false;    // a column with the metadata of delegates, where some event has any
  // Of the debug buffer; null where there is none.
  const std::vector<ShownBlock>* values = nullptr;
  bool for_table = false;  // what the Inspector prints: no OPERATOR_CALL, and no column that is too wide for a table
};

// All events, which have to outlive it, with all columns.
DataFrame ToDataFrame(const std::vector<EventBlock>& blocks, const DataFrameOptions& options);

void PrintDataFrame(const DataFrame& frame, JsonPrinter& printer);

// What files beside the dump tell, by block.
struct BlockValues {
  std::vector<ShownBlock> shown;  // of the debug buffer; empty without one
  std::vector<Json> references;   // outputs that a record expects
  std::vector<Json> gaps;         // between these and those that were logged, null where there is none
};

void PrintEventBlocks(const std::vector<EventBlock>& blocks, const EventScales& scales, const BlockValues& values,
                      bool has_traces, JsonPrinter& printer);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_PTEPROF_REPORT_H_
