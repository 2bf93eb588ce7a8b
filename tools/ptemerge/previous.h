// The release before, as --previous names it: a folder that ptemerge wrote.
#ifndef PTEEDIT_TOOLS_PTEMERGE_PREVIOUS_H_
#define PTEEDIT_TOOLS_PTEMERGE_PREVIOUS_H_

#include <string>
#include <vector>

#include "pteedit/merge.h"
#include "pteedit/result.h"

namespace pteedit::cli {

struct OpenedPrevious {
  PreviousRelease release;
  std::vector<std::string> paths;  // of all files that were read
};

// Its shared file, or all shards of it, if it has one, and its programs, each with the data file beside it. Fails with
// kInvalidArgument where not all of it is there, or only data files that are nobody's own; as a file cannot be opened,
// or with kIo.
Result<OpenedPrevious> OpenPrevious(const std::string& folder, const std::string& shared_name);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_PTEMERGE_PREVIOUS_H_
