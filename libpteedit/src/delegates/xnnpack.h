// Processed blobs of the XNNPACK backend. Since 0.2:
//
//   bytes 0..3 zero | 4 "XH00" | u16 header length, 30 | u32 graph offset | u32 graph size | u32 constant data offset |
//   u64 constant data size | padding | graph | padding | constant data
//
// all little-endian, offsets from the blob's start, the graph a flatbuffer as in schema/xnnpack.fbs. A constant lies in
// the constant data, or (since 0.6, then nearly always) in the named data under a key. In 0.1 the blob is the graph
// alone, which holds the constants itself.
//
// Problems, errors unless marked:
//   xnnpack-too-short, xnnpack-header-graph, xnnpack-header-constants   header, or what it says is outside the blob
//   xnnpack-header-length (warning)   not 30; no runtime looks at it
//   xnnpack-identifier, xnnpack-graph-damaged, xnnpack-graph-incomplete
//   xnnpack-unknown-fields (warning), xnnpack-unknown-operator (warning)   newer than what we know
//   xnnpack-dropped-operator (warning)   older than what runtimes since 0.7 know
//   xnnpack-value, xnnpack-value-dims, xnnpack-value-type, xnnpack-value-id, xnnpack-external-id, xnnpack-quantization
//   xnnpack-constant-index, xnnpack-constant-outside, xnnpack-constant-short, xnnpack-constant-key
//   xnnpack-operator, xnnpack-operator-dims, xnnpack-operator-parameter, xnnpack-operator-types, xnnpack-operator-value
#ifndef PTEEDIT_SRC_DELEGATES_XNNPACK_H_
#define PTEEDIT_SRC_DELEGATES_XNNPACK_H_

#include <cstdint>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "delegates/decoder.h"
#include "delegates/xnnpack_types.h"
#include "delegates/xnnpack_work.h"

namespace pteedit {

inline constexpr char kXnnpackBackend[] = "XnnpackBackend";

// See Decoder::decode. Reads header and graph, which together are kept below 64 MiB: larger ones are refused with
// kUnsupported.
Result<DecodedBlob> DecodeXnnpack(const BlobInput& input);

// See Decoder::open_graph.
Result<KeyedGraph> OpenXnnpackGraph(const BlobInput& input);

// What a blob uses of what releases differ in. Nodes and datatypes by their number in the schema.
struct XnnpackForm {
  std::set<int> nodes, datatypes;
  bool has_header = false;
  bool has_keys = false;             // of constants
  bool has_scale_constants = false;  // scales among the constants, not in the tables
};

// kUnsupported where the blob is too damaged to tell.
Result<XnnpackForm> ReadXnnpackForm(const BlobInput& input);

// What an operator of the graph is, reads and computes.
struct XnnpackNodeFacts {
  XnnpackOperator type = XnnpackOperator::NONE;
  uint32_t debug_handle = 0;                               // of the exporter's node; 0 where the blob does not tell
  std::vector<XnnpackType> types;                          // of the values that it names, in the order of its fields
  XnnpackType filter = XnnpackType::xnn_datatype_invalid;  // where it has one
  struct Constant {
    std::string key;  // in the named data; empty where the blob has the bytes
    Extent extent;    // then, from the blob's start
    bool operator<(const Constant& other) const {
      return std::tie(key, extent.offset, extent.size) < std::tie(other.key, other.extent.offset, other.extent.size);
    }
  };
  std::set<Constant> constants;  // scales too
  OperatorWork work = {{}, {}, false, kUnknownOperator};
};

// In the order of the graph. kUnsupported where the blob is too damaged to tell.
Result<std::vector<XnnpackNodeFacts>> ReadXnnpackNodes(const BlobInput& input);

// See Decoder::measure.
Result<std::vector<OperatorWork>> MeasureXnnpack(const BlobInput& input);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_DELEGATES_XNNPACK_H_
