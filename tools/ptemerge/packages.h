// Packages of the native backend, which become one.
#ifndef PTEEDIT_TOOLS_PTEMERGE_PACKAGES_H_
#define PTEEDIT_TOOLS_PTEMERGE_PACKAGES_H_

#include <vector>

#include "arguments.h"
#include "file_names.h"
#include "rewrite_output.h"

namespace pteedit::cli {

// Whether the first file of the set is called like a package.
bool IsPackage(const NamedFiles& set);

// Writes DIR/shared.ptn. Fails with kInvalidArgument where options are for programs, or not all sets are packages.
Result<RewriteOutput> RunPackages(const MergeArguments& arguments, const std::vector<NamedFiles>& sets);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_PTEMERGE_PACKAGES_H_
