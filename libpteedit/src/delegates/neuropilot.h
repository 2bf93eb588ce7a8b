// Processed blobs of MediaTek's Neuropilot backend:
//
//   u8 version, 1 | u32 inputs | u32 outputs | u32 size | compiled network of that size
//
// little-endian, unaligned. The network is opaque. Compile spec ExtractSharedBlobKey is the key of named data with
// weights that networks share.
#ifndef PTEEDIT_SRC_DELEGATES_NEUROPILOT_H_
#define PTEEDIT_SRC_DELEGATES_NEUROPILOT_H_

#include "delegates/decoder.h"

namespace pteedit {

// See Decoder::decode. Reads the header only.
Result<DecodedBlob> DecodeNeuropilot(const BlobInput& input);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_DELEGATES_NEUROPILOT_H_
