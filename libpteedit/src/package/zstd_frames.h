// zstd frames that the zstd command reads, too: without a dictionary with `zstd -d`, with one with
// `zstd -d --patch-from=DICTIONARY`.
#ifndef PTEEDIT_SRC_PACKAGE_ZSTD_FRAMES_H_
#define PTEEDIT_SRC_PACKAGE_ZSTD_FRAMES_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "pteedit/bytes.h"
#include "pteedit/result.h"
#include "pteedit/source.h"

namespace pteedit {

// What a frame of a delta and its dictionary may have at most, so that a phone unpacks it in little memory.
inline constexpr int kDeltaWindowLog = 21;
inline constexpr uint64_t kMaxFrameBytes = uint64_t{1} << kDeltaWindowLog;
inline constexpr uint64_t kMaxDictionaryBytes = uint64_t{4} << 20;

// Fails with kInvalidArgument where it is none of kMinPackLevel to kMaxPackLevel.
Status CheckLevel(int level);

// All of `bytes` as one frame, which may refer to `dictionary`. Fails with kUnsupported where there is no memory.
Result<std::vector<uint8_t>> CompressFrame(ByteSpan bytes, ByteSpan dictionary, int level);

// What a file of a release that is a frame may ask of a device: a window of 8 MiB.
inline constexpr int kFileWindowLog = 23;

struct WholeFrameOptions {
  int level = 0;
  unsigned threads = 1;
  std::function<Status(uint64_t bytes)> advance;
};

// All of a source as one frame with size and checksum, on threads of zstd where it has them; `append` gets it piece by
// piece.
Status CompressAll(const Source& source, const WholeFrameOptions& options,
                   const std::function<Status(ByteSpan)>& append);

// Gives `use` what the frames in a part of a source hold, piece by piece. The dictionary, if any, is that of the first
// one. kMalformed where they are damaged or hold other than `expected` bytes, none of which are used beyond that, or
// ask for a larger window than 2^`window_log` bytes.
Status DecompressFrames(const Source& source, Extent extent, ByteSpan dictionary, uint64_t expected,
                        const std::function<Status(ByteSpan)>& use, int window_log = kDeltaWindowLog);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_PACKAGE_ZSTD_FRAMES_H_
