// What the components of a file would take compressed: how much of a download each of them is.
#ifndef PTEEDIT_PROFILE_COMPRESSED_SIZES_H_
#define PTEEDIT_PROFILE_COMPRESSED_SIZES_H_

#include "pteedit/export.h"
#include "pteedit/result.h"
#include "pteedit/sizes.h"
#include "pteedit/source.h"

namespace pteedit {

inline constexpr int kMinZstdLevel = 1, kMaxZstdLevel = 19;

struct CompressOptions {
  int level = 3;          // of zstd
  bool only_top = false;  // the root and its components, not what is in them
  unsigned threads = 1;   // the result is the same with any number
};

// `tree`, which MeasureSizes gave for `file`, with `compressed_size` in its nodes. Each node is compressed alone: its
// pieces one behind the other as one Zstandard frame with content size and checksum, which takes as many bytes as
// `zstd --single-thread -LEVEL` writes for them; so figures do not add up. A node without bytes takes 0. One that holds
// weights of float32 or bfloat16 also gets `planes_size`: what the same takes with the bytes of these in planes, of
// each 128 Ki elements all first bytes, then all second ones, and so on. Streams; a few MB a thread, at the highest
// levels up to 100. Fails with kInvalidArgument where there is no such level, kIo where the file can no longer be read.
PTEEDIT_API Result<SizeNode> AddCompressedSizes(const Source& file, SizeNode tree, const CompressOptions& options = {});

}  // namespace pteedit

#endif  // PTEEDIT_PROFILE_COMPRESSED_SIZES_H_
