#include "formats/crc32.h"

#include <array>

#include "base/load.h"

namespace pteedit {
namespace {

constexpr uint32_t kPolynomial = 0xedb88320;
constexpr size_t kSlices = 8;  // bytes at a time, each with a table of its own

using Tables = std::array<std::array<uint32_t, 256>, kSlices>;

constexpr Tables MakeTables() {
  Tables tables{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1) != 0 ? kPolynomial : 0);
    tables[0][i] = value;
  }
  for (size_t slice = 1; slice < kSlices; ++slice) {
    for (size_t i = 0; i < 256; ++i) {
      const uint32_t before = tables[slice - 1][i];
      tables[slice][i] = (before >> 8) ^ tables[0][before & 255];
    }
  }
  return tables;
}

constexpr Tables kTables = MakeTables();

}  // namespace

void Crc32::Update(ByteSpan bytes) {
  const uint8_t* at = bytes.data;
  size_t left = bytes.size;
  for (; left >= kSlices; left -= kSlices, at += kSlices) {
    const uint64_t word = Load<uint64_t>(at) ^ state_;
    uint32_t next = 0;
    for (size_t i = 0; i < kSlices; ++i) next ^= kTables[kSlices - 1 - i][(word >> (8 * i)) & 255];
    state_ = next;
  }
  for (; left != 0; --left, ++at) state_ = (state_ >> 8) ^ kTables[0][(state_ ^ *at) & 255];
}

}  // namespace pteedit
