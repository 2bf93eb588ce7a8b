#include "package/compress_files.h"

#include <utility>

#include "io/digest.h"
#include "io/streaming.h"
#include "package/zstd_frames.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

constexpr uint64_t kLeastSaving = 32;  // of so many parts at least one

}  // namespace

Result<std::optional<SealedFile>> CompressInto(TemporaryFile file, const Source& source,
                                               const CompressIntoOptions& options) {
  Sha256 hash;
  uint64_t bytes = 0;
  const auto append = [&](ByteSpan piece) -> Status {
    hash.Update(piece);
    bytes += piece.size;
    return file.Append(piece);
  };
  PTEEDIT_TRY(CompressAll(source, {options.level, options.threads, options.advance}, append));
  if (bytes > source.size() - source.size() / kLeastSaving) return std::optional<SealedFile>();
  PTEEDIT_TRY(file.Seal());
  return std::optional(SealedFile{std::move(file), {{}, bytes, hash.Finish().Hex()}});
}

}  // namespace pteedit
