// ETDumps and ETRecords: their size trees, verification, and what readers of records ask for.
#include "pteedit/profile.h"

#include "fuzz_input.h"
#include "profile/etrecord.h"
#include "pteedit/text.h"
#include "pteedit/verify.h"

using namespace pteedit;

namespace {

void CheckSums(const SizeNode& node) {
  uint64_t sum = 0;
  for (const SizeNode& component : node.components) {
    CheckSums(component);
    sum += component.size;
  }
  fuzz::Promise(node.components.empty() || sum == node.size, "sizes add up in", EscapeControl(node.name));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto source = MakeViewSource("input", {data, size});
  const Result<std::optional<ProfileKind>> kind = FindProfileKind(source);
  fuzz::Promise(kind.has_value(), "bytes in memory have a kind or none");
  for (const ProfileKind tried : {ProfileKind::kEtdump, ProfileKind::kEtrecord}) {
    const Result<SizeNode> sizes = MeasureProfile(source, tried);
    fuzz::Promise(sizes || sizes.error().code != ErrorCode::kIo, "bytes in memory can be read");
    if (!sizes) continue;
    fuzz::Promise(sizes->size == size && kind->has_value(), "all bytes are counted, of a kind that was found");
    CheckSums(*sizes);
  }
  if (!*kind) return 0;
  const Result<std::vector<FileFindings>> findings = Verify(source, {});
  fuzz::Promise(findings.has_value(), "a file of a known kind can be verified");
  fuzz::Promise(HasErrors(*findings) || MeasureProfile(source, **kind).has_value(), "what is clean can be measured");
  return 0;
}
