// Processed blobs of NVIDIA's TensorRT backend, as ExecuTorch and Torch-TensorRT write them:
//
//   "TR01" or "TR02" | u32 metadata offset | u32 metadata bytes | u32 engine offset | u64 engine bytes | 8 bytes
//   metadata: JSON, {"io_bindings": [{"name", "dtype", "shape", "is_input"}], "aliased_io", "hardware_compatible", …}
//   engine, at a multiple of 16
//
// little-endian. "TR02" says that there are aliased outputs. The engine is opaque but for its first bytes: the tag
// "ftrt", a u32 of 0, and at byte 24 the four numbers of the TensorRT release that built it, a byte each.
#ifndef PTEEDIT_SRC_DELEGATES_TENSORRT_H_
#define PTEEDIT_SRC_DELEGATES_TENSORRT_H_

#include "delegates/decoder.h"

namespace pteedit {

// See Decoder::decode. Reads header, metadata and the engine's first bytes.
Result<DecodedBlob> DecodeTensorrt(const BlobInput& input);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_DELEGATES_TENSORRT_H_
