#include <utility>

#include "text/reports.h"

namespace pteedit::cli {

Json DeltaJson(const DeltaReport& report, bool dry_run) {
  Json files = Json::array();
  for (const DeltaFileReport& file : report.files) {
    files.push_back({{"file", file.file},
                     {"bytes", file.bytes},
                     {"copied_bytes", file.copied_bytes},
                     {"delta_bytes", file.delta_bytes}});
  }
  return {{"schema_version", kJsonSchemaVersion},
          {"tool", "ptepack"},
          {"command", "delta"},
          {"dry_run", dry_run},
          {"from", report.from},
          {"to", report.to},
          {"release_bytes", report.release_bytes},
          {"delta_bytes", report.delta_bytes},
          {"manifest_bytes", report.manifest_bytes},
          {"files", std::move(files)}};
}

Json ApplyJson(const ApplyReport& report, bool dry_run) {
  Json files = Json::array();
  for (const AppliedFile& file : report.files)
    files.push_back({{"file", file.file}, {"bytes", file.bytes}, {"how", ApplyStepName(file.step)}});
  return {{"schema_version", kJsonSchemaVersion},
          {"tool", "ptepack"},
          {"command", "apply"},
          {"dry_run", dry_run},
          {"from", report.from},
          {"to", report.to},
          {"files", std::move(files)}};
}

Json PruneJson(const std::vector<PrunedFile>& removed, bool dry_run) {
  Json files = Json::array();
  for (const PrunedFile& file : removed) files.push_back({{"file", file.path}, {"bytes", file.bytes}});
  return {{"schema_version", kJsonSchemaVersion},
          {"tool", "ptepack"},
          {"command", "prune"},
          {"dry_run", dry_run},
          {"removed", std::move(files)}};
}

}  // namespace pteedit::cli
