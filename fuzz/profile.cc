// ETDumps and ETRecords: their size trees, verification, and what counts and lists the nodes of records.
#include "file_promises.h"
#include "fuzz_input.h"
#include "profile_promises.h"
#include "pteedit/profile/profile_kind.h"
#include "pteedit/verify.h"

using namespace pteedit;

namespace {

void CheckKind(const std::shared_ptr<const Source>& source) {
  const Result<std::optional<ProfileKind>> kind = FindProfileKind(source);
  fuzz::PromiseResult(kind, "bytes in memory have a kind or none:");
  for (const ProfileKind tried : {ProfileKind::kEtdump, ProfileKind::kEtrecord}) {
    const Result<SizeNode> sizes = MeasureProfile(source, tried);
    fuzz::Promise(sizes || sizes.error().code != ErrorCode::kIo, "bytes in memory can be read");
    if (!sizes) continue;
    fuzz::Promise(sizes->size == source->size() && kind->has_value(),
                  "all bytes are counted, of a kind that was found");
    fuzz::CheckSums(*sizes);
  }
  if (!*kind) return;
  const Result<FileFindings> findings = VerifyProfile(source, **kind);
  fuzz::PromiseResult(findings, "a file of a known kind can be verified:");
  fuzz::Promise(HasErrors({*findings}) || MeasureProfile(source, **kind).has_value(), "what is clean can be measured");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto source = MakeViewSource("input", {data, size});
  CheckKind(source);
  fuzz::UseDump(source);
  fuzz::UseRecord(source);
  return 0;
}
