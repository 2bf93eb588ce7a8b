// What verification found, for people and machines.
#ifndef PTEEDIT_TOOLS_TEXT_FINDINGS_H_
#define PTEEDIT_TOOLS_TEXT_FINDINGS_H_

#include <map>
#include <string>
#include <vector>

#include "cli.h"
#include "pteedit/finding.h"
#include "pteedit/verify.h"
#include "text/reports.h"
#include "text/style.h"

namespace pteedit::cli {

// "model.pte: 1 error, 2 warnings" or "model.pte: clean", and a line for each finding, its severity in color where
// `tool` has any.
std::string FindingsText(const FileFindings& found, const Tool& tool);
// A row for each finding.
std::string FindingsTable(const std::map<std::string, std::vector<Finding>>& by_file, Format format);

// 0 where everything is clean, or has at most warnings and they are not `strict`ly forbidden; else 1.
int ExitCodeOf(const std::vector<FileFindings>& all, bool strict);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_TEXT_FINDINGS_H_
