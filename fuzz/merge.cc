// ptemerge, on programs that all have the same data files, and merging again what it gave.
#include "pteedit/merge.h"

#include "merge_sets.h"
#include "options.h"

using namespace pteedit;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  const fuzz::FuzzInput input = fuzz::ParseInput({bytes, size});
  const MergeOptions options = fuzz::MergeOptionsFrom(input.options);
  const Result<MergeResult> merged = MergePrograms(fuzz::SetsFrom(input), options);
  if (!merged) return 0;
  const Result<MergeResult> twice = MergePrograms(fuzz::SetsOf(*merged), options);
  fuzz::PromiseResult(twice, "what was merged can be merged:");
  fuzz::Promise(fuzz::SizeOf(*twice) <= fuzz::SizeOf(*merged), "merging again does not make larger");
  return 0;
}
