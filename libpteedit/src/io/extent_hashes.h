// Hashes of many parts of one source, which may overlap: it is read once.
#ifndef PTEEDIT_SRC_IO_EXTENT_HASHES_H_
#define PTEEDIT_SRC_IO_EXTENT_HASHES_H_

#include <string>
#include <vector>

#include "pteedit/bytes.h"
#include "pteedit/result.h"
#include "pteedit/source.h"

namespace pteedit {

// Lower-case digits for each of `places`, which come in the order of their offsets. Hash is Sha256 or Xxh128. Same
// result, and same error, with any number of threads.
template <class Hash>
Result<std::vector<std::string>> HashExtents(const Source& source, const std::vector<Extent>& places, unsigned threads);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_IO_EXTENT_HASHES_H_
