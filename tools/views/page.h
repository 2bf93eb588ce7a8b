// The page of a file and its data files, as pteinspect --html writes it without other options than views.
#ifndef PTEEDIT_TOOLS_VIEWS_PAGE_H_
#define PTEEDIT_TOOLS_VIEWS_PAGE_H_

#include <string>
#include <vector>

#include "pteedit/delegate_metadata.h"
#include "pteedit/program_set.h"
#include "pteedit/result.h"
#include "views/inspection.h"

namespace pteedit::cli {

// All views that need no more than the file. A page of them also has its findings, and what it holds twice.
ViewRequest ViewsOfWholePage();

// The page of these views of a file and of each of its data files; `options` are theirs, "--methods", and none means
// the whole page. `is_named`: names were looked for, and it says how many contents have one. kInvalidArgument where
// there is no such view; else fails as Inspect does.
Result<std::string> PageOf(const ProgramSet& set, const std::vector<std::string>& options,
                           const std::vector<BlobDecoder>& decoders, bool is_named);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_VIEWS_PAGE_H_
