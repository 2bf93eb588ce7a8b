// The file in which XNNPACK's delegate keeps weights as it packed them, from one launch to the next (since 1.5, runtime
// option packed_cache_path). Its entries go by the keys of the weights in a program's or data file's named data, so an
// entry whose key no program asks for any more is read by nobody, and no release removes it.
#ifndef PTEEDIT_PACKED_CACHE_H_
#define PTEEDIT_PACKED_CACHE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "pteedit/bytes.h"
#include "pteedit/export.h"
#include "pteedit/program_set.h"
#include "pteedit/result.h"
#include "pteedit/sizes.h"
#include "pteedit/source.h"

namespace pteedit {

struct PackedCacheEntry {
  std::string key;    // of the weight, and behind it that of the bias where there is one
  Extent place;       // in the file
  uint32_t seed = 0;  // of the kernel that packed it; another release's kernel packs anew
};

struct PackedCache {
  std::vector<PackedCacheEntry> entries;  // in the order of the index
  Extent index;                           // with the footer, at the end of the file
};

// Whether the file ends as one. Fails with kIo where it cannot be read.
PTEEDIT_API Result<bool> IsPackedCache(const Source& file);

// Fails with kMalformed where the runtime takes nothing of the file, kUnsupported where it is none or of a version that
// no release up to 1.5 writes, kIo where it cannot be read.
PTEEDIT_API Result<PackedCache> ReadPackedCache(const Source& file);

// The root is "Total Size". Level 1: Packed Weights, a row each; Stale Weights, those that no XNNPACK delegate of
// `programs` asks for, where there are any programs; Index; Padding; Dead Bytes, which no entry has: earlier indexes
// and what was packed anew. Every byte belongs to one leaf. Fails as ReadPackedCache does, and where blobs cannot be
// read.
PTEEDIT_API Result<SizeNode> MeasurePackedCache(const std::shared_ptr<const Source>& file,
                                                const std::vector<ProgramSet>& programs = {});

}  // namespace pteedit

#endif  // PTEEDIT_PACKED_CACHE_H_
