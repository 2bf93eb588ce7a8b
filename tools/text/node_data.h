// Model Explorer's node data, a number for each node of each graph, as its ModelNodeData has them.
#ifndef PTEEDIT_TOOLS_TEXT_NODE_DATA_H_
#define PTEEDIT_TOOLS_TEXT_NODE_DATA_H_

#include <ostream>
#include <set>
#include <string>

#include "json.h"

namespace pteedit::cli {

// Of graphs of one name the first counts, and of nodes of one name in a graph.
class NodeDataPrinter {
 public:
  explicit NodeDataPrinter(std::ostream& out) : printer_(out) { printer_.BeginObject(); }

  void BeginGraph(const std::string& name);
  void EndGraph();
  // Of the graph that has begun.
  void Add(const std::string& node, const Json& value);
  void Finish();

 private:
  JsonPrinter printer_;
  std::set<std::string> graphs_, nodes_;  // as they are printed
  bool is_new_ = false;
};

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_TEXT_NODE_DATA_H_
