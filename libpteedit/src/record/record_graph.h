// The graph of a method as a record has it: the exporter's nodes, with the names that it gives them.
#ifndef PTEEDIT_SRC_RECORD_RECORD_GRAPH_H_
#define PTEEDIT_SRC_RECORD_RECORD_GRAPH_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pteedit/result.h"
#include "record/etrecord.h"
#include "record/record_arguments.h"

namespace pteedit {

inline constexpr std::string_view kEdgeOperators = "executorch.exir.dialects.edge.ops.";

// A node that takes one output of another.
struct RecordGetitem {
  std::string name;
  size_t index = 0;
};

struct RecordNode {
  std::string name;                            // "aten_add_tensor_1"
  std::string target;                          // "executorch.exir.dialects.edge.ops.aten.add.Tensor"
  std::vector<std::string> arguments;          // as graphs are printed: "%x", "1", "[1, %sym_size]"
  std::vector<std::string> keyword_arguments;  // "dtype: torch.float32", in code "dtype = torch.float32"
  std::vector<RecordGetitem> getitems;         // nodes that take one output each; a node without them has one output
  std::optional<uint64_t> debug_handle;
  std::optional<size_t> lowered;  // of a call of a delegate: which of the graph's lowered modules
};

struct LoweredModule;

struct RecordGraph {
  std::vector<std::string> inputs, outputs;
  std::vector<RecordNode> nodes;  // calls, in order
  std::vector<LoweredModule> lowered;
};

struct LoweredModule {
  std::string name;  // "lowered_module_0"
  std::string backend;
  RecordGraph graph;  // as it was before the backend took it
};

// "aten_add_tensor": the name without the number behind it, by which delegation tables count nodes.
std::string OpTypeOf(std::string_view node_name);
// "aten::add.Tensor" for a node that calls an operator, else the last part of what it calls: "mul".
std::string OperatorOf(const RecordNode& node);

// Of the method's program in the edge dialect; nothing where the record has none. kUnsupported where it is not what an
// exporter writes.
Result<std::optional<RecordGraph>> ReadGraph(const Etrecord& record, std::string_view method);

// Of an exported program's JSON. kUnsupported where it has no graph.
Result<RecordGraph> GraphOf(const JsonValue& program, ArgumentStyle style);

// Of a node of a program's JSON; nothing where it has none.
std::optional<uint64_t> DebugHandleOf(const JsonValue& node);
// What the Inspector calls the operator of a node: "aten.addmm.default", of torch's own "scalar_tensor.default".
std::string InspectorTypeOf(std::string_view target);

struct HandleList {
  std::vector<uint64_t> handles;
  bool is_list = false;  // rather than one number
};

// What the exporter noted of the instructions that it made for a method, by index.
struct RecordMaps {
  std::map<uint64_t, std::vector<uint64_t>> handles;  // one for each node; several with the same are repeated
  std::set<uint64_t> single;                          // those that the record has as a number and not as a list
  std::map<uint64_t, uint64_t> delegate_outputs;      // numbers of them
  std::map<uint64_t, std::string> backends;           // of calls of delegates
  // Of calls of delegates: what backends noted of their own nodes, by identifier, in order.
  std::map<uint64_t, std::vector<std::pair<std::string, HandleList>>> delegate_handles;
};

// Nothing where the record has no instructions of the method.
Result<std::optional<RecordMaps>> ReadMaps(const Etrecord& record, std::string_view method);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_RECORD_RECORD_GRAPH_H_
