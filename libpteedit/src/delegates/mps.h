// Processed blobs of the MPS backend, since 0.4:
//
//   bytes 0..3 zero | 4 "MP00" | u64 offset of the constant data | u64 its size | graph | padding | constant data
//
// little-endian, offsets from the blob's start, the graph a flatbuffer as in schema/mps.fbs. Blobs of earlier releases
// are the graph alone and stay opaque: their operators are numbered otherwise.
#ifndef PTEEDIT_SRC_DELEGATES_MPS_H_
#define PTEEDIT_SRC_DELEGATES_MPS_H_

#include "delegates/decoder.h"

namespace pteedit {

// See Decoder::decode. Reads header and graph, at most 64 MiB of it.
Result<DecodedBlob> DecodeMps(const BlobInput& input);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_DELEGATES_MPS_H_
