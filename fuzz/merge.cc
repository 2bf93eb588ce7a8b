// ptemerge, on programs that all have the same data files, and merging again what it gave.
#include "pteedit/merge.h"

#include "fuzz_input.h"

using namespace pteedit;

namespace {

MergeOptions OptionsFrom(const std::array<uint8_t, 4>& bytes) {
  MergeOptions options;
  if ((bytes[0] & 1) != 0) options.variant_data = VariantData::kDataFile;
  if ((bytes[0] & 2) != 0) options.min_bytes = bytes[1];
  options.max_external_tensors = bytes[2] == 0 ? 1000 : bytes[2];
  options.min_alignment = uint64_t{16} << (bytes[3] % 9);
  return options;
}

// Each program of the input is a set with all data files, but for the first, which may have none: option bit 4.
std::vector<MergeSet> SetsFrom(const fuzz::FuzzInput& input) {
  std::vector<Container> data = fuzz::OpenDataFiles(input);
  std::vector<MergeSet> sets;
  for (const ByteSpan file : input.files) {
    const Result<Container> program = fuzz::Open(file, "program.pte");
    if (!program || program->kind() == FileKind::kData) continue;
    sets.push_back({*program, data, "program", "own"});
    if (sets.size() == 1 && (input.options[0] & 4) != 0) sets.front().data.clear();
  }
  return sets;
}

uint64_t SizeOf(const MergeResult& merged) {
  uint64_t bytes = merged.shared ? merged.shared->size() : 0;
  for (const MergedProgram& program : merged.programs) {
    bytes += program.program.size() + (program.data ? program.data->size() : 0);
  }
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  const fuzz::FuzzInput input = fuzz::ParseInput({bytes, size});
  const std::vector<MergeSet> sets = SetsFrom(input);
  const MergeOptions options = OptionsFrom(input.options);
  const Result<MergeResult> merged = MergePrograms(sets, options);
  if (!merged) return 0;
  std::vector<MergeSet> again;
  std::vector<Container> shared;
  if (merged->shared) shared.push_back(fuzz::Reopen(*merged->shared, "shared.ptd"));
  for (const MergedProgram& program : merged->programs) {
    again.push_back({fuzz::Reopen(program.program, "merged.pte"), {}, "program", "own"});
    if (program.needs_shared) again.back().data = shared;
    if (program.data) again.back().data.push_back(fuzz::Reopen(*program.data, "own.ptd"));
  }
  const Result<MergeResult> twice = MergePrograms(again, options);
  fuzz::Promise(twice.has_value(), "what was merged can be merged:", twice ? "" : twice.error().message);
  fuzz::Promise(SizeOf(*twice) <= SizeOf(*merged), "merging again does not make larger");
  return 0;
}
