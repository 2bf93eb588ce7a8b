// How a new file is made of old ones and new bytes, before anything is compressed.
#ifndef PTEEDIT_SRC_PACKAGE_DELTA_PIECES_H_
#define PTEEDIT_SRC_PACKAGE_DELTA_PIECES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "package/old_contents.h"
#include "package/regions.h"
#include "pteedit/bytes.h"

namespace pteedit {

struct OldExtent {
  size_t file = 0;
  Extent extent;
};

struct DeltaPiece {
  Extent extent;                        // in the new file
  std::optional<OldExtent> copied;      // where an old file has these bytes
  std::optional<OldExtent> dictionary;  // of new bytes: old ones that may be like them
};

// All of a new file of `size` bytes, in order. New bytes are cut to kMaxFrameBytes. What they were like before: where
// what was copied just before them goes on, the region of the same name in `counterpart`, or the same place in it. The
// counterpart is the old file that the new one takes the place of, if any.
std::vector<DeltaPiece> CutPieces(const OldContents& old, uint64_t size, const std::vector<Region>& regions,
                                  const std::vector<FoundCopy>& copies, std::optional<size_t> counterpart);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_PACKAGE_DELTA_PIECES_H_
