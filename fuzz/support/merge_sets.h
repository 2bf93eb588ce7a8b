// Sets to merge out of an input, and out of what a merge gave.
#ifndef PTEEDIT_FUZZ_MERGE_SETS_H_
#define PTEEDIT_FUZZ_MERGE_SETS_H_

#include <utility>
#include <vector>

#include "fuzz_input.h"
#include "pteedit/merge.h"

namespace pteedit::fuzz {

// Each program of the input is a set with all of `data`, but for the first, which may have none: option bit 4.
inline std::vector<MergeSet> SetsFrom(const FuzzInput& input, const std::vector<Container>& data) {
  std::vector<MergeSet> sets;
  for (const ByteSpan file : input.files) {
    const Result<Container> program = Open(file, "program.pte");
    if (!program || program->kind() == FileKind::kData) continue;
    const bool is_alone = sets.empty() && (input.options[0] & 4) != 0;
    sets.push_back({{*program, is_alone ? std::vector<Container>() : data}, "program", "own"});
  }
  return sets;
}

// Each merged program with what it needs of what was written, and of the bases that were given.
inline std::vector<MergeSet> SetsOf(const MergeResult& merged, const std::vector<Container>& bases) {
  std::vector<Container> shared;
  for (const PlannedFile& file : merged.shared) shared.push_back(Reopen(file, "shared.ptd"));
  std::vector<MergeSet> sets;
  for (const MergedProgram& program : merged.programs) {
    std::vector<Container> data;
    for (const size_t shard : program.shared) data.push_back(shared[shard]);
    if (program.data) data.push_back(Reopen(*program.data, "own.ptd"));
    for (const size_t base : program.bases) data.push_back(bases[base]);
    sets.push_back({{Reopen(program.program, "merged.pte"), std::move(data)}, "program", "own"});
  }
  return sets;
}

inline uint64_t SizeOf(const MergeResult& merged) {
  uint64_t bytes = 0;
  for (const PlannedFile& file : merged.shared) bytes += file.size();
  for (const MergedProgram& program : merged.programs)
    bytes += program.program.size() + (program.data ? program.data->size() : 0);
  return bytes;
}

}  // namespace pteedit::fuzz

#endif  // PTEEDIT_FUZZ_MERGE_SETS_H_
