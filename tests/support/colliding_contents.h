// Two contents that XXH3-128 cannot tell apart, to show that nothing relies on it alone.
#ifndef PTEEDIT_TESTS_SUPPORT_COLLIDING_CONTENTS_H_
#define PTEEDIT_TESTS_SUPPORT_COLLIDING_CONTENTS_H_

#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace pteedit::test {

// 512 bytes each. XXH3 adds to one accumulator the word itself and to another the product of the two halves of (word
// xor secret). Words whose lower half is that of the secret make the product 0 whatever the upper half is; so only the
// sum of the words at bytes 0 and 64, which the same accumulators take, can be seen.
inline std::pair<std::vector<uint8_t>, std::vector<uint8_t>> CollidingContents() {
  constexpr uint64_t kSecretAt0 = 0x396cfeb8,
                     kSecretAt8 = 0x2c81017c;  // lower halves of words of XXH3's default secret
  const auto with = [&](uint64_t first, uint64_t second) {
    std::vector<uint8_t> bytes(512, 0x3f);
    const uint64_t words[] = {first << 32 | kSecretAt0, second << 32 | kSecretAt8};
    std::memcpy(bytes.data(), &words[0], sizeof(words[0]));
    std::memcpy(bytes.data() + 64, &words[1], sizeof(words[1]));
    return bytes;
  };
  return {with(1000, 3000), with(2000, 2000)};
}

}  // namespace pteedit::test

#endif  // PTEEDIT_TESTS_SUPPORT_COLLIDING_CONTENTS_H_
