// Numbers out of bytes.
#ifndef PTEEDIT_SRC_BASE_LOAD_H_
#define PTEEDIT_SRC_BASE_LOAD_H_

#include <cstdint>
#include <cstring>

namespace pteedit {

// Unaligned and little-endian, as every format here is.
template <class T>
T Load(const uint8_t* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(value));
  return value;
}

}  // namespace pteedit

#endif  // PTEEDIT_SRC_BASE_LOAD_H_
