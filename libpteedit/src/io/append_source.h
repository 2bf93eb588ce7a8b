// Copying a part of a source to the end of a file that is being written.
#ifndef PTEEDIT_SRC_IO_APPEND_SOURCE_H_
#define PTEEDIT_SRC_IO_APPEND_SOURCE_H_

#include "io/streaming.h"
#include "io/temporary_file.h"
#include "pteedit/try.h"

namespace pteedit {

// Inside the kernel where a file of this machine has it, and it is large; the rest through memory. Returns whether all
// of it was copied in the kernel.
inline Result<bool> AppendSource(const Source& source, Extent extent, TemporaryFile& file) {
  uint64_t copied = 0;
  Source::FilePlace place = source.file_place();
  if (place.descriptor >= 0 && extent.size >= kStreamPieceBytes) {
    place.offset += extent.offset;
    PTEEDIT_ASSIGN(copied, file.AppendFromFile(place, extent.size));
  }
  PTEEDIT_TRY(ForEachPiece(source, {extent.offset + copied, extent.size - copied},
                           [&](ByteSpan bytes) { return file.Append(bytes); }));
  return copied == extent.size;
}

}  // namespace pteedit

#endif  // PTEEDIT_SRC_IO_APPEND_SOURCE_H_
