// How far numbers are apart, as --gap shows it, and of outputs where a record expects some.
#ifndef PTEEDIT_TOOLS_PTEPROF_GAP_REPORT_H_
#define PTEEDIT_TOOLS_PTEPROF_GAP_REPORT_H_

#include <string>
#include <vector>

#include "json.h"
#include "pteedit/profile/numeric_gap.h"
#include "pteedit/result.h"

namespace pteedit::cli {

// Fails with kIo.
Result<Json> GapJson(const NumericGap& gap);
// By output: its gap, null where it cannot be computed.
Json OutputGapsJson(const std::vector<ValueGap>& gaps);

// Which way operators are joined, a table of them, and one of the outputs.
std::string GapText(const NumericGap& gap);
// A table of outputs only; empty where there are none.
std::string OutputGapsText(const std::vector<ValueGap>& gaps);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_PTEPROF_GAP_REPORT_H_
