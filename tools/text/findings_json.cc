#include "text/reports.h"

namespace pteedit::cli {

const char* SeverityWord(Severity severity) { return severity == Severity::kError ? "error" : "warning"; }

Json FindingsJson(const std::vector<Finding>& findings) {
  Json list = Json::array();
  for (const Finding& finding : findings) {
    list.push_back({{"id", finding.id},
                    {"severity", SeverityWord(finding.severity)},
                    {"where", finding.where},
                    {"message", finding.message}});
  }
  return list;
}

Json ReleaseFindingsJson(const std::vector<FileFindings>& all, const std::string& release) {
  Json json{{"schema_version", kJsonSchemaVersion}, {"tool", "ptepack"}, {"command", "verify"}, {"release", release}};
  json["files"] = Json::array();
  for (const FileFindings& found : all)
    json["files"].push_back({{"file", found.file}, {"findings", FindingsJson(found.findings)}});
  return json;
}

}  // namespace pteedit::cli
