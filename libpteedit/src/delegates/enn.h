// Processed blobs of Samsung's ENN backend: a network for the NPU, opaque. Compile spec enn_compile_options, see
// schema/enn_options.fbs, tells the chip.
#ifndef PTEEDIT_SRC_DELEGATES_ENN_H_
#define PTEEDIT_SRC_DELEGATES_ENN_H_

#include "delegates/decoder.h"

namespace pteedit {

// See Decoder::decode. Reads nothing of the blob.
Result<DecodedBlob> DecodeEnn(const BlobInput& input);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_DELEGATES_ENN_H_
