// Reports that the tools print and the Python package and the C door hand out, as trees of plain data.
#ifndef PTEEDIT_TOOLS_TEXT_REPORTS_H_
#define PTEEDIT_TOOLS_TEXT_REPORTS_H_

#include <string>
#include <vector>

#include "json.h"
#include "pteedit/delegates.h"
#include "pteedit/diff.h"
#include "pteedit/duplicates.h"
#include "pteedit/finding.h"
#include "pteedit/package/delta.h"
#include "pteedit/package/prune.h"
#include "pteedit/requirements.h"
#include "pteedit/verify.h"

namespace pteedit::cli {

const char* SeverityWord(Severity severity);  // "error", "warning"
Json FindingsJson(const std::vector<Finding>& findings);
// Of a release with this id, all of whose files were looked at.
Json ReleaseFindingsJson(const std::vector<FileFindings>& all, const std::string& release);

Json DeltaJson(const DeltaReport& report, bool dry_run);
Json ApplyJson(const ApplyReport& report, bool dry_run);
Json PruneJson(const std::vector<PrunedFile>& removed, bool dry_run);

Json RequirementsJson(const Requirements& needs);

Json DelegateJson(const DelegateDescription& delegate);
// This and what follows prints into the object that has begun, row by row: there may be as many as tables.
void PrintDelegate(const DelegateDescription& delegate, JsonPrinter& printer);

// The files compared: on each side one and its data files.
struct DiffNames {
  std::vector<std::string> old, now;
};
Json DiffJson(const DiffNames& names, const FileDiff& diff);
void PrintDiff(const DiffNames& names, const FileDiff& diff, JsonPrinter& printer);

// `files` are the names of those that were compared.
void PrintDuplicates(const std::vector<std::string>& files, const Duplicates& duplicates, JsonPrinter& printer);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_TEXT_REPORTS_H_
