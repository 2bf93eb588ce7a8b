// What ptemerge does: open, merge, write, report.
#ifndef PTEEDIT_TOOLS_PTEMERGE_RUN_H_
#define PTEEDIT_TOOLS_PTEMERGE_RUN_H_

#include <string>
#include <vector>

#include "arguments.h"
#include "pteedit/planned_file.h"
#include "pteedit/result.h"
#include "rewrite_output.h"

namespace pteedit::cli {

Result<RewriteOutput> Run(const MergeArguments& arguments);

// The folder of the output with these files, and their hashes in the report; in a dry run only whether that is
// possible.
Status WriteMerged(const MergeArguments& arguments, const std::vector<Output>& outputs,
                   const std::vector<std::string>& inputs, std::vector<ReportedFile>& reported);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_PTEMERGE_RUN_H_
