// Which field of a verified flatbuffer a byte belongs to, led by the type tables that flatc generates.
#ifndef PTEEDIT_SRC_INSPECT_FIELD_SEARCH_H_
#define PTEEDIT_SRC_INSPECT_FIELD_SEARCH_H_

#include <cstdint>
#include <optional>
#include <string>

#include "pteedit/bytes.h"

namespace flatbuffers {
struct TypeTable;
}

namespace pteedit {

struct FieldPlace {
  std::string
      path;       // "execution_plan[0].name"; "(vtable)" behind a table's path where the byte tells its fields' places
  Extent extent;  // in the tables
};

// The first of those that share the byte; nothing for padding. `tables` must have passed WalkTables for this type,
// which bounds the time as well.
std::optional<FieldPlace> FindField(ByteSpan tables, const flatbuffers::TypeTable& root_type, uint64_t offset);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_INSPECT_FIELD_SEARCH_H_
