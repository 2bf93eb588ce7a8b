// Processed blobs of the MLX backend (since 1.3):
//
//   bytes 0..3 zero | 4 "MLX0" | u64 data offset | u64 data size, 0 today | graph, up to the data offset | data
//
// all little-endian, offsets from the blob's start, the graph a flatbuffer without identifier as in schema/mlx.fbs,
// with the padding behind it. Constants are named data: a key is four hexadecimal digits that tell the method, a slash,
// and the fully qualified name of the parameter.
#ifndef PTEEDIT_SRC_DELEGATES_MLX_H_
#define PTEEDIT_SRC_DELEGATES_MLX_H_

#include <set>

#include "delegates/decoder.h"

namespace pteedit {

// See Decoder::decode. Operators are those of all chains; names of constants are their keys without the digits; types
// are called as elsewhere in a program ("float32"). Fails with kUnsupported where header or graph is damaged, the graph
// has over 64 MiB, or its version is not 1. Problems, both warnings: blob-unknown-fields, blob-unknown-operator.
Result<DecodedBlob> DecodeMlx(const BlobInput& input);

// The numbers of the nodes that a graph has, in which releases differ. Fails as DecodeMlx.
Result<std::set<int>> ReadMlxNodes(const BlobInput& input);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_DELEGATES_MLX_H_
