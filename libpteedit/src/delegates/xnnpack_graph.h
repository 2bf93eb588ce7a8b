// What a verified XNNPACK graph says, and what its runtime would not take.
#ifndef PTEEDIT_SRC_DELEGATES_XNNPACK_GRAPH_H_
#define PTEEDIT_SRC_DELEGATES_XNNPACK_GRAPH_H_

#include <optional>

#include "delegates/decoder.h"
#include "delegates/xnnpack_schema.h"

namespace pteedit {

struct XnnpackGraphPlace {
  ByteSpan graph;                       // of which the tables are a part
  uint64_t offset = 0;                  // of the graph in the blob
  std::optional<Extent> constant_data;  // in the blob; nothing where the graph holds the constants itself
};

// Operators, constants, keys and problems; no parts.
DecodedBlob ReadXnnpackGraph(const schema::xnnpack::XNNGraph& graph, const XnnpackGraphPlace& place);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_DELEGATES_XNNPACK_GRAPH_H_
