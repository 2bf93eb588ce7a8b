// Processed blobs of the backends that run what AOTInductor compiled, CUDA and Metal. A blob only says under which keys
// of the named data library and weights are, in one of three ways:
//
//   nothing (1.1 to 1.3): "<method>_so_blob" and "<method>_weights_blob", the method from compile spec method_name
//   text (since 1.4): "<SHA-256>_so_blob" "\n" "<SHA-256>_weights_blob"
//   "ETCUDAFQN3" | text, key of the library | u32 count | for each weight: text, its name | text, its key | u64 bytes |
//     i32 element type | i32 device | i64 first element | u32 dimensions | i64 sizes | i64 strides     (CUDA,
//     since 1.5)
//
// little-endian, a text behind its u32 length, element types as programs number them.
#ifndef PTEEDIT_SRC_DELEGATES_AOTI_H_
#define PTEEDIT_SRC_DELEGATES_AOTI_H_

#include "delegates/decoder.h"

namespace pteedit {

// See Decoder::decode. Reads the blob whole, at most 16 MiB and 100,000 weights.
Result<DecodedBlob> DecodeAoti(const BlobInput& input);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_DELEGATES_AOTI_H_
