#include "base/text.h"
#include "pteedit/profile/profile_kind.h"
#include "pteedit/try.h"
#include "record/etrecord.h"
#include "verify/findings.h"

namespace pteedit {
namespace {

// Readable to us and to the Inspector.
Status VerifyRecord(const std::shared_ptr<const Source>& source, Findings& found) {
  PTEEDIT_ASSIGN(const Etrecord record, Etrecord::Open(source));
  std::vector<std::string> entries{"debug_handle_map", "delegate_map", "instruction_id_to_num_outs_map"};
  for (const std::string& method : record.Methods()) entries.push_back(record.EdgeProgramEntry(method));
  for (const std::string& entry : entries) {
    const Result<JsonValue> json = record.ReadJson(entry);
    if (json) continue;
    if (json.error().code == ErrorCode::kIo) return json.error();
    Finding finding = FindingOf(json.error());
    if (finding.id == "unsupported") finding.id = "record-json";
    found.Add(std::move(finding));
  }
  return {};
}

Status VerifyDump(const std::shared_ptr<const Source>& source, Findings& found) {
  PTEEDIT_ASSIGN(const SizeNode sizes, MeasureProfile(source, ProfileKind::kEtdump));
  const SizeNode* behind = FindComponent(sizes, "Unattributed");
  if (behind != nullptr) {
    found.AddWarning("trailing-bytes", "", Text(behind->size, " bytes behind the last table belong to nothing"));
  }
  return {};
}

}  // namespace

Result<FileFindings> VerifyProfile(const std::shared_ptr<const Source>& source, ProfileKind kind) {
  Findings found;
  const Status status = kind == ProfileKind::kEtdump ? VerifyDump(source, found) : VerifyRecord(source, found);
  if (!status && status.error().code == ErrorCode::kIo) return status.error();
  if (!status) found.Add(FindingOf(status.error()));
  return FileFindings{source->name(), std::move(found).Take()};
}

}  // namespace pteedit
