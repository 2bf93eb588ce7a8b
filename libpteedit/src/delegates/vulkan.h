// Processed blobs of the Vulkan backend, which the WebGPU runtime reads under the same id:
//
//   bytes 0..3 zero | 4 "VH00" | u16 header length, 30 | u32 graph offset | u32 graph size | u32 constant data offset |
//   u64 constant data size | padding | graph | padding | constant data
//
// all little-endian, offsets from the blob's start, the graph a flatbuffer as in schema/vulkan.fbs, that of 0.2 as in
// schema/vulkan_02.fbs. A constant lies in the constant data or (since 1.0, then nearly always) in the named data under
// a key, the SHA-256 of its bytes.
#ifndef PTEEDIT_SRC_DELEGATES_VULKAN_H_
#define PTEEDIT_SRC_DELEGATES_VULKAN_H_

#include "delegates/decoder.h"

namespace pteedit {

// See Decoder::decode. Reads header and graph, which may have 64 MiB. Fails with kUnsupported where the header or graph
// is damaged, or the graph's version is not 0. The only problem, a warning: blob-unknown-fields.
Result<DecodedBlob> DecodeVulkan(const BlobInput& input);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_DELEGATES_VULKAN_H_
