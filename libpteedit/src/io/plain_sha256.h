// SHA-256 (FIPS 180-4) in plain C++, for devices, which have no OpenSSL to link.
#ifndef PTEEDIT_SRC_IO_PLAIN_SHA256_H_
#define PTEEDIT_SRC_IO_PLAIN_SHA256_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "pteedit/bytes.h"

namespace pteedit {

class PlainSha256 {
 public:
  void Update(ByteSpan bytes) {
    if (bytes.size == 0) return;
    bytes_ += bytes.size;
    if (filled_ != 0) {
      const size_t step = std::min(bytes.size, block_.size() - filled_);
      std::memcpy(block_.data() + filled_, bytes.data, step);
      filled_ += step;
      bytes = {bytes.data + step, bytes.size - step};
      if (filled_ < block_.size()) return;
      AddBlock(block_.data());
      filled_ = 0;
    }
    for (; bytes.size >= block_.size(); bytes = {bytes.data + block_.size(), bytes.size - block_.size()})
      AddBlock(bytes.data);
    if (bytes.size != 0) std::memcpy(block_.data(), bytes.data, bytes.size);
    filled_ = bytes.size;
  }

  // To be called once.
  std::array<uint8_t, 32> Finish() {
    const uint64_t bits = bytes_ * 8;
    block_[filled_++] = 0x80;
    if (filled_ > kLengthAt) {
      std::fill(block_.begin() + static_cast<std::ptrdiff_t>(filled_), block_.end(), uint8_t{0});
      AddBlock(block_.data());
      filled_ = 0;
    }
    std::fill(block_.begin() + static_cast<std::ptrdiff_t>(filled_), block_.end(), uint8_t{0});
    for (size_t i = 0; i < 8; ++i) block_[kLengthAt + i] = static_cast<uint8_t>(bits >> (56 - 8 * i));
    AddBlock(block_.data());
    std::array<uint8_t, 32> digest{};
    for (size_t i = 0; i < digest.size(); ++i) digest[i] = static_cast<uint8_t>(state_[i / 4] >> (24 - 8 * (i % 4)));
    return digest;
  }

 private:
  static constexpr size_t kLengthAt = 56;  // of the last block

  static uint32_t Rotated(uint32_t word, int bits) { return (word >> bits) | (word << (32 - bits)); }

  void AddBlock(const uint8_t* block) {
    static constexpr std::array<uint32_t, 64> kConstants = {
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
        0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
        0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
        0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
        0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
        0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
        0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
        0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
    std::array<uint32_t, 64> words;
    for (size_t i = 0; i < 16; ++i) {
      words[i] = uint32_t{block[4 * i]} << 24 | uint32_t{block[4 * i + 1]} << 16 | uint32_t{block[4 * i + 2]} << 8 |
                 uint32_t{block[4 * i + 3]};
    }
    for (size_t i = 16; i < 64; ++i) {
      const uint32_t early = words[i - 15], late = words[i - 2];
      words[i] = words[i - 16] + (Rotated(early, 7) ^ Rotated(early, 18) ^ (early >> 3)) + words[i - 7] +
                 (Rotated(late, 17) ^ Rotated(late, 19) ^ (late >> 10));
    }
    auto [a, b, c, d, e, f, g, h] = state_;
    for (size_t i = 0; i < 64; ++i) {
      const uint32_t first =
          h + (Rotated(e, 6) ^ Rotated(e, 11) ^ Rotated(e, 25)) + ((e & f) ^ (~e & g)) + kConstants[i] + words[i];
      const uint32_t second = (Rotated(a, 2) ^ Rotated(a, 13) ^ Rotated(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      h = g;
      g = f;
      f = e;
      e = d + first;
      d = c;
      c = b;
      b = a;
      a = first + second;
    }
    const std::array<uint32_t, 8> add = {a, b, c, d, e, f, g, h};
    for (size_t i = 0; i < add.size(); ++i) state_[i] += add[i];
  }

  std::array<uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<uint8_t, 64> block_{};
  size_t filled_ = 0;   // bytes of the block
  uint64_t bytes_ = 0;  // in all
};

}  // namespace pteedit

#endif  // PTEEDIT_SRC_IO_PLAIN_SHA256_H_
