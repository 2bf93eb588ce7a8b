// The report of a dump: --etdump.
#ifndef PTEEDIT_TOOLS_PTEINSPECT_PROFILE_REPORT_H_
#define PTEEDIT_TOOLS_PTEINSPECT_PROFILE_REPORT_H_

#include <string>
#include <vector>

#include "json.h"
#include "pteedit/event_blocks.h"

namespace pteedit::inspect {

// A table of the Inspector: cells are null, booleans, numbers, texts or lists of such.
struct DataFrame {
  std::vector<std::string> columns;
  std::vector<std::vector<cli::Json>> rows;
};

struct DataFrameOptions {
  TimeScale scale = TimeScale::kMs;  // of the times
  bool has_units = true;             // in the names of their columns
  bool has_delegate_data = false;    // a column with the metadata of delegates, where some event has any
};

// All events, with all columns.
DataFrame ToDataFrame(const std::vector<EventBlock>& blocks, const DataFrameOptions& options);
// What the Inspector prints of it: no OPERATOR_CALL, and no column that is too wide for a table.
DataFrame ForPrinting(const DataFrame& frame);

// As tabulate prints it, in the format fancy_grid.
std::string GridText(const DataFrame& frame);
// As pandas writes it, separated by tabs.
std::string TsvText(const DataFrame& frame);
cli::Json DataFrameJson(const DataFrame& frame);

cli::Json EventBlocksJson(const std::vector<EventBlock>& blocks, const EventScales& scales);

}  // namespace pteedit::inspect

#endif  // PTEEDIT_TOOLS_PTEINSPECT_PROFILE_REPORT_H_
