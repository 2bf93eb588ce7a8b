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

}  // namespace pteedit

#endif  // PTEEDIT_BYTES_H_
