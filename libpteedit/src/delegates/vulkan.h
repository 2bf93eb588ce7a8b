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

#include <set>
#include <string>
#include <vector>

#include "delegates/decoder.h"

namespace pteedit {

// See Decoder::decode. Reads header and graph, which may have 64 MiB. Fails with kUnsupported where the header or graph
// is damaged, or the graph's version is not 0. The only problem, a warning: blob-unknown-fields.
Result<DecodedBlob> DecodeVulkan(const BlobInput& input);

// See Decoder::open_graph. kUnsupported of 0.2's graphs, which have no keys.
Result<KeyedGraph> OpenVulkanGraph(const BlobInput& input);

// See Decoder::measure.
Result<std::vector<OperatorWork>> MeasureVulkan(const BlobInput& input);

// What a blob uses of what releases differ in.
struct VulkanForm {
  std::set<std::string> operators;  // by name
  bool has_node_ids = false;        // operators begin with an id
  bool has_symbols = false;         // values that are symbolic integers
  bool has_keys = false;            // of constants
  bool has_wide_types = false;      // 64-bit numbers
};

// kUnsupported where the blob is too damaged to tell.
Result<VulkanForm> ReadVulkanForm(const BlobInput& input);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_DELEGATES_VULKAN_H_
