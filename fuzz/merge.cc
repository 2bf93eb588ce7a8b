// ptemerge, on programs that all have the same data files, and merging again what it gave, and after itself. The last
// data file may be one that devices have (--against), or hold the foundation (--match).
#include "pteedit/merge.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "merge_sets.h"
#include "options.h"
#include "pteedit/verify.h"

using namespace pteedit;

namespace {

constexpr uint64_t kShardBytes = 4096;

// Takes the last data file where option bits 16 and 32 want it.
MergeOptions OptionsFrom(const fuzz::OptionBytes& bytes, std::vector<Container>& data) {
  MergeOptions options = fuzz::MergeOptionsFrom(bytes);
  if ((bytes[0] & 8) != 0) options.bind = Bind::kAlways;
  if ((bytes[0] & 64) != 0) options.max_shard_bytes = kShardBytes;
  const unsigned role = bytes[0] >> 4 & 3;
  if (role == 0 || role == 3 || data.empty()) return options;
  (role == 1 ? options.bases : options.match.files).push_back(std::move(data.back()));
  data.pop_back();
  return options;
}

bool HasDamage(const std::vector<MergeSet>& sets) {
  return std::any_of(sets.begin(), sets.end(), [](const MergeSet& set) {
    const auto found = VerifyOpened(set.files);
    return !found || HasErrors(*found);
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  const fuzz::FuzzInput input = fuzz::ParseInput({bytes, size});
  std::vector<Container> data = fuzz::OpenDataFiles(input);
  const MergeOptions options = OptionsFrom(input.options, data);
  const std::vector<MergeSet> sets = fuzz::SetsFrom(input, data);
  const Result<MergeResult> merged = MergePrograms(sets, options);
  if (!merged) return 0;
  const std::vector<MergeSet> after_merge = fuzz::SetsOf(*merged, options.bases);
  const Result<MergeResult> twice = MergePrograms(after_merge, options);
  // What one set alone still needs goes into its program, but not under a key that promises other bytes than it has.
  if (!twice && HasDamage(sets)) return 0;
  fuzz::PromiseResult(twice, "what was merged can be merged:");
  fuzz::Promise(fuzz::SizeOf(*twice) <= fuzz::SizeOf(*merged), "merging again does not make larger");
  MergeOptions next = options;
  next.previous.emplace();
  for (const PlannedFile& file : merged->shared) next.previous->shared.push_back(fuzz::Reopen(file, "shared.ptd"));
  for (const MergeSet& set : after_merge) next.previous->variants.push_back(set.files);
  const Result<MergeResult> after = MergePrograms(sets, next);
  // Places that are kept take room, which shards may lack.
  if (!after && next.max_shard_bytes && after.error().code == ErrorCode::kInvalidArgument) return 0;
  if (!after && HasDamage(sets)) return 0;
  fuzz::PromiseResult(after, "what was merged can be merged after itself:");
  const bool is_same = fuzz::SizeOf(*after) == fuzz::SizeOf(*merged);
  fuzz::Promise(is_same || HasDamage(sets), "a release after itself has its size");
  return 0;
}
