// Processed blobs of the native backend (since 1.5): a flatbuffer as in schema/native.fbs, identifier "NPTG", and
// nothing else. Its keys are the fully qualified names of the parameters, and it holds no weights.
#ifndef PTEEDIT_SRC_DELEGATES_NATIVE_H_
#define PTEEDIT_SRC_DELEGATES_NATIVE_H_

#include "delegates/decoder.h"

namespace pteedit {

// See Decoder::decode. Operators are those of all methods, a subgraph's behind the node that runs it. Scales and zero
// points are constants of their own. Fails with kUnsupported where the blob is damaged, has over 64 MiB, or its version
// is not 1. The only problem, a warning: blob-unknown-fields.
Result<DecodedBlob> DecodeNative(const BlobInput& input);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_DELEGATES_NATIVE_H_
