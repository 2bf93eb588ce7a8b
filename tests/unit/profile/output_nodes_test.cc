#include "profile/output_nodes.h"

#include <gtest/gtest.h>

namespace pteedit::output_nodes_test {
namespace {

using Sources = std::vector<std::string>;

RecordNode Node(const std::string& name, const std::string& op, const std::vector<std::string>& inputs,
                uint64_t handle) {
  RecordNode node;
  node.name = name;
  node.target = "executorch.exir.dialects.edge.ops." + op;
  for (const std::string& input : inputs) node.arguments.push_back("%" + input);
  node.debug_handle = handle;
  return node;
}

// h = relu(a(x)); b(h) and c(h): the first and the last are used outside.
struct Branches {
  RecordGraph graph;
  RecordMaps maps;

  Branches() {
    graph.inputs = {"x"};
    graph.outputs = {"h", "erf"};
    graph.nodes = {Node("a", "aten.linear.default", {"x"}, 1), Node("h", "aten.relu.default", {"a"}, 2),
                   Node("b", "aten.linear.default", {"h"}, 3), Node("c", "aten.linear.default", {"h"}, 4),
                   Node("erf", "aten.erf.default", {"b"}, 5),  Node("d", "aten.mul.Tensor", {"c", "erf"}, 6)};
    maps.handles = {{0, {1, 2, 3, 4}}, {1, {5}}, {2, {6}}};
    maps.backends = {{0, "XnnpackBackend"}};
    maps.delegate_outputs = {{0, 3}};
  }

  OutputNodes Read(const HandleSources& sources = {}) const { return {graph, maps, sources, {{1, "erf"}, {2, "mul"}}}; }
};

TEST(OutputNodes, OfADelegateAreThoseThatOthersUse) {
  const OutputNodes nodes = Branches().Read();
  EXPECT_EQ(nodes.OfCall(0), (Sources{"2", "3", "4"}));  // and not the last handles
  EXPECT_EQ(nodes.OfKernel(1), "5");
}

TEST(OutputNodes, HaveTheNamesOfTheirSources) {
  const OutputNodes nodes = Branches().Read({{1, "linear"}, {2, "relu"}, {3, "linear_1"}, {4, "linear_2"}, {5, "erf"}});
  EXPECT_EQ(nodes.OfCall(0), (Sources{"relu", "linear_1", "linear_2"}));
  EXPECT_EQ(nodes.OfHandle(1), "linear");
  EXPECT_EQ(nodes.OfKernel(2), "");  // nobody knows where it came from
}

// It lists handles in the order of what it lowered, which may not be that of the graph.
TEST(OutputNodes, OfADelegateAreInTheOrderOfItsHandles) {
  Branches branches;
  branches.maps.handles[0] = {1, 2, 4, 3};
  EXPECT_EQ(branches.Read().OfCall(0), (Sources{"2", "4", "3"}));
}

TEST(OutputNodes, AreNotToldWhereTheCallHasAnotherNumber) {
  Branches branches;
  branches.maps.delegate_outputs = {{0, 2}};
  EXPECT_FALSE(branches.Read().OfCall(0));
}

TEST(OutputNodes, AreNotToldWhereHandlesMayBeOfOthers) {
  Branches branches;
  branches.graph.nodes.push_back(Node("more", "aten.linear.default", {"x"}, 4));
  EXPECT_FALSE(branches.Read().OfCall(0));
}

TEST(OutputNodes, OfADecomposedOperatorTheLastStepCounts) {
  Branches branches;
  branches.graph.nodes.insert(branches.graph.nodes.begin() + 4, Node("p", "aten.permute_copy.default", {"c"}, 5));
  branches.maps.handles[3] = {5};
  const OutputNodes nodes(branches.graph, branches.maps, {}, {{1, "erf"}, {2, "mul"}, {3, "permute_copy"}});
  EXPECT_EQ(nodes.OfKernel(3), "");
  EXPECT_EQ(nodes.OfKernel(1), "5");
}

TEST(OutputNodes, QuantizedNumbersAreThoseOfTheirSource) {
  Branches branches;
  const std::string quantized = "quantized_decomposed.quantize_per_tensor.default";
  branches.graph.nodes.insert(
      branches.graph.nodes.begin() + 2,
      {Node("q", quantized, {"h"}, 7), Node("dq", "quantized_decomposed.dequantize_per_tensor.default", {"q"}, 7)});
  branches.graph.outputs = {"dq", "erf"};
  branches.maps.handles[0] = {1, 2, 7, 7, 3, 4};
  EXPECT_EQ(branches.Read().OfCall(0), (Sources{"2", "3", "4"}));
}

}  // namespace
}  // namespace pteedit::output_nodes_test
