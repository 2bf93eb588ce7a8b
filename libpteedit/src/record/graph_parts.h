// What listings of graphs are put together from.
#ifndef PTEEDIT_SRC_RECORD_GRAPH_PARTS_H_
#define PTEEDIT_SRC_RECORD_GRAPH_PARTS_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/kept_texts.h"
#include "base/text_map.h"
#include "program/container_state.h"
#include "program/delegate_names.h"
#include "pteedit/delegates.h"
#include "pteedit/profile/graph.h"
#include "record/delegates_by_name.h"
#include "record/delegation_count.h"
#include "record/record_check.h"
#include "record/record_graph.h"

namespace pteedit {

// Gives names that are all different, as the exporter numbers them: x, x_1, x_2.
class NodeNames {
 public:
  explicit NodeNames(KeptTexts& texts) : texts_(texts), taken_(texts) {}

  // Kept in the texts.
  std::string_view Take(std::string_view name);

 private:
  KeptTexts& texts_;
  TextMap<uint32_t> taken_;  // how many were called so
};

// "aten_add_out" for "aten::add.out": what else than letters, digits and '_' is in a name becomes '_'.
std::string NodeNameOf(std::string_view text);

// Where the exporter prints operators, an underscore stands in the name of their package.
std::string PrintedTarget(std::string_view target);

// Sets how many nodes take each: `outputs` count as one.
void CountUsers(std::vector<GraphNode>& nodes, const std::vector<std::string_view>& outputs);

// What the record says of a method, if there is one; looks into the graph.
struct RecordedNames {
  RecordedNames() = default;
  RecordedNames(const RecordGraph& whole, NodeJoin join, std::map<uint64_t, uint64_t> outputs);

  const RecordGraph* graph = nullptr;
  NodeJoin nodes;
  std::map<uint64_t, uint64_t> delegate_outputs;  // numbers of them, by instruction
  // Of each value; null among them: the graph's outputs.
  std::map<std::string, std::vector<const RecordNode*>, std::less<>> takers;
};

// A delegate's graph from the nodes that it took. What they take from elsewhere are its inputs.
LoweredGraph LoweredFromNodes(const std::string& backend, const std::vector<const RecordNode*>& nodes,
                              const RecordedNames& recorded, KeptTexts& texts);
LoweredGraph LoweredFromBlob(const DelegateDescription& delegate, KeptTexts& texts);

// A graph that called delegates when it was recorded.
MethodGraph ListRecord(const std::string& method, const RecordGraph& graph, const std::shared_ptr<KeptTexts>& texts);

// Constants that the values of a plan read. There may be as many of these as tables, and few constants.
struct NamedValues {
  struct Value {
    uint32_t value = 0;
    uint32_t name = 0;  // in `names`
  };
  std::vector<Value> values;
  std::shared_ptr<const std::vector<std::string_view>> names;  // of all plans, kept in the texts
};

// By plan.
std::vector<NamedValues> ConstantsByPlan(const Container& program, KeptTexts& texts);

// A method of a program.
struct PlanParts {
  const schema::ExecutionPlan& plan;
  const DelegateNames& delegates;  // names of its own
  NamedValues constants;
};

MethodGraph ListProgram(PlanParts parts, const DelegatesByName& delegates, const RecordedNames& recorded,
                        const std::shared_ptr<KeptTexts>& texts);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_RECORD_GRAPH_PARTS_H_
