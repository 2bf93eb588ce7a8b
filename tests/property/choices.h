// The tape of choices, and small things made from it.
#ifndef PTEEDIT_TESTS_PROPERTY_CHOICES_H_
#define PTEEDIT_TESTS_PROPERTY_CHOICES_H_

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "generated_files.h"
#include "schema_spec.h"

namespace pteedit::test {

class Choices {
 public:
  explicit Choices(const Tape& tape) : tape_(tape) {}

  // In [0, count).
  uint32_t Below(uint32_t count) {
    const uint32_t next = at_ < tape_.size() ? tape_[at_++] : 0;
    return next % count;
  }
  // Once in `odds` times.
  bool Rarely(uint32_t odds) { return Below(odds) == odds - 1; }

  template <class T>
  T OneOf(const std::vector<T>& list) {
    return list[Below(static_cast<uint32_t>(list.size()))];
  }

  int64_t Number() {
    if (Rarely(4))
      return OneOf<int64_t>({std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max(), -1});
    return Below(1000);
  }
  double Double() {
    const uint64_t bits = OneOf<uint64_t>({0, uint64_t{1} << 63, std::bit_cast<uint64_t>(1.5), 0x7ff0000000000000,
                                           0x7ff8000000000000, 0xfff8000000000001, 1});
    return std::bit_cast<double>(bits);
  }
  std::string Text() {
    return OneOf<std::string>({"", "a", "aten::add", "out", "weight", "\xc3\xa9\n", std::string("nul\0", 4)});
  }

  FileBytes Bytes(uint32_t size) {
    FileBytes bytes(size);
    uint32_t state = Below(256);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>((state = state * 1664525U + 1013904223U) >> 24);
    return bytes;
  }
  std::vector<int32_t> Indices(uint32_t most, uint32_t limit) {
    std::vector<int32_t> indices(limit == 0 ? 0 : Below(most + 1));
    for (int32_t& index : indices) index = static_cast<int32_t>(Below(limit));
    return indices;
  }

 private:
  const Tape& tape_;
  size_t at_ = 0;
};

struct Shape {
  int8_t scalar_type = 0;
  std::vector<int32_t> sizes;
  std::vector<uint8_t> dim_order;
  uint64_t bytes = 0;  // 0 as well where the type is unknown
};

// A layout of at most `most_bytes`.
inline Shape MakeShape(Choices& choices, uint64_t most_bytes, bool known_type) {
  Shape shape;
  shape.scalar_type =
      choices.OneOf<int8_t>({6, 0, 1, 2, 3, 4, 5, 7, 11, 12, 13, 14, 15, 16, 17, 22, 23, 24, 25, 26, 27, 28, 29, 6, 6});
  if (!known_type && choices.Rarely(20)) shape.scalar_type = 99;
  shape.sizes.resize(choices.Below(5));
  for (int32_t& size : shape.sizes) size = static_cast<int32_t>(choices.Rarely(6) ? 0 : 1 + choices.Below(5));
  const auto bytes = [&] {
    return std::accumulate(shape.sizes.begin(), shape.sizes.end(), ElementBytes(shape.scalar_type),
                           [](uint64_t product, int32_t size) { return product * static_cast<uint64_t>(size); });
  };
  for (size_t i = 0; i < shape.sizes.size() && bytes() > most_bytes; ++i) shape.sizes[i] = 1;
  if (bytes() > most_bytes) shape.sizes = {0};
  shape.bytes = bytes();
  shape.dim_order.resize(shape.sizes.size());
  std::iota(shape.dim_order.begin(), shape.dim_order.end(), uint8_t{0});
  if (choices.Rarely(4)) std::reverse(shape.dim_order.begin(), shape.dim_order.end());
  if (choices.Rarely(10)) shape.dim_order.clear();
  return shape;
}

}  // namespace pteedit::test

#endif  // PTEEDIT_TESTS_PROPERTY_CHOICES_H_
