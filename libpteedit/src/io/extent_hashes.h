// Hashes of many parts of one source, which may overlap: it is read once.
#ifndef PTEEDIT_SRC_IO_EXTENT_HASHES_H_
#define PTEEDIT_SRC_IO_EXTENT_HASHES_H_

#include <utility>
#include <vector>

#include "pteedit/bytes.h"
#include "pteedit/result.h"
#include "pteedit/source.h"

namespace pteedit {

template <class Hash>
using Digests = std::vector<decltype(std::declval<Hash&>().Finish())>;

// The digest of each of `places`, which come in the order of their offsets. Hash is Sha256 or Xxh128. Same result, and
// same error, with any number of threads.
template <class Hash>
Result<Digests<Hash>> HashExtents(const Source& source, const std::vector<Extent>& places, unsigned threads);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_IO_EXTENT_HASHES_H_
