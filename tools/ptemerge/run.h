// What ptemerge does: open, merge, write, report.
#ifndef PTEEDIT_TOOLS_PTEMERGE_RUN_H_
#define PTEEDIT_TOOLS_PTEMERGE_RUN_H_

#include "arguments.h"
#include "pteedit/result.h"
#include "rewrite_output.h"

namespace pteedit::cli {

Result<RewriteOutput> Run(const MergeArguments& arguments);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_PTEMERGE_RUN_H_
