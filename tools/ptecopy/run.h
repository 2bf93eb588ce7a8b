// What ptecopy does with its command line: open, plan with the library, write, tell.
#ifndef PTEEDIT_TOOLS_PTECOPY_RUN_H_
#define PTEEDIT_TOOLS_PTECOPY_RUN_H_

#include "arguments.h"
#include "pteedit/result.h"
#include "rewrite_output.h"

namespace pteedit::cli {

// In a dry run nothing is written, but all else is checked and reported alike.
Result<RewriteOutput> Run(const CopyArguments& arguments);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_PTECOPY_RUN_H_
