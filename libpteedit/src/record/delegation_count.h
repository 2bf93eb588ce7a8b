// Counting the nodes of a record's graph in and outside of delegates.
#ifndef PTEEDIT_SRC_RECORD_DELEGATION_COUNT_H_
#define PTEEDIT_SRC_RECORD_DELEGATION_COUNT_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "pteedit/execution.h"
#include "pteedit/profile/delegation.h"
#include "record/record_graph.h"

namespace pteedit {

using OperatorCounts = std::map<std::string, OperatorDelegation>;  // by type

// Of a graph that calls delegates: the exporter lowered what it recorded.
OperatorCounts CountLowered(const RecordGraph& graph);

// Of a graph from before the partitioner. The program's instructions carry the debug handles of its nodes: a kernel
// call takes the node with its handle and operator; what a delegate took has its handle as often as there are such
// nodes in the delegate. Views, for which the exporter makes instructions without handle or none at all, are the rest.
OperatorCounts CountUnlowered(const RecordGraph& graph, const RecordMaps& maps,
                              const std::vector<InstructionDescription>& instructions);

// Which nodes instructions were made from, by index: of calls of kernels, if any, and of delegates.
struct NodeJoin {
  std::map<uint64_t, const RecordNode*> kernels;
  std::map<uint64_t, std::vector<const RecordNode*>> delegates;
};

// Of a graph from before the partitioner, which outlives the answer.
NodeJoin JoinNodes(const RecordGraph& graph, const RecordMaps& maps,
                   const std::vector<InstructionDescription>& instructions);

// How well a kernel of this name fits the node: 0 not at all, 2 also in its overload.
int Fit(std::string_view kernel, const RecordNode& node);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_RECORD_DELEGATION_COUNT_H_
