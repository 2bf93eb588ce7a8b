// Hashes of many parts of one source, which may overlap: it is read once.
#ifndef PTEEDIT_SRC_IO_EXTENT_HASHES_H_
#define PTEEDIT_SRC_IO_EXTENT_HASHES_H_

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "pteedit/bytes.h"
#include "pteedit/result.h"
#include "pteedit/source.h"

namespace pteedit {

template <class Hash>
using TakeDigest = std::function<void(size_t place, const decltype(std::declval<Hash&>().Finish())& digest)>;

// Calls take(number, digest) once for each of `places`, which come in the order of their offsets; of several threads
// from any of them, in any order. Hash is Sha256 or Xxh128. Same digests, and same error, with any number of threads.
template <class Hash>
Status HashExtents(const Source& source, const std::vector<Extent>& places, unsigned threads,
                   const TakeDigest<Hash>& take);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_IO_EXTENT_HASHES_H_
