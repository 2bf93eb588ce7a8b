// The checksum of zip archives, CRC-32 (polynomial 0xedb88320), of bytes that come in pieces.
#ifndef PTEEDIT_SRC_FORMATS_CRC32_H_
#define PTEEDIT_SRC_FORMATS_CRC32_H_

#include <cstdint>

#include "pteedit/bytes.h"

namespace pteedit {

class Crc32 {
 public:
  void Update(ByteSpan bytes);
  uint32_t value() const { return ~state_; }

 private:
  uint32_t state_ = 0xffffffff;
};

}  // namespace pteedit

#endif  // PTEEDIT_SRC_FORMATS_CRC32_H_
