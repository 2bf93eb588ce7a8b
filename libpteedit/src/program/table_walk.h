// A walk over every table of a flatbuffer, led by the type tables that flatc generates. It finds what the generated
// accessors cannot see: fields newer than our schema, and how much a buffer would unfold to when shared parts are
// copied; and it names the place where the generated verifier says only no.
#ifndef PTEEDIT_SRC_PROGRAM_TABLE_WALK_H_
#define PTEEDIT_SRC_PROGRAM_TABLE_WALK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "pteedit/bytes.h"
#include "pteedit/result.h"

namespace flatbuffers {
struct TypeTable;
}

namespace pteedit {

struct TableWalk {
  // Of strings and vectors, each counted as often as it is referred to, and of vtables with unknown fields.
  uint64_t unfolded_bytes = 0;
  uint64_t first_byte = 0;  // lowest and past-the-end address that any table, vtable, string or vector takes
  uint64_t end_byte = 0;
  std::vector<std::string> unknown;  // "table 'Tensor' has field 12", without repeats, in order of finding
};

struct WalkLimits {
  uint64_t max_unfolded_bytes = 0;
  uint64_t max_unknown = 0;
};

// Where a reference to a string or vector lies twice, it counts twice; stops with kMalformed at what the generated
// verifier refuses in a field (Error::where is then "field 'execution_plan[0].values' at byte 0x1a0"), at a vector of
// numbers that is not aligned to them and once more bytes are unfolded than the limits allow, which bounds the time as
// well, and with kUnsupported once more is unknown. `tables` have at least 4 bytes; no table of the types holds one of
// its own type.
Result<TableWalk> WalkTables(ByteSpan tables, const flatbuffers::TypeTable& root_type, const char* root_name,
                             const WalkLimits& limits);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_PROGRAM_TABLE_WALK_H_
