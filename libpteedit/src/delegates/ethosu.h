// Processed blobs of the Ethos-U backend: what Arm's Vela compiler made for the NPU, as a row of blocks
//
//   name, 16 bytes, zero padded | u32 length | u8 storage | 11 reserved | payload, zero padded to a multiple of 16
//
// little-endian. The first is vela_bin_stream, the last vela_end_stream, both without payload; between them cmd_data,
// weight_data, scratch_size (u32 bytes), inputs and outputs (i32 count, then for each 6 sizes, element size, offset and
// region, all i32). Storage 1, since 1.5: the payload is the 64-byte key of named data that holds it, a hash of more
// than those bytes. The command stream cannot be told back into operators, and weights are one compressed stream.
#ifndef PTEEDIT_SRC_DELEGATES_ETHOSU_H_
#define PTEEDIT_SRC_DELEGATES_ETHOSU_H_

#include "delegates/decoder.h"

namespace pteedit {

// See Decoder::decode. Reads the blocks' heads, keys, inputs and outputs, never commands or weights.
Result<DecodedBlob> DecodeEthosU(const BlobInput& input);

// Whether some block of the blob is a key instead of bytes.
Result<bool> HasEthosUKeys(const BlobInput& input);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_DELEGATES_ETHOSU_H_
