// A program as a listing of nodes, in the form in which the exporter prints graphs.
#ifndef PTEEDIT_PROFILE_GRAPH_H_
#define PTEEDIT_PROFILE_GRAPH_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pteedit/container.h"
#include "pteedit/delegates.h"
#include "pteedit/export.h"
#include "pteedit/rare.h"
#include "pteedit/result.h"
#include "pteedit/source.h"

namespace pteedit {

// Looks into the `texts` of the method that it is of, and lives no longer. There may be as many as values.
struct GraphNode {
  std::string_view name;                                  // "aten_add_tensor_1"
  std::string_view target;                                // what it calls, or the name of an input or constant
  const char* op = "";                                    // "placeholder", "get_attr", "call_function"
  Rare<std::vector<std::string_view>> arguments;          // "%x", "1", "[8, 8]"
  Rare<std::vector<std::string_view>> keyword_arguments;  // "dtype: torch.float32"
  uint32_t users = 0;                                     // nodes that take it, a graph's outputs together being one
  OptionalIndex lowered;                                  // of a get_attr: which of the method's lowered graphs
  OptionalIndex chain;       // of the instruction that it is, unless the nodes are those of a record
  uint32_t instruction = 0;  // in its chain
};

// Names of the nodes that it takes, in the order of its arguments, each once; there may be none of that name.
PTEEDIT_API std::vector<std::string_view> NodesTaken(const GraphNode& node);

struct LoweredGraph {
  std::string backend;
  // What is in it: the exporter's nodes with a record; without, calls of operators as the processed blob calls them, of
  // which arguments are not known; nothing where the blob is opaque, and then why.
  std::vector<GraphNode> nodes;
  std::vector<std::string_view> outputs;
  bool has_arguments = false;
  std::string why_opaque;
};

struct MethodGraph {
  std::string method;
  bool has_record = false;
  std::vector<GraphNode> nodes;
  std::vector<std::string_view> outputs;
  std::vector<LoweredGraph> lowered;  // nodes with the same in them share one
  std::shared_ptr<const void> texts;  // that nodes look into, also those of lowered graphs; methods share it
};

// One element for each method that has instructions, in file order; of a bundle, those of the program inside; of a data
// file none. `delegates` are all that DescribeDelegates found in `file`. Without `record`, which may be null, nodes are
// the program's instructions, called after operators. With one whose graph was lowered when it was recorded, they are
// those of that graph; with another, the instructions with the names and targets of the nodes that they were made from,
// and in the delegates the nodes that these took: where two delegates took nodes of one debug handle, the first nodes
// go to the first delegate. Fails as DescribeDelegation.
PTEEDIT_API Result<std::vector<MethodGraph>> DescribeGraphs(const Container& file,
                                                            const std::vector<DelegateDescription>& delegates,
                                                            const std::shared_ptr<const Source>& record = nullptr);

}  // namespace pteedit

#endif  // PTEEDIT_PROFILE_GRAPH_H_
