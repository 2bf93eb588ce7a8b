// Editable structs back to a flatbuffer. Deterministic: the same structs give the same bytes everywhere.
#ifndef PTEEDIT_SRC_EDIT_PACK_H_
#define PTEEDIT_SRC_EDIT_PACK_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "edit/tables.h"
#include "pteedit/result.h"

namespace pteedit {

struct PackedTables {
  std::shared_ptr<uint8_t[]> bytes;  // at a multiple of kMemoryAlignment
  size_t size = 0;
};

// Equal leaves are written once, so that what an exporter laid out never grows. Behind the file identifier there is
// room for a header of so many bytes, all zeros, as much as keeps everything behind it aligned: what stands in it tells
// the size of the result. Fails with kUnsupported where the tables would not fit the 2 GiB of a flatbuffer.
Result<PackedTables> PackProgram(const tables::Program& program, size_t header_size = 0);
Result<PackedTables> PackFlatTensor(const tables::FlatTensor& data, size_t header_size = 0);
// With these segments in the place of their own.
Result<PackedTables> PackProgram(const tables::Program& program, const tables::Children<tables::DataSegment>& segments,
                                 size_t header_size = 0);
Result<PackedTables> PackFlatTensor(const tables::FlatTensor& data,
                                    const tables::Children<tables::DataSegment>& segments, size_t header_size = 0);
// The empty vector `program` comes last: the 4 bytes before the end are its length, and its bytes may follow.
Result<PackedTables> PackBundledProgram(const tables::BundledProgram& bundle);

// What a method, or the part of one that is given, takes in the tables, laid out alone.
uint64_t TableBytes(tables::ExecutionPlan plan);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_EDIT_PACK_H_
