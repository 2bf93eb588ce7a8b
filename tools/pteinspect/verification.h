// The view --verify: what is wrong with files, each looked at together with the data files of --data.
#ifndef PTEEDIT_TOOLS_PTEINSPECT_VERIFICATION_H_
#define PTEEDIT_TOOLS_PTEINSPECT_VERIFICATION_H_

#include <string>
#include <vector>

#include "pteedit/result.h"
#include "pteedit/verify.h"

namespace pteedit::cli {

// One element for `file`, then one for each data file. Fails as Verify does.
Result<std::vector<FileFindings>> VerifyFile(const std::string& file, const std::vector<std::string>& data,
                                             const std::vector<std::string>& adapters);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_PTEINSPECT_VERIFICATION_H_
