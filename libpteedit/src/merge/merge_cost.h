// What it costs, in bytes of tables, to have a content in a data file instead of in programs. The figures are those of
// the flatbuffers that we write: a table is 4 bytes and its fields, a reference to it 4, texts and vectors have a
// length.
#ifndef PTEEDIT_SRC_MERGE_MERGE_COST_H_
#define PTEEDIT_SRC_MERGE_MERGE_COST_H_

#include <algorithm>
#include <cstdint>

#include "base/checked.h"
#include "merge/merge_inventory.h"
#include "program/content_key.h"
#include "pteedit/container.h"

namespace pteedit {

inline constexpr uint64_t kReferenceBytes = 4;
inline constexpr uint64_t kSegmentBytes = kReferenceBytes + 20;      // an offset and a size
inline constexpr uint64_t kExternalUseBytes = kReferenceBytes + 16;  // the tensor's table that names a key
inline constexpr uint64_t kNamedDataBytes = kReferenceBytes + 12;    // a key and a segment
inline constexpr uint64_t kDataEntryBytes = kReferenceBytes + 16;    // a key, a segment and a layout
inline constexpr uint64_t kLayoutBytes = 16;

inline uint64_t VectorBytes(uint64_t content) { return AlignUp(kReferenceBytes + content, kReferenceBytes); }
inline uint64_t TextBytes(uint64_t length) { return VectorBytes(length + 1); }

// In a data file, without the bytes themselves and their segment.
inline uint64_t EntryBytes(uint64_t key_length, const SharedOptional<TensorLayout>& layout) {
  const uint64_t entry = kDataEntryBytes + TextBytes(key_length);
  if (!layout) return entry;
  const uint64_t dimensions = layout->sizes.size();
  return entry + kLayoutBytes + VectorBytes(dimensions * sizeof(int32_t)) + VectorBytes(dimensions);
}

// What it costs two programs like one that has these claims, all on one content, to share that content: a data file, an
// entry for each of them in both and what points there, less what named data takes inside.
class SharingCost {
 public:
  void Add(const Claim& claim) {
    const uint64_t key_bytes = claim.is_constant ? kContentKeyBytes : claim.key.size();
    padding_ = std::max({padding_, claim.alignment, kPrograms * claim.padding_left});
    cost_ += kPrograms * EntryBytes(key_bytes, claim.layout);
    if (claim.is_constant) cost_ += kPrograms * (TextBytes(key_bytes) + claim.uses->size() * kExternalUseBytes);
    if (!claim.is_constant) saved_ += kPrograms * (kNamedDataBytes + TextBytes(key_bytes) + kSegmentBytes);
  }

  // The size from which on the copy that is saved pays for it: a round number, as people have to understand it.
  uint64_t least_bytes() const {
    const uint64_t cost = kDataFileBytes + kSegmentBytes + padding_ + cost_;
    return AlignUp(cost - std::min(cost, saved_), kRound);
  }

 private:
  static constexpr uint64_t kPrograms = 2;
  static constexpr uint64_t kDataFileBytes = 128;  // header and root
  static constexpr uint64_t kRound = 64;
  uint64_t padding_ = 0;  // there may be so much more outside, or so much left inside
  uint64_t cost_ = 0, saved_ = 0;
};

}  // namespace pteedit

#endif  // PTEEDIT_SRC_MERGE_MERGE_COST_H_
