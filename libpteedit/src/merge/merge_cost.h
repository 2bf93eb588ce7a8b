// What it costs, in bytes of tables, to have a content in a data file instead of in programs. The figures are those of
// the flatbuffers that we write: a table is 4 bytes and its fields, a reference to it 4, texts and vectors have a
// length. Padding of segments is left out: it is about the same in both places.
#ifndef PTEEDIT_SRC_MERGE_COST_H_
#define PTEEDIT_SRC_MERGE_COST_H_

#include <cstdint>
#include <optional>

#include "checked.h"
#include "pteedit/container.h"

namespace pteedit {

inline constexpr uint64_t kReferenceBytes = 4;
inline constexpr uint64_t kSegmentBytes = kReferenceBytes + 20;      // an offset and a size
inline constexpr uint64_t kBufferBytes = 8;                          // an offset
inline constexpr uint64_t kExternalUseBytes = kReferenceBytes + 16;  // the tensor's table that names a key
inline constexpr uint64_t kNamedDataBytes = kReferenceBytes + 12;    // a key and a segment
inline constexpr uint64_t kDataEntryBytes = kReferenceBytes + 16;    // a key, a segment and a layout
inline constexpr uint64_t kLayoutBytes = 16;

inline uint64_t VectorBytes(uint64_t content) { return AlignUp(kReferenceBytes + content, kReferenceBytes); }
inline uint64_t TextBytes(uint64_t length) { return VectorBytes(length + 1); }

// In a data file, without the bytes themselves and their segment.
inline uint64_t EntryBytes(uint64_t key_length, const std::optional<TensorLayout>& layout) {
  const uint64_t entry = kDataEntryBytes + TextBytes(key_length);
  if (!layout) return entry;
  const uint64_t dimensions = layout->sizes.size();
  return entry + kLayoutBytes + VectorBytes(dimensions * sizeof(int32_t)) + VectorBytes(dimensions);
}

}  // namespace pteedit

#endif  // PTEEDIT_SRC_MERGE_COST_H_
