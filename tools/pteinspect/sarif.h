// What --verify found as SARIF 2.1.0, the form that CI systems show beside the files.
#ifndef PTEEDIT_TOOLS_PTEINSPECT_SARIF_H_
#define PTEEDIT_TOOLS_PTEINSPECT_SARIF_H_

#include <map>
#include <string>
#include <vector>

#include "json.h"
#include "pteedit/finding.h"
#include "pteedit/result.h"

namespace pteedit::cli {

// One run: a rule for each kind of finding that occurs, with what docs/findings.md says of it, a result for each
// finding, and a notification for each file that could not be verified. Findings of a segment or key say its bytes.
Json SarifLog(const std::map<std::string, std::vector<Finding>>& findings, const std::map<std::string, Error>& failed);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_PTEINSPECT_SARIF_H_
