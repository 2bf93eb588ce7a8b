#include "pteedit/profile/graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "program_builder.h"
#include "record/etrecord.h"
#include "record/graph_parts.h"
#include "record/method_record.h"
#include "test_files.h"

namespace pteedit::graph_test {
namespace {

using test::DataPath;
using test::ProgramBuilder;

std::vector<MethodGraph> Listed(const std::string& program, const std::string& record = "") {
  std::shared_ptr<const Source> source;
  if (!record.empty()) source = *OpenFileSource(DataPath("delegation/" + record + ".etrecord"));
  const Container file = test::OpenFile(DataPath(program));
  const auto graphs = DescribeGraphs(file, *DescribeDelegates(file), source);
  EXPECT_TRUE(graphs) << graphs.error().message;
  return graphs ? *graphs : std::vector<MethodGraph>();
}

const GraphNode& NodeCalled(const std::vector<GraphNode>& nodes, const std::string& name) {
  const auto found = std::find_if(nodes.begin(), nodes.end(), [&](const GraphNode& node) { return node.name == name; });
  EXPECT_NE(found, nodes.end()) << name;
  return found == nodes.end() ? nodes.front() : *found;
}

using Texts = std::vector<std::string_view>;

TEST(Graph, ListsInstructionsWithNamesOfOperators) {
  const std::vector<MethodGraph> graphs = Listed("f02_linear.pte");
  ASSERT_EQ(graphs.size(), 1U);
  EXPECT_FALSE(graphs[0].has_record);
  const GraphNode& call = NodeCalled(graphs[0].nodes, "aten_addmm_out");
  EXPECT_EQ(call.target, "aten::addmm.out");
  EXPECT_EQ(*call.arguments, (Texts{"%forward_constant_1", "%input_0", "%aten_permute_copy_out", "1", "1"}));
  EXPECT_EQ(call.users, 1U);
  EXPECT_EQ(NodesTaken(call), (Texts{"forward_constant_1", "input_0", "aten_permute_copy_out"}));
  ASSERT_TRUE(call.chain);
  EXPECT_EQ(call.instruction, 1U);
  EXPECT_FALSE(NodeCalled(graphs[0].nodes, "input_0").chain);
  EXPECT_EQ(graphs[0].outputs, Texts{"aten_addmm_out"});
}

TEST(Graph, ListsWhatBlobsHold) {
  const std::vector<MethodGraph> graphs = Listed("delegation/two_delegates.pte");
  ASSERT_EQ(graphs[0].lowered.size(), 2U);
  const LoweredGraph& lowered = graphs[0].lowered[1];
  EXPECT_EQ(lowered.backend, "XnnpackBackend");
  EXPECT_FALSE(lowered.has_arguments);
  ASSERT_EQ(lowered.nodes.size(), 4U);
  EXPECT_EQ(lowered.nodes[0].target, "XNNFullyConnected");
  EXPECT_EQ(Listed("f17/opaque.pte")[0].lowered[0].why_opaque, "its backend is not known");
}

TEST(Graph, SharesWhatIsInDelegatesOfWhichTheSameIsKnown) {
  ProgramBuilder program;
  program.Method("forward").Delegate("A", {1}).Delegate("B", {2}).Delegate("A", {3});
  std::vector<tables::Instruction> calls;
  for (const int32_t delegate : {0, 1, 2, 1}) calls.push_back({tables::DelegateCall{delegate, {}}});
  program.LastPlan().chains.items.emplace_back().instructions = {true, std::move(calls)};
  const Container file = program.Open();
  const MethodGraph graph = DescribeGraphs(file, *DescribeDelegates(file))->at(0);
  std::vector<std::string> lowered;
  for (const GraphNode& node : graph.nodes) {
    if (node.lowered) lowered.push_back(std::string(node.name) + " " + graph.lowered[*node.lowered].backend);
  }
  EXPECT_EQ(lowered, (std::vector<std::string>{"lowered_module_0 A", "lowered_module_1 B", "lowered_module_2 A",
                                               "lowered_module_3 B"}));
  EXPECT_EQ(graph.lowered.size(), 2U);
}

TEST(Graph, TakesNamesFromTheRecord) {
  const std::vector<MethodGraph> graphs = Listed("delegation/two_delegates.pte", "two_delegates");
  EXPECT_TRUE(graphs[0].has_record);
  const GraphNode& cumsum = NodeCalled(graphs[0].nodes, "aten_cumsum_default");
  EXPECT_EQ(cumsum.target, "executorch.exir.dialects.edge._ops.aten.cumsum.default");
  EXPECT_EQ(*cumsum.arguments, (Texts{"%aten_erf_default", "1", "None"}));
  EXPECT_EQ(cumsum.users, 2U);
  const LoweredGraph& lowered = graphs[0].lowered[0];
  EXPECT_TRUE(lowered.has_arguments);
  EXPECT_EQ(lowered.nodes[0].name, "x");
  EXPECT_STREQ(lowered.nodes[0].op, "placeholder");
  EXPECT_EQ(*lowered.nodes.back().arguments, (Texts{"%aten_relu_default", "%_lifted_tensor_constant0"}));
  EXPECT_EQ(lowered.outputs, Texts{"aten_add_tensor"});
}

// The record of the lowered graph holds it as it is.
TEST(Graph, ListsLoweredGraphsOfRecords) {
  const std::vector<MethodGraph> graphs = Listed("f07/gpt_xnn.pte", "gpt_generate_etrecord_lowered_copy");
  ASSERT_EQ(graphs[0].lowered.size(), 20U);
  EXPECT_EQ(*NodeCalled(graphs[0].nodes, "scalar_tensor").arguments,
            (Texts{"-inf", "torch.float32", "torch.strided", "cpu"}));
  const GraphNode& getitem = NodeCalled(graphs[0].nodes, "getitem_34");
  EXPECT_EQ(getitem.target, "operator.getitem");
  EXPECT_EQ(*getitem.arguments, (Texts{"%executorch_call_delegate", "0"}));
  EXPECT_EQ(graphs[0].lowered[0].outputs, Texts{"aten_add_tensor"});
}

// What the exporter lowered itself is what joining finds: the same nodes in each delegate.
TEST(Graph, GivesEachDelegateTheNodesThatItTook) {
  const MethodGraph joined = Listed("f07/gpt_xnn.pte", "gpt_xnnpack")[0];
  const MethodGraph lowered = Listed("f07/gpt_xnn.pte", "gpt_generate_etrecord_lowered_copy")[0];
  ASSERT_EQ(joined.lowered.size(), lowered.lowered.size());
  const auto types = [](const LoweredGraph& graph) {
    std::multiset<std::string> calls;
    for (const GraphNode& node : graph.nodes) {
      if (std::string(node.op) == "call_function") calls.emplace(node.target);
    }
    return calls;
  };
  for (size_t i = 0; i < joined.lowered.size(); ++i)
    EXPECT_EQ(types(joined.lowered[i]), types(lowered.lowered[i])) << i;
}

TEST(Graph, NamesViewsWithoutInstructionAfterWhatTheyView) {
  const MethodGraph graph = Listed("f13/lists.pte")[0];
  EXPECT_EQ(*NodeCalled(graph.nodes, "aten_mm_out").arguments, (Texts{"%aten_cat_out", "%forward_constant_0"}));
  EXPECT_EQ(*NodeCalled(graph.nodes, "getitem_1").arguments, (Texts{"%aten_split_with_sizes_copy_out", "1"}));
}

TEST(Graph, ListsJumpsAndMoves) {
  const MethodGraph graph = Listed("f13/cond_portable.pte")[0];
  EXPECT_EQ(*NodeCalled(graph.nodes, "jump").keyword_arguments, Texts{"unless: 7"});
  EXPECT_EQ(graph.outputs, Texts{"move_1"});
}

TEST(Graph, KnowsEveryNameInEveryProgram) {
  for (const std::string& path : test::AllModelFiles()) {
    const Container file = test::OpenFile(path);
    const auto graphs = DescribeGraphs(file, *DescribeDelegates(file));
    ASSERT_TRUE(graphs) << path;
    for (const MethodGraph& graph : *graphs) {
      std::set<std::string_view> names;
      for (const GraphNode& node : graph.nodes) {
        for (const std::string_view argument : *node.arguments) {
          const bool is_name = argument.size() > 1 && argument[0] == '%';
          EXPECT_TRUE(!is_name || names.count(argument.substr(1)) != 0) << path << " " << node.name << " " << argument;
        }
        EXPECT_TRUE(names.insert(node.name).second) << path << " " << node.name;
      }
    }
  }
}

}  // namespace
}  // namespace pteedit::graph_test
