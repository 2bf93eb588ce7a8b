// Files of a release a second time, as zstd frames to download.
#ifndef PTEEDIT_SRC_PACKAGE_COMPRESS_FILES_H_
#define PTEEDIT_SRC_PACKAGE_COMPRESS_FILES_H_

#include <functional>
#include <optional>

#include "io/sealed_files.h"
#include "pteedit/result.h"
#include "pteedit/source.h"

namespace pteedit {

struct CompressIntoOptions {
  int level = 0;
  unsigned threads = 1;                           // same bytes with any number
  std::function<Status(uint64_t bytes)> advance;  // gets how many more were read; what fails stops
};

// All of `source` as one frame that says its size and has a checksum, in `file`, with its hash. Nothing where that
// saves less than a thirty-second. Memory depends on level and threads alone: some 50 MiB a thread at level 3.
Result<std::optional<SealedFile>> CompressInto(TemporaryFile file, const Source& source,
                                               const CompressIntoOptions& options);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_PACKAGE_COMPRESS_FILES_H_
