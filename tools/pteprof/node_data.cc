#include "node_data.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "pteedit/delegates.h"
#include "pteedit/profile/graph.h"
#include "pteedit/try.h"
#include "text/node_data.h"

namespace pteedit::cli {
namespace {

// The nodes of a method by the instructions that they are.
class NodeIds {
 public:
  explicit NodeIds(const MethodGraph& method) {
    const GraphNode* module = nullptr;  // before its call
    for (const GraphNode& node : method.nodes) {
      if (node.chain) {
        Call& call = calls_[{*node.chain, node.instruction}];
        call.id = node.name;
        if (module != nullptr) AddOperators(module->name, method.lowered[*module->lowered], call);
      }
      module = node.lowered ? &node : nullptr;
    }
  }

  // Empty where none is known.
  std::string Of(const OperatorCost& cost) const {
    if (cost.chain < 0 || cost.instruction < 0) return "";
    const auto found = calls_.find({static_cast<uint64_t>(cost.chain), static_cast<uint64_t>(cost.instruction)});
    if (found == calls_.end()) return "";
    if (!cost.is_in_delegate) return found->second.id;
    const std::optional<DelegateNodes>& nodes = cost.more->nodes;
    const bool is_of_one = nodes && nodes->first == nodes->last;
    const std::vector<std::string>& operators = found->second.operators;
    return is_of_one && nodes->first < operators.size() ? operators[nodes->first] : "";
  }

 private:
  struct Call {
    std::string id;
    std::vector<std::string> operators;  // ids of those inside
  };

  static void AddOperators(std::string_view module, const LoweredGraph& lowered, Call& call) {
    for (const GraphNode& one : lowered.nodes)
      call.operators.push_back(std::string(module) + "/" + std::string(one.name));
  }

  std::map<std::pair<uint64_t, uint64_t>, Call> calls_;
};

void AddTimes(const BlockCosts& block, const NodeIds& ids, NodeDataPrinter& printer) {
  std::map<std::string, double> times;  // several rows may be of one node
  for (const OperatorCost& cost : block.operators) {
    if (const std::string id = ids.Of(cost); !id.empty()) times[id] += cost.time;
  }
  for (const auto& [id, time] : times) printer.Add(id, time);
}

}  // namespace

Status PrintNodeData(const std::vector<BlockCosts>& blocks, const Container& program, std::ostream& out) {
  PTEEDIT_ASSIGN(const std::vector<DelegateDescription> delegates, DescribeDelegates(program));
  PTEEDIT_ASSIGN(const std::vector<MethodGraph> methods, DescribeGraphs(program, delegates));
  NodeDataPrinter printer(out);
  for (const MethodGraph& method : methods) {
    const auto block = std::find_if(blocks.begin(), blocks.end(), [&](const BlockCosts& one) {
      return one.methods == std::vector<std::string>{method.method};
    });
    if (block == blocks.end()) continue;
    printer.BeginGraph(method.method);
    AddTimes(*block, NodeIds(method), printer);
    printer.EndGraph();
  }
  printer.Finish();
  return {};
}

}  // namespace pteedit::cli
