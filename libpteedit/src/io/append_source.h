// Copying a part of a source to the end of a file that is being written.
#ifndef PTEEDIT_SRC_IO_APPEND_SOURCE_H_
#define PTEEDIT_SRC_IO_APPEND_SOURCE_H_

#include "io/streaming.h"
#include "io/temporary_file.h"
#include "pteedit/try.h"

namespace pteedit {

// Returns whether it was copied as it lies in a file of this machine, where one has it and it is large.
inline Result<bool> AppendSource(const Source& source, Extent extent, TemporaryFile& file) {
  const Source::FilePlace place = source.file_place();
  const bool from_file = place.descriptor >= 0 && extent.size >= kStreamPieceBytes;
  const uint64_t copied =
      from_file ? file.AppendInKernel({place.descriptor, place.offset + extent.offset}, extent.size) : 0;
  PTEEDIT_TRY(ForEachPiece(source, {extent.offset + copied, extent.size - copied},
                           from_file ? kCopiedPieceBytes : PieceBytesOf(source),
                           [&](ByteSpan bytes) { return file.Append(bytes); }));
  return from_file;
}

}  // namespace pteedit

#endif  // PTEEDIT_SRC_IO_APPEND_SOURCE_H_
