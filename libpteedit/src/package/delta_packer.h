// Packs the new bytes of a file and says how to make the file.
#ifndef PTEEDIT_SRC_PACKAGE_DELTA_PACKER_H_
#define PTEEDIT_SRC_PACKAGE_DELTA_PACKER_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "package/delta_pieces.h"
#include "pteedit/bytes.h"
#include "pteedit/result.h"
#include "pteedit/source.h"

namespace pteedit {

// One step of making a file. Places in old files are those of the pieces; packed bytes lie one after the other.
struct PackedStep {
  uint64_t bytes = 0;             // of the new file
  std::optional<OldExtent> copy;  // else from the packed ones
  Extent packed;                  // what they take there
  bool is_frames = false;         // zstd frames, else the very bytes
  std::optional<OldExtent> dictionary;
};

struct PackOptions {
  int level = 0;
  unsigned threads = 1;
};

// Gives the packed bytes of one piece after the other to `append`. Whatever needs fewest bytes is taken, counting what
// an entry of the manifest has; steps that go on where the one before ended are one. Same bytes with any number of
// threads, each of which takes some 50 MiB.
Result<std::vector<PackedStep>> PackPieces(const OldContents& old, const Source& source,
                                           const std::vector<DeltaPiece>& pieces, const PackOptions& options,
                                           const std::function<Status(ByteSpan)>& append);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_PACKAGE_DELTA_PACKER_H_
