// What the four option bytes of an input mean to each operation.
#ifndef PTEEDIT_FUZZ_OPTIONS_H_
#define PTEEDIT_FUZZ_OPTIONS_H_

#include <array>
#include <cstdint>

#include "pteedit/merge.h"
#include "pteedit/split.h"
#include "pteedit/strip.h"

namespace pteedit::fuzz {

using OptionBytes = std::array<uint8_t, 4>;

inline uint64_t AlignmentFrom(uint8_t byte) { return uint64_t{16} << (byte % 9); }
inline uint64_t ExternalTensorsFrom(uint8_t byte) { return byte == 0 ? 1000 : byte; }

inline SplitOptions SplitOptionsFrom(const OptionBytes& bytes) {
  SplitOptions options;
  options.selection.constants = (bytes[0] & 1) == 0;
  options.selection.named_data = (bytes[0] & 2) == 0;
  options.selection.mutables = (bytes[0] & 4) != 0;
  if ((bytes[0] & 8) != 0) options.selection.methods = {"forward"};
  options.selection.min_bytes = bytes[1];
  options.max_external_tensors = ExternalTensorsFrom(bytes[2]);
  options.min_alignment = AlignmentFrom(bytes[3]);
  return options;
}

inline JoinOptions JoinOptionsFrom(const OptionBytes& bytes) {
  JoinOptions options;
  options.min_alignment = AlignmentFrom(bytes[3]);
  return options;
}

// Bit 4 of the first byte is taken: the first program has no data files.
inline MergeOptions MergeOptionsFrom(const OptionBytes& bytes) {
  MergeOptions options;
  if ((bytes[0] & 1) != 0) options.variant_data = VariantData::kDataFile;
  if ((bytes[0] & 2) != 0) options.min_bytes = bytes[1];
  options.max_external_tensors = ExternalTensorsFrom(bytes[2]);
  options.min_alignment = AlignmentFrom(bytes[3]);
  return options;
}

// The first bit of the third byte is taken: no advice is asked for.
inline StripOptions StripOptionsFrom(const OptionBytes& bytes) {
  StripOptions options;
  options.debug = (bytes[0] & 1) == 0;
  options.unreferenced = (bytes[0] & 2) == 0;
  options.padding = (bytes[0] & 4) != 0;
  options.dedupe = (bytes[0] & 8) != 0;
  options.unwrap = (bytes[0] & 16) != 0;
  options.overlap = (bytes[0] & 32) != 0;
  options.repack = (bytes[0] & 64) != 0;
  options.min_alignment = AlignmentFrom(bytes[1]);
  return options;
}

}  // namespace pteedit::fuzz

#endif  // PTEEDIT_FUZZ_OPTIONS_H_
