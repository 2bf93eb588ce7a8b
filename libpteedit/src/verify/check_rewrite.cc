#include "verify/check_rewrite.h"

#include <map>
#include <string>

#include "pteedit/verify.h"
#include "text.h"
#include "try.h"

namespace pteedit {
namespace {

using Counts = std::map<std::string, size_t>;  // of errors, by id

Counts CountErrors(const std::vector<FileFindings>& all) {
  Counts counts;
  for (const FileFindings& file : all) {
    for (const Finding& finding : file.findings) counts[finding.id] += finding.severity == Severity::kError ? 1 : 0;
  }
  return counts;
}

}  // namespace

Status CheckRewrite(const VerifiedSet& before, const VerifiedSet& after) {
  const VerifyOptions options{/*hash_keys=*/false, 1};
  PTEEDIT_ASSIGN(const std::vector<FileFindings> now, VerifyOpened(after.file, after.data, options));
  if (!HasErrors(now)) return {};
  PTEEDIT_ASSIGN(const std::vector<FileFindings> then, VerifyOpened(before.file, before.data, options));
  Counts allowed = CountErrors(then);
  for (const FileFindings& file : now) {
    for (const Finding& finding : file.findings) {
      if (finding.severity != Severity::kError) continue;
      size_t& left = allowed[finding.id];
      if (left == 0) {
        return Malformed(Text("would get an error that the input has not, ", finding.id, ": ", finding.where,
                              finding.where.empty() ? "" : " ", finding.message))
            .In(file.file);
      }
      --left;
    }
  }
  return {};
}

}  // namespace pteedit
