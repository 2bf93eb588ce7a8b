// What a byte of a file belongs to: for whoever holds an offset out of a hex dump, a crash or a comparison.
#ifndef PTEEDIT_LOCATE_H_
#define PTEEDIT_LOCATE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "pteedit/bytes.h"
#include "pteedit/container.h"
#include "pteedit/export.h"
#include "pteedit/result.h"

namespace pteedit {

struct BytePlace {
  // Names in the size tree from level 1 down, "Padding" or "Unattributed" where nothing has the byte.
  std::vector<std::string> components;
  // In the flatbuffer: "execution_plan[0].values[3].val.sizes[1]", with "(vtable)" or "(header)" behind the table or
  // alone for bytes that tell where fields are. Empty elsewhere, and for padding between tables.
  std::string field;
  Extent extent;  // in the file: of the field, else of the innermost component, or its piece
};

// Of a bundle's program, fields are those of the program. Fails with kInvalidArgument where the file has no such byte,
// and with kIo where it can no longer be read.
PTEEDIT_API Result<BytePlace> LocateByte(const Container& file, uint64_t offset);

}  // namespace pteedit

#endif  // PTEEDIT_LOCATE_H_
