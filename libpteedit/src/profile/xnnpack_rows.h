// The operators that XNNPACK logs, "Fully Connected (NC, F32) GEMM #2", and the nodes of the graph that it made them
// of. Both come in one order, but nodes may be fused into others, and some operators stand for no node.
#ifndef PTEEDIT_SRC_PROFILE_XNNPACK_ROWS_H_
#define PTEEDIT_SRC_PROFILE_XNNPACK_ROWS_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "delegates/xnnpack.h"

namespace pteedit {

struct XnnpackRowMatch {
  // By row: the node that it is of, where fusion leaves that open the first and the last that it may be; nothing where
  // it is of a kind that no node of the graph has.
  struct Nodes {
    size_t first = 0, last = 0;
  };
  std::vector<std::optional<Nodes>> nodes;
  std::string contradiction;  // what no run of the graph can have logged; empty where nothing contradicts
};

// Of all rows of one call, in their order.
XnnpackRowMatch MatchXnnpackRows(const std::vector<std::string>& rows, const std::vector<XnnpackNodeFacts>& nodes);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_PROFILE_XNNPACK_ROWS_H_
