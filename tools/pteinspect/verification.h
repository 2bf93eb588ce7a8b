// The view --verify: what is wrong with files, each looked at together with the data files of --data.
#ifndef PTEEDIT_TOOLS_PTEINSPECT_VERIFICATION_H_
#define PTEEDIT_TOOLS_PTEINSPECT_VERIFICATION_H_

#include <optional>
#include <string>
#include <vector>

#include "pteedit/program_set.h"
#include "pteedit/requirements.h"
#include "pteedit/result.h"
#include "pteedit/verify.h"
#include "request.h"

namespace pteedit::cli {

// With the adapters of the request. One element for `file`, then one for each data file. Fails as Verify does.
Result<std::vector<FileFindings>> VerifyFile(const std::string& file, const std::vector<std::string>& data,
                                             const Request& request);

// What a program needs beside it; nothing for a data file, and where damage hides it.
std::optional<Requirements> NeedsOf(const ProgramSet& set);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_PTEINSPECT_VERIFICATION_H_
