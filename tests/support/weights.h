// Weights that are told by a number, 1 KB each, and programs of them.
#ifndef PTEEDIT_TESTS_SUPPORT_WEIGHTS_H_
#define PTEEDIT_TESTS_SUPPORT_WEIGHTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "merge_files.h"
#include "program_builder.h"

namespace pteedit::test {

inline constexpr int32_t kManyFloats = 256;
inline const TensorLayout kLayout = Floats({kManyFloats});

inline std::vector<uint8_t> Weight(uint32_t seed) { return Pattern(size_t{kManyFloats} * 4, seed); }
inline std::string KeyOf(uint32_t seed, const TensorLayout& layout = kLayout) { return KeyOf(Weight(seed), layout); }

// Programs with one constant for each seed.
inline Container ProgramWith(const std::string& name, const std::vector<uint32_t>& seeds) {
  ProgramBuilder builder;
  for (const uint32_t seed : seeds) builder.Constant(kLayout, Weight(seed));
  return builder.Open(name);
}

// A program whose delegate mentions `keys`.
inline ProgramBuilder Delegating(const std::string& keys) {
  ProgramBuilder builder;
  builder.Method("forward").Delegate("Backend", TextBytes("blob " + keys));
  return builder;
}

}  // namespace pteedit::test

#endif  // PTEEDIT_TESTS_SUPPORT_WEIGHTS_H_
