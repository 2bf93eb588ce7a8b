// Blobs that a decoder of the user's knows.
#ifndef PTEEDIT_SRC_DELEGATES_TOLD_BLOB_H_
#define PTEEDIT_SRC_DELEGATES_TOLD_BLOB_H_

#include <optional>
#include <string_view>
#include <vector>

#include "delegates/decoder.h"
#include "pteedit/delegate_metadata.h"
#include "pteedit/result.h"

namespace pteedit {

// What the first of `decoders` that knows the blob says. Fails with kUnsupported, and why, where the blob is to stay
// opaque; with kIo where it can no longer be read.
Result<std::optional<BlobMetadata>> AskDecoders(const std::vector<BlobDecoder>& decoders, std::string_view delegate,
                                                std::string_view backend, const BlobInput& input);

// What the library found, with what metadata says in its place, member by member. `metadata` fits a blob of
// `blob_bytes`.
DecodedBlob Told(const BlobMetadata& metadata, DecodedBlob found, uint64_t blob_bytes);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_DELEGATES_TOLD_BLOB_H_
