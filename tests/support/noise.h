// Bytes that do not compress, the same in every run.
#ifndef PTEEDIT_TESTS_SUPPORT_NOISE_H_
#define PTEEDIT_TESTS_SUPPORT_NOISE_H_

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace pteedit::test {

inline std::vector<uint8_t> Noise(size_t size, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<uint8_t> bytes(size);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
  return bytes;
}

}  // namespace pteedit::test

#endif  // PTEEDIT_TESTS_SUPPORT_NOISE_H_
