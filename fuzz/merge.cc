// ptemerge, on programs that all have the same data files, and merging again what it gave, and after itself.
#include "pteedit/merge.h"

#include <algorithm>
#include <vector>

#include "merge_sets.h"
#include "options.h"
#include "pteedit/verify.h"

using namespace pteedit;

namespace {

bool HasDamage(const std::vector<MergeSet>& sets) {
  return std::any_of(sets.begin(), sets.end(), [](const MergeSet& set) {
    const auto found = VerifyOpened(set.files);
    return !found || HasErrors(*found);
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  const fuzz::FuzzInput input = fuzz::ParseInput({bytes, size});
  const MergeOptions options = fuzz::MergeOptionsFrom(input.options);
  const Result<MergeResult> merged = MergePrograms(fuzz::SetsFrom(input), options);
  if (!merged) return 0;
  const Result<MergeResult> twice = MergePrograms(fuzz::SetsOf(*merged), options);
  fuzz::PromiseResult(twice, "what was merged can be merged:");
  fuzz::Promise(fuzz::SizeOf(*twice) <= fuzz::SizeOf(*merged), "merging again does not make larger");
  MergeOptions next = options;
  next.previous.emplace();
  for (const PlannedFile& file : merged->shared) next.previous->shared.push_back(fuzz::Reopen(file, "shared.ptd"));
  for (const MergeSet& set : fuzz::SetsOf(*merged)) next.previous->variants.push_back(set.files);
  const Result<MergeResult> after = MergePrograms(fuzz::SetsFrom(input), next);
  fuzz::PromiseResult(after, "what was merged can be merged after itself:");
  const bool is_same = fuzz::SizeOf(*after) == fuzz::SizeOf(*merged);
  fuzz::Promise(is_same || HasDamage(fuzz::SetsFrom(input)), "a release after itself has its size");
  return 0;
}
