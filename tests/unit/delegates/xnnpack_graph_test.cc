// What is wrong with an XNNPACK graph as a whole: its inputs, outputs and values.
#include <gtest/gtest.h>

#include "decoded_blobs.h"
#include "delegates/xnnpack.h"
#include "xnnpack_graphs.h"

namespace pteedit::xnnpack_graph_test {
namespace {

using test::GraphSketch;
using test::Names;
namespace xnn = schema::xnnpack;
using Builder = flatbuffers::FlatBufferBuilder;
using Op = xnn::XNodeUnion;
using enum schema::xnnpack::XNNDatatype;

DecodedBlob Decode(const GraphSketch& graph) { return test::Decode(DecodeXnnpack, graph.Blob()); }
Names Problems(const GraphSketch& graph) { return test::WordsOf(Decode(graph).problems); }

void AddNode(GraphSketch& graph, uint32_t given, uint32_t made) {
  graph.Node(Op::XNNAbs, [=](Builder& builder) { return xnn::Create_XNNNode1x1(builder, given, made).Union(); });
}

// abs(input 0) is output 1.
GraphSketch Simple() {
  GraphSketch graph;
  const uint32_t given = graph.Input({2, 3}), made = graph.Output({2, 3});
  AddNode(graph, given, made);
  graph.inputs = {given};
  graph.outputs = {made};
  return graph;
}

TEST(XnnpackGraph, TellsWhatACallTakes) {
  const DecodedBlob decoded = Decode(Simple());
  EXPECT_EQ(test::WordsOf(decoded.problems), Names());
  EXPECT_EQ(decoded.arguments, 2U);
  ASSERT_EQ(decoded.tensors.size(), 2U);
  EXPECT_EQ(decoded.tensors[1].index, 1U);
  EXPECT_TRUE(decoded.tensors[1].is_output);
  EXPECT_EQ(decoded.tensors[1].dtype, "fp32");
  EXPECT_EQ(decoded.tensors[1].types, std::vector<schema::ScalarType>{schema::ScalarType::FLOAT});
  EXPECT_EQ(decoded.tensors[1].dims, 2U);
}

TEST(XnnpackGraph, NamesAGraphWithoutOperators) {
  GraphSketch graph;
  graph.Input({2});
  EXPECT_EQ(Problems(graph), Names{"xnnpack-graph-incomplete: graph: has no values or no operators"});
}

TEST(XnnpackGraph, NamesAnOutputThatNothingWrites) {
  GraphSketch graph = Simple();
  graph.Output({2});
  EXPECT_EQ(Problems(graph),
            Names{"xnnpack-graph-incomplete: value 2: is an output of the graph but written by no operator"});
}

TEST(XnnpackGraph, NamesAnInputOrOutputThatTwoValuesAre) {
  GraphSketch graph = Simple();
  graph.Input({2});
  graph.values[2].external = 0;
  EXPECT_EQ(
      Problems(graph),
      Names{"xnnpack-external-id: value 2: is input or output 0 of the graph, which a value before it is as well"});
}

TEST(XnnpackGraph, NamesValuesWhoseFlagsDoNotFitTheirNumber) {
  const auto after = [](uint32_t flags) {
    GraphSketch graph = Simple();
    const uint32_t value = graph.Input({2});
    graph.values[value].flags = flags;
    return Problems(graph);
  };
  EXPECT_EQ(after(1), Names());
  EXPECT_EQ(after(0),
            Names{"xnnpack-external-id: value 2: is input or output 2 of the graph but does not say which of both"});
  EXPECT_EQ(after(3), Names{"xnnpack-external-id: value 2: is both an input and an output of the graph"});
  EXPECT_EQ(after(5), Names{"xnnpack-value: value 2: has flags 0x5, at most 0x3 expected"});
}

TEST(XnnpackGraph, NamesAConstantThatIsAnInput) {
  GraphSketch graph = Simple();
  const uint32_t value = graph.Input({2});
  graph.values[value].constant_bytes = 8;
  EXPECT_EQ(Problems(graph),
            Names{"xnnpack-external-id: value 2: is a constant but also input or output 2 of the graph"});
}

TEST(XnnpackGraph, NamesListedInputsAndOutputsThatAreNone) {
  GraphSketch graph = Simple();
  graph.inputs = {1};
  graph.outputs = {9};
  EXPECT_EQ(Problems(graph), (Names{"xnnpack-external-id: graph: lists value 1 in 'input_ids', which is none",
                                    "xnnpack-external-id: graph: lists value 9 in 'output_ids', which is none"}));
}

TEST(XnnpackGraph, NamesAValueThatOldReleasesCannotQuantizeWhileRunning) {
  GraphSketch graph = Simple();
  graph.values[0].dynamic = xnn_datatype_quint8;
  EXPECT_EQ(Problems(graph).front(),
            "xnnpack-value-type: value 0: is to be quantized to 'quint8' while running, only inputs to 'qint8' can be");
}

TEST(XnnpackGraph, NamesAnInputThatIsQuantizedWhileRunning) {
  GraphSketch graph = Simple();
  const uint32_t value = graph.Input({2});
  graph.values[value].type = xnn_datatype_qdint8;
  graph.values[value].is_dynamic = true;
  EXPECT_EQ(Problems(graph), Names{"xnnpack-quantization: value 2: is an input or output of the graph but quantized "
                                   "while running"});
}

TEST(XnnpackGraph, NamesAScaleThatIsNotPositive) {
  GraphSketch graph = Simple();
  graph.Weight({2}, xnn_datatype_qcint8);
  graph.values[2].scales = {1, -1};
  EXPECT_EQ(Problems(graph), Names{"xnnpack-quantization: value 2: has scale -1.000000, a positive number expected"});
}

}  // namespace
}  // namespace pteedit::xnnpack_graph_test
