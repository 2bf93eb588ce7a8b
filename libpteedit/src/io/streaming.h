// Reading a part of a source in pieces of fixed size, so that no weight is ever in memory whole.
#ifndef PTEEDIT_SRC_IO_STREAMING_H_
#define PTEEDIT_SRC_IO_STREAMING_H_

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "pteedit/bytes.h"
#include "pteedit/result.h"
#include "pteedit/source.h"
#include "pteedit/try.h"

namespace pteedit {

inline constexpr size_t kStreamPieceBytes = size_t{1} << 20;
// Small enough to stay in a core's cache for all who use it.
inline constexpr size_t kCachedPieceBytes = size_t{64} << 10;

// Of what is copied: a page that begins in one piece and ends in the next is written twice.
inline constexpr size_t kCopiedPieceBytes = size_t{256} << 10;

// What a reading call costs is little where the source is a file of this machine.
inline size_t PieceBytesOf(const Source& source) {
  return source.file_place().descriptor >= 0 ? kCachedPieceBytes : kStreamPieceBytes;
}

// Calls use(ByteSpan) -> Status with one piece after the other.
template <class Use>
Status ForEachPiece(const Source& source, Extent extent, size_t piece_bytes, Use use) {
  std::vector<uint8_t> buffer(static_cast<size_t>(std::min<uint64_t>(extent.size, piece_bytes)));
  for (uint64_t done = 0; done < extent.size;) {
    const size_t step = static_cast<size_t>(std::min<uint64_t>(extent.size - done, buffer.size()));
    PTEEDIT_TRY(source.Read(extent.offset + done, {buffer.data(), step}));
    PTEEDIT_TRY(use(ByteSpan{buffer.data(), step}));
    done += step;
  }
  return {};
}

template <class Use>
Status ForEachPiece(const Source& source, Extent extent, Use use) {
  return ForEachPiece(source, extent, PieceBytesOf(source), std::move(use));
}

// All of a part that is small.
inline Result<std::vector<uint8_t>> ReadBytes(const Source& source, Extent extent) {
  std::vector<uint8_t> bytes(static_cast<size_t>(extent.size));
  PTEEDIT_TRY(source.Read(extent.offset, {bytes.data(), bytes.size()}));
  return bytes;
}

}  // namespace pteedit

#endif  // PTEEDIT_SRC_IO_STREAMING_H_
