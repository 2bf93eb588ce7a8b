// Copying a part of a source to the end of a file that is being written.
#ifndef PTEEDIT_SRC_IO_APPEND_SOURCE_H_
#define PTEEDIT_SRC_IO_APPEND_SOURCE_H_

#include "io/streaming.h"
#include "io/temporary_file.h"
#include "pteedit/try.h"

namespace pteedit {

// As it lies in a file of this machine, where one has it and it is large. Returns whether all of it was.
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
