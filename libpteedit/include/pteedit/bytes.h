// Views of bytes and places in files, in std types of C++17 only. A view owns nothing.
#ifndef PTEEDIT_BYTES_H_
#define PTEEDIT_BYTES_H_

#include <cstddef>
#include <cstdint>

namespace pteedit {

struct ByteSpan {
  const uint8_t* data = nullptr;
  size_t size = 0;
};

struct MutableByteSpan {
  uint8_t* data = nullptr;
  size_t size = 0;
};

// `size` bytes from byte `offset` on. As read from a file it is untrusted until checked against that file's size.
struct Extent {
  uint64_t offset = 0;
  uint64_t size = 0;
};

inline bool operator==(const Extent& a, const Extent& b) { return a.offset == b.offset && a.size == b.size; }
inline bool operator!=(const Extent& a, const Extent& b) { return !(a == b); }

// A std::optional<Extent> that takes no more than one: none is as long as no file can be.
class OptionalExtent {
 public:
  OptionalExtent() = default;
  OptionalExtent(Extent extent) : extent_(extent) {}

  bool has_value() const { return extent_.size != kNone; }
  explicit operator bool() const { return has_value(); }
  const Extent& operator*() const { return extent_; }
  const Extent* operator->() const { return &extent_; }
  Extent* operator->() { return &extent_; }

  friend bool operator==(const OptionalExtent& a, const OptionalExtent& b) { return a.extent_ == b.extent_; }
  friend bool operator!=(const OptionalExtent& a, const OptionalExtent& b) { return !(a == b); }

 private:
  static constexpr uint64_t kNone = ~uint64_t{0};

  Extent extent_{0, kNone};
};

}  // namespace pteedit

#endif  // PTEEDIT_BYTES_H_
