// Where to cut bytes so that equal contents are cut alike wherever they lie: after places that the bytes before them
// decide, as FastCDC does. So what was inserted or removed changes the chunks around it and no others.
#ifndef PTEEDIT_SRC_PACKAGE_CHUNKS_H_
#define PTEEDIT_SRC_PACKAGE_CHUNKS_H_

#include <cstddef>
#include <vector>

#include "io/digest.h"
#include "pteedit/bytes.h"
#include "pteedit/result.h"
#include "pteedit/source.h"

namespace pteedit {

inline constexpr size_t kMinChunkBytes = size_t{16} << 10;
inline constexpr size_t kUsualChunkBytes = size_t{64} << 10;  // about the mean
inline constexpr size_t kMaxChunkBytes = size_t{256} << 10;

struct Chunk {
  Extent extent;
  Xxh128Digest digest;  // only finds candidates
};

// The chunks of `extent`, without gaps; no bytes have none. Reads every byte once, with a buffer of 1 MiB.
Result<std::vector<Chunk>> CutChunks(const Source& source, Extent extent);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_PACKAGE_CHUNKS_H_
