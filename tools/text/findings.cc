#include "text/findings.h"

#include <unistd.h>

#include <algorithm>

#include "pteedit/text.h"
#include "text/table.h"

namespace pteedit::cli {
namespace {

std::string CountOf(const std::vector<Finding>& findings, Severity severity) {
  const auto count = std::count_if(findings.begin(), findings.end(),
                                   [&](const Finding& finding) { return finding.severity == severity; });
  if (count == 0) return {};
  return std::to_string(count) + " " + SeverityWord(severity) + (count == 1 ? "" : "s");
}

std::string FindingsSummary(const std::vector<Finding>& findings) {
  const std::string errors = CountOf(findings, Severity::kError);
  const std::string warnings = CountOf(findings, Severity::kWarning);
  if (errors.empty() && warnings.empty()) return "clean";
  return errors + (errors.empty() || warnings.empty() ? "" : ", ") + warnings;
}

}  // namespace

std::string FindingsText(const FileFindings& found, const Tool& tool) {
  std::string text = EscapeControl(found.file) + ": " + FindingsSummary(found.findings) + "\n";
  for (const Finding& finding : found.findings) {
    const Tint tint = finding.severity == Severity::kError ? Tint::kError : Tint::kWarning;
    text += " " + tool.Colored(tint, SeverityWord(finding.severity), STDOUT_FILENO) + " " + finding.id + ": ";
    if (!finding.where.empty()) text += EscapeControl(finding.where) + " ";
    text += EscapeControl(finding.message) + "\n";
  }
  return text;
}

std::string FindingsTable(const std::map<std::string, std::vector<Finding>>& by_file, Format format) {
  Table table({{"File"}, {"Severity"}, {"Finding"}, {"Where"}, {"Message"}});
  for (const auto& [file, findings] : by_file) {
    for (const Finding& finding : findings) {
      table.AddRow({EscapeControl(file), SeverityWord(finding.severity), finding.id, EscapeControl(finding.where),
                    EscapeControl(finding.message)});
    }
  }
  return table.In({format});
}

int ExitCodeOf(const std::vector<FileFindings>& all, bool strict) {
  const bool any = std::any_of(all.begin(), all.end(), [](const FileFindings& file) { return !file.findings.empty(); });
  return HasErrors(all) || (strict && any) ? kExitFindings : kExitDone;
}

}  // namespace pteedit::cli
