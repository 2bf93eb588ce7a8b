// Verified tables to editable structs. See tables.h.
#ifndef PTEEDIT_SRC_EDIT_UNPACK_H_
#define PTEEDIT_SRC_EDIT_UNPACK_H_

#include "edit/tables.h"
#include "pteedit/bytes.h"

namespace pteedit {

// `tables` must have passed Container::Open and outlive the result, whose leaves look into it. Inline blobs get the
// alignment that the file's own layout shows, at most 4096 and `most_alignment` (a power of two).
tables::Program UnpackProgram(ByteSpan tables, uint64_t most_alignment);
tables::FlatTensor UnpackFlatTensor(ByteSpan tables);
// Without the bytes of the program.
tables::BundledProgram UnpackBundledProgram(ByteSpan tables);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_EDIT_UNPACK_H_
