#include "verification.h"

#include <unistd.h>

#include <algorithm>
#include <memory>

#include "inspection.h"
#include "pteedit/profile/profile_kind.h"
#include "pteedit/text.h"
#include "pteedit/try.h"
#include "text/inputs.h"
#include "text/table.h"

namespace pteedit::cli {
namespace {

const char* Word(Severity severity) { return severity == Severity::kError ? "error" : "warning"; }

std::string Count(const std::vector<Finding>& findings, Severity severity) {
  const auto count = std::count_if(findings.begin(), findings.end(),
                                   [&](const Finding& finding) { return finding.severity == severity; });
  if (count == 0) return {};
  return std::to_string(count) + " " + Word(severity) + (count == 1 ? "" : "s");
}

std::string Summary(const std::vector<Finding>& findings) {
  const std::string errors = Count(findings, Severity::kError);
  const std::string warnings = Count(findings, Severity::kWarning);
  if (errors.empty() && warnings.empty()) return "clean";
  return errors + (errors.empty() || warnings.empty() ? "" : ", ") + warnings;
}

}  // namespace

Result<std::vector<FileFindings>> VerifyFile(const std::string& file, const std::vector<std::string>& data) {
  PTEEDIT_ASSIGN(const std::shared_ptr<const Source> source, OpenSource(file));
  PTEEDIT_ASSIGN(const std::optional<ProfileKind> profile, FindProfileKind(source));
  if (profile) {
    if (!data.empty())
      return InvalidArgument(std::string("is an ") + KindName(*profile) + ", a program expected").In(file);
    PTEEDIT_ASSIGN(FileFindings found, VerifyProfile(source, *profile));
    return std::vector<FileFindings>{std::move(found)};
  }
  std::vector<std::shared_ptr<const Source>> sources;
  for (const std::string& path : data) {
    PTEEDIT_ASSIGN(std::shared_ptr<const Source> opened, OpenSource(path));
    sources.push_back(std::move(opened));
  }
  Result<std::vector<FileFindings>> found = Verify(source, sources, {true, ThreadCount()});
  if (!found) return NamingAlso(std::move(found).error(), ".etdp or .etrecord");
  return found;
}

std::string FindingsText(const FileFindings& found, const Tool& tool) {
  std::string text = EscapeControl(found.file) + ": " + Summary(found.findings) + "\n";
  for (const Finding& finding : found.findings) {
    const Tint tint = finding.severity == Severity::kError ? Tint::kError : Tint::kWarning;
    text += " " + tool.Colored(tint, Word(finding.severity), STDOUT_FILENO) + " " + finding.id + ": ";
    if (!finding.where.empty()) text += EscapeControl(finding.where) + " ";
    text += EscapeControl(finding.message) + "\n";
  }
  return text;
}

std::string FindingsTable(const std::map<std::string, std::vector<Finding>>& by_file, Format format) {
  Table table({{"File"}, {"Severity"}, {"Finding"}, {"Where"}, {"Message"}});
  for (const auto& [file, findings] : by_file) {
    for (const Finding& finding : findings) {
      table.AddRow({EscapeControl(file), Word(finding.severity), finding.id, EscapeControl(finding.where),
                    EscapeControl(finding.message)});
    }
  }
  return table.In({format});
}

Json FindingsJson(const std::vector<Finding>& findings) {
  Json list = Json::array();
  for (const Finding& finding : findings) {
    list.push_back({{"id", finding.id},
                    {"severity", Word(finding.severity)},
                    {"where", finding.where},
                    {"message", finding.message}});
  }
  return list;
}

int ExitCodeOf(const std::vector<FileFindings>& all, bool strict) {
  const bool any = std::any_of(all.begin(), all.end(), [](const FileFindings& file) { return !file.findings.empty(); });
  return HasErrors(all) || (strict && any) ? kExitFindings : kExitDone;
}

}  // namespace pteedit::cli
