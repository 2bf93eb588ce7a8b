// Many numbers, most of them small.
#ifndef PTEEDIT_PACKED_NUMBERS_H_
#define PTEEDIT_PACKED_NUMBERS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pteedit {

// Seven bits a byte, the lowest first.
class PackedNumbers {
 public:
  void Add(uint64_t number) {
    for (; number >= kMore; number >>= kBits) bytes_.push_back(static_cast<uint8_t>(number | kMore));
    bytes_.push_back(static_cast<uint8_t>(number));
  }

  // The one that begins at byte `at`, of which the first is 0; the next begins where `at` is then.
  uint64_t Read(size_t& at) const {
    uint64_t number = 0;
    for (unsigned shift = 0;; shift += kBits) {
      const uint8_t byte = bytes_[at++];
      number |= uint64_t{byte & (kMore - 1U)} << shift;
      if (byte < kMore) return number;
    }
  }

 private:
  static constexpr unsigned kBits = 7;
  static constexpr uint8_t kMore = 1U << kBits;

  std::vector<uint8_t> bytes_;
};

}  // namespace pteedit

#endif  // PTEEDIT_PACKED_NUMBERS_H_
