#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "decoded_blobs.h"
#include "delegates/xnnpack.h"
#include "delegates/xnnpack_rules.h"
#include "xnnpack_graphs.h"

namespace pteedit::xnnpack_operators_test {
namespace {

using test::GraphSketch;
using test::kNoValue;
using test::Names;
namespace xnn = schema::xnnpack;
using Builder = flatbuffers::FlatBufferBuilder;
using Op = xnn::XNodeUnion;
using Type = xnn::XNNDatatype;
using Sizes = std::vector<uint32_t>;
using enum schema::xnnpack::XNNDatatype;

Names Problems(const GraphSketch& graph) { return test::WordsOf(test::Decode(DecodeXnnpack, graph.Blob()).problems); }

std::string Parameter(const std::string& op, const std::string& what) {
  return "xnnpack-operator-parameter: operator 0 (" + op + "): " + what;
}
std::string Dims(const std::string& op, const std::string& what) {
  return "xnnpack-operator-dims: operator 0 (" + op + "): " + what;
}

// An operator of one input and one output.
GraphSketch Alone(Op type, const Sizes& input, const Sizes& output, Type input_type = xnn_datatype_fp32,
                  Type output_type = xnn_datatype_fp32, uint32_t flags = 0,
                  std::optional<std::pair<float, float>> bounds = std::nullopt) {
  GraphSketch graph;
  const uint32_t given = graph.Input(input, input_type), made = graph.Output(output, output_type);
  graph.Node(
      type, [=](Builder& builder) { return xnn::Create_XNNNode1x1(builder, given, made, flags).Union(); }, bounds);
  return graph;
}

GraphSketch Pair(Op type, const Sizes& first, const Sizes& second, const Sizes& output, uint32_t flags = 0) {
  GraphSketch graph;
  const uint32_t a = graph.Input(first), b = graph.Input(second), made = graph.Output(output);
  graph.Node(type, [=](Builder& builder) { return xnn::Create_XNNNode2x1(builder, a, b, made, flags).Union(); });
  return graph;
}

struct Linear {
  GraphSketch::Value input{.dims = {2, 32}, .flags = GraphSketch::kInput};
  GraphSketch::Value filter{.dims = {4, 32}, .constant_bytes = 512};
  GraphSketch::Value bias{.dims = {4}, .constant_bytes = 16};
  GraphSketch::Value output{.dims = {2, 4}, .flags = GraphSketch::kOutput};
  bool is_dynamic = false;
  uint32_t flags = 0;

  Names Found() const {
    GraphSketch graph;
    uint32_t source = graph.Add(input);
    if (is_dynamic) {
      const uint32_t given = source;
      source = graph.Add({.type = xnn_datatype_qdint8, .dims = input.dims, .is_dynamic = true});
      graph.Node(Op::XNNConvert,
                 [=](Builder& builder) { return xnn::Create_XNNNode1x1(builder, given, source).Union(); });
    }
    const uint32_t weight = graph.Add(filter), added = graph.Add(bias), made = graph.Add(output);
    graph.Node(Op::XNNFullyConnected, [=, this](Builder& builder) {
      return xnn::CreateXNNFullyConnected(builder, source, weight, added, made, flags).Union();
    });
    return Problems(graph);
  }
};

struct Convolution {
  Op type = Op::XNNConv2d;
  Sizes input{1, 8, 8, 4}, filter{8, 3, 3, 2}, bias{8}, output{1, 8, 8, 8};
  Type element = xnn_datatype_fp32, bias_type = xnn_datatype_fp32;
  uint32_t padding = 1, kernel = 3, stride = 1, dilation = 1, inputs = 2, outputs = 4, groups = 2, flags = 0;
  bool has_constant = true;
  std::optional<std::pair<float, float>> bounds = {};

  Names Found() const {
    GraphSketch graph;
    const uint32_t source = graph.Input(input, element);
    const uint32_t weight = has_constant ? graph.Weight(filter, element) : graph.Input(filter, element);
    const uint32_t added = graph.Weight(bias, bias_type), made = graph.Output(output, element);
    graph.Node(
        type,
        [=, this](Builder& builder) {
          return xnn::Create_XNNNodeConv(builder, padding, 1, 1, 1, kernel, 3, stride, 1, dilation, 1, inputs, outputs,
                                         groups, 0, 0, source, weight, added, made, flags)
              .Union();
        },
        bounds);
    return Problems(graph);
  }
};

TEST(XnnpackOperators, EveryOperatorButTheDroppedOneHasARule) {
  for (int i = 1; i <= static_cast<int>(Op::MAX); ++i) {
    const auto type = static_cast<Op>(i);
    const XnnpackRule* rule = FindXnnpackRule(type);
    EXPECT_EQ(rule == nullptr, type == Op::XNNScaledDotProductAttention) << i;
    if (rule != nullptr) {
      EXPECT_EQ(rule->type, type);
    }
  }
}

TEST(XnnpackOperators, SoundOnesAreClean) {
  EXPECT_EQ(Linear().Found(), Names());
  EXPECT_EQ(Convolution().Found(), Names());
  EXPECT_EQ((Convolution{.type = Op::XNNConvTranspose2d}.Found()), Names());
  EXPECT_EQ((Convolution{.type = Op::XNNDepthwiseConv2d, .filter = {1, 3, 3, 8}, .inputs = 1, .outputs = 2, .groups = 4}
                 .Found()),
            Names());
  EXPECT_EQ(Problems(Alone(Op::XNNSigmoid, {2, 3}, {2, 3})), Names());
  EXPECT_EQ(Problems(Alone(Op::XNNGlobalAvgPooling2d, {1, 4, 4, 8}, {1, 1, 1, 8})), Names());
  EXPECT_EQ(Problems(Pair(Op::XNNBatchMatrixMultiply, {2, 3, 4}, {2, 4, 5}, {2, 3, 5})), Names());
}

TEST(XnnpackOperators, NamesAnOperatorThatRuntimesHaveDropped) {
  GraphSketch graph;
  const uint32_t a = graph.Input({2, 3}), made = graph.Output({2, 3});
  graph.Node(Op::XNNScaledDotProductAttention, [=](Builder& builder) {
    return xnn::CreateXNNScaledDotProductAttention(builder, a, a, a, a, a, made).Union();
  });
  EXPECT_EQ(Problems(graph), Names{"xnnpack-dropped-operator (warning): operator 0 (XNNScaledDotProductAttention): is "
                                   "of a kind that runtimes since 0.7 refuse"});
}

TEST(XnnpackOperators, NamesNumbersThatAre0) {
  EXPECT_EQ((Convolution{.stride = 0}.Found()),
            Names{Parameter("XNNConv2d", "has 'subsampling_height' 0, at least 1 expected")});
  EXPECT_EQ((Convolution{.dilation = 0}.Found()),
            Names{Parameter("XNNConv2d", "has 'dilation_height' 0, at least 1 expected")});
  EXPECT_EQ((Convolution{.groups = 0}.Found()), Names{Parameter("XNNConv2d", "has 'groups' 0, at least 1 expected")});
  GraphSketch graph;
  const uint32_t given = graph.Input({1, 8, 8, 4}), made = graph.Output({1, 4, 4, 4});
  graph.Node(Op::XNNMaxPooling2d, [=](Builder& builder) {
    return xnn::Create_XNNPooling2D(builder, 0, 0, 0, 0, 2, 0, 2, 2, 1, 1, given, made).Union();
  });
  EXPECT_EQ(Problems(graph), Names{Parameter("XNNMaxPooling2d", "has 'pooling_width' 0, at least 1 expected")});
}

TEST(XnnpackOperators, NamesFlagsThatMeanNothing) {
  EXPECT_EQ(Problems(Alone(Op::XNNSigmoid, {2}, {2}, xnn_datatype_fp32, xnn_datatype_fp32, 0x100)),
            Names{Parameter("XNNSigmoid", "has flags 0x100, none but those of 0x30ff expected")});
  EXPECT_EQ((Convolution{.flags = 1}.Found()),
            Names{Parameter("XNNConv2d", "has flags 0x1, none but those of 0x24 expected")});
  EXPECT_EQ((Convolution{.flags = 4}.Found()),
            Names{Parameter("XNNConv2d", "has flags 0x4, which ask for another padding than the one it has")});
}

TEST(XnnpackOperators, NamesSizesAndFlagsOfAResizing) {
  const auto resized = [](uint32_t height, uint32_t flags) {
    GraphSketch graph;
    const uint32_t given = graph.Input({1, 4, 4, 3}), made = graph.Output({1, 8, 8, 3});
    graph.Node(Op::XNNStaticResizeBilinear2D, [=](Builder& builder) {
      return xnn::CreateXNNStaticResizeBilinear2D(builder, height, 8, given, made, flags).Union();
    });
    return Problems(graph);
  };
  EXPECT_EQ(resized(8, 8), Names());
  EXPECT_EQ(resized(0, 0), Names{Parameter("XNNStaticResizeBilinear2D", "has 'new_height' 0, at least 1 expected")});
  EXPECT_EQ(resized(16777216, 0),
            Names{Parameter("XNNStaticResizeBilinear2D", "has 'new_height' 16777216, less than 16777216 expected")});
  EXPECT_EQ(resized(8, 12), Names{Parameter("XNNStaticResizeBilinear2D", "has flags 0xc, which exclude each other")});
}

TEST(XnnpackOperators, NamesBoundsThatAreNoRange) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto clamped = [](float low, float high) {
    return Problems(Alone(Op::XNNClamp, {2}, {2}, xnn_datatype_fp32, xnn_datatype_fp32, 0, std::pair(low, high)));
  };
  EXPECT_EQ(clamped(0, 6), Names());
  EXPECT_EQ(clamped(1, 1), Names());
  EXPECT_EQ(clamped(2, 1),
            Names{Parameter("XNNClamp", "bounds its output by 2.000000 and 1.000000, a range expected")});
  EXPECT_EQ(clamped(nan, 1).size(), 1U);
  EXPECT_EQ(clamped(0, nan).size(), 1U);
  EXPECT_EQ((Convolution{.bounds = std::pair(2.0F, 1.0F)}.Found().size()), 1U);
  EXPECT_EQ(Problems(Alone(Op::XNNSigmoid, {2}, {2}, xnn_datatype_fp32, xnn_datatype_fp32, 0, std::pair(2.0F, 1.0F))),
            Names());
}

TEST(XnnpackOperators, NamesBoundsThatAreOneNumberAsFp16) {
  const auto bounded = [](float low, float high) {
    return Convolution{.element = xnn_datatype_fp16, .bias_type = xnn_datatype_fp16, .bounds = std::pair(low, high)}
        .Found();
  };
  EXPECT_EQ(bounded(0, 6), Names());
  EXPECT_EQ(bounded(1, 1), Names{Parameter("XNNConv2d",
                                           "bounds its output by 1.000000 and 1.000000, two numbers that "
                                           "differ as fp16 expected")});
  EXPECT_EQ(bounded(1e6F, 1e7F).size(), 1U);
}

TEST(XnnpackOperators, NamesElementTypesThatNothingComputes) {
  EXPECT_EQ(Problems(Alone(Op::XNNSigmoid, {2}, {2}, xnn_datatype_fp16, xnn_datatype_fp32)),
            Names{"xnnpack-operator-types: operator 0 (XNNSigmoid): has fp16 in 'input_id', fp32 in 'output_id', which "
                  "no release computes"});
  EXPECT_EQ(Problems(Alone(Op::XNNSoftmax, {2}, {2}, xnn_datatype_qint8, xnn_datatype_qint8)).size(), 1U);
  EXPECT_EQ(Problems(Alone(Op::XNNConvert, {2}, {2}, xnn_datatype_fp32, xnn_datatype_qint8)), Names());
  EXPECT_EQ((Convolution{.bias_type = xnn_datatype_qint32}.Found().size()), 1U);
  EXPECT_EQ((Convolution{.element = xnn_datatype_qint8, .bias_type = xnn_datatype_qint32}.Found()), Names());
  Linear plain;
  plain.filter.type = xnn_datatype_bf16;
  EXPECT_EQ(plain.Found(), Names{"xnnpack-operator-types: operator 0 (XNNFullyConnected): has fp32 in 'input1_id', "
                                 "bf16 in 'filter_id', fp32 in 'bias_id', fp32 in 'output_id', which no release "
                                 "computes"});
}

TEST(XnnpackOperators, NamesAFilterThatIsNoConstant) {
  EXPECT_EQ((Convolution{.has_constant = false}.Found()),
            Names{"xnnpack-operator-value: operator 0 (XNNConv2d): has a 'filter_id' that is no constant"});
}

TEST(XnnpackOperators, NamesAnOperatorThatWritesAnInput) {
  GraphSketch graph;
  const uint32_t given = graph.Input({2}), made = graph.Input({2});
  graph.Node(Op::XNNAbs, [=](Builder& builder) { return xnn::Create_XNNNode1x1(builder, given, made).Union(); });
  EXPECT_EQ(Problems(graph), Names{"xnnpack-operator-value: operator 0 (XNNAbs): writes value 1 in 'output_id', which "
                                   "is an input of the graph"});
}

TEST(XnnpackOperators, NamesQuantizationThatDoesNotFitTheOperator) {
  GraphSketch moved = Alone(Op::XNNCopy, {2}, {2}, xnn_datatype_qint8, xnn_datatype_qint8);
  EXPECT_EQ(Problems(moved), Names());
  moved.values[0].zero_point = 3;
  EXPECT_EQ(Problems(moved), Names{"xnnpack-quantization: operator 0 (XNNCopy): reads scale 0.500000 and zero point 3 "
                                   "in 'input_id' but writes scale 0.500000 and zero point 0"});
  Linear whole;
  for (GraphSketch::Value* value : {&whole.input, &whole.filter, &whole.output}) {
    value->type = xnn_datatype_qint8;
    value->scale = 0.5F;
  }
  whole.bias.type = xnn_datatype_qint32;
  whole.bias.scale = 0.25F;
  EXPECT_EQ(whole.Found(), Names());
  whole.input.scale = 300;
  EXPECT_EQ(whole.Found(), Names{"xnnpack-quantization: operator 0 (XNNFullyConnected): scales its output by "
                                 "300.000000, a number above 0 and below 256 expected"});
  whole.input.scale = 0.5F;
  whole.filter.zero_point = 1;
  EXPECT_EQ(whole.Found(), Names{"xnnpack-quantization: operator 0 (XNNFullyConnected): has zero point 1 in "
                                 "'filter_id', 0 expected"});
}

TEST(XnnpackOperators, NamesChannelsAndGroupsOfAFilter) {
  Linear channels;
  channels.is_dynamic = true;
  channels.filter.type = xnn_datatype_qcint8;
  channels.filter.scales.assign(32, 0.5F);
  EXPECT_EQ(channels.Found(), Names());
  channels.filter.channel_dim = 1;
  const std::string where = "xnnpack-quantization: operator 1 (XNNFullyConnected): ";
  EXPECT_EQ(channels.Found(), Names{where + "has the channels of 'filter_id' in dimension 1, 0 expected"});

  Linear groups;
  groups.is_dynamic = true;
  groups.filter.type = xnn_datatype_qbint4;
  groups.filter.scales.assign(4, 0.5F);
  groups.filter.group_size = 32;
  EXPECT_EQ(groups.Found(), Names());
  groups.filter.scales.assign(2, 0.5F);
  groups.filter.group_size = 64;
  EXPECT_EQ(groups.Found(), Names{where + "has 32 inputs, a multiple of its groups' 64 expected"});
}

TEST(XnnpackOperators, NamesSizesThatDoNotFitAFullyConnectedLayer) {
  const auto after = [](Sizes input, Sizes filter, Sizes bias, Sizes output, uint32_t flags) {
    Linear layer;
    layer.input.dims = std::move(input);
    layer.filter.dims = std::move(filter);
    layer.bias.dims = std::move(bias);
    layer.output.dims = std::move(output);
    layer.filter.constant_bytes = layer.bias.constant_bytes = 4096;
    layer.flags = flags;
    return layer.Found();
  };
  const std::string op = "XNNFullyConnected";
  EXPECT_EQ(after({2, 32}, {32, 4}, {4}, {2, 4}, 1), Names());
  EXPECT_EQ(after({2, 31}, {4, 32}, {4}, {2, 4}, 0), Names{Dims(op, "has an input of 31 channels, 32 expected")});
  EXPECT_EQ(after({2, 32}, {4, 32}, {5}, {2, 4}, 0), Names{Dims(op, "has a bias of 5, 4 expected")});
  EXPECT_EQ(after({2, 32}, {4, 32}, {4}, {2, 3}, 0), Names{Dims(op, "has an output of 3 channels, 4 expected")});
  EXPECT_EQ(after({2, 32}, {4, 8, 4}, {4}, {2, 4}, 0), Names{Dims(op, "has a filter of 3 dimensions, 2 expected")});
  EXPECT_EQ(after({2, 0}, {4, 0}, {4}, {2, 4}, 0), Names{Dims(op, "has a filter of 4 x 0, none of them 0 expected")});
}

TEST(XnnpackOperators, NamesSizesThatDoNotFitAConvolution) {
  const std::string op = "XNNConv2d";
  EXPECT_EQ((Convolution{.kernel = 200}.Found()),
            Names{Dims(op, "has a filter of 8 x 3 x 3 x 2, 8 outputs with 200 x 3 x 2 each expected")});
  EXPECT_EQ((Convolution{.filter = {4, 3, 3, 4}}.Found()),
            Names{Dims(op, "has a filter of 4 x 3 x 3 x 4, 8 outputs with 3 x 3 x 2 each expected")});
  EXPECT_EQ((Convolution{.bias = {9}}.Found()), Names{Dims(op, "has a bias of 9, 8 expected")});
  EXPECT_EQ((Convolution{.input = {1, 8, 8, 5}}.Found()), Names{Dims(op, "has an input of 5 channels, 4 expected")});
  EXPECT_EQ((Convolution{.output = {8, 8, 8}}.Found()), Names{Dims(op, "has an output of 3 dimensions, 4 expected")});
  EXPECT_EQ((Convolution{.outputs = 0xFFFFFFFF, .groups = 0xFFFFFFFF}.Found().size()), 4U);
  EXPECT_EQ((Convolution{.type = Op::XNNDepthwiseConv2d, .filter = {1, 3, 3, 8}, .inputs = 4, .outputs = 2, .groups = 4}
                 .Found()
                 .front()),
            Dims("XNNDepthwiseConv2d", "has 2 output channels, at least one for each of 4 input channels expected"));
}

TEST(XnnpackOperators, NamesAnAxisThatATensorHasNot) {
  const auto joined = [](uint32_t axis, const Sizes& second) {
    GraphSketch graph;
    const uint32_t a = graph.Input({2, 3}), b = graph.Input(second), made = graph.Output({2, 6});
    graph.Node(Op::XNNConcatenate2, [=](Builder& builder) {
      return xnn::Create_XNNCat(builder, axis, a, b, kNoValue, kNoValue, made).Union();
    });
    return Problems(graph);
  };
  EXPECT_EQ(joined(1, {2, 3}), Names());
  EXPECT_EQ(joined(0xFFFFFFFF, {2, 3}), Names());
  EXPECT_EQ(joined(2, {2, 3}), Names{Dims("XNNConcatenate2", "has axis 2, -2 to 1 expected")});
  EXPECT_EQ(joined(0xFFFFFFFD, {2, 3}), Names{Dims("XNNConcatenate2", "has axis -3, -2 to 1 expected")});
  EXPECT_EQ(joined(1, {2, 3, 1}),
            Names{Dims("XNNConcatenate2", "has 3 dimensions in 'input2_id', 2 as in its output expected")});
}

TEST(XnnpackOperators, NamesASliceThatLeavesItsInput) {
  const auto sliced = [](const Sizes& offsets, const Sizes& sizes) {
    GraphSketch graph;
    const uint32_t given = graph.Input({4, 6}), made = graph.Output({2, 3});
    graph.Node(Op::XNNStaticSlice, [=](Builder& builder) {
      const auto from = builder.CreateVector(offsets), count = builder.CreateVector(sizes);
      return xnn::CreateXNNStaticSlice(builder, static_cast<uint32_t>(offsets.size()), from, count, given, made)
          .Union();
    });
    return Problems(graph);
  };
  EXPECT_EQ(sliced({2, 3}, {2, 3}), Names());
  EXPECT_EQ(sliced({2, 4}, {2, 3}), Names{Dims("XNNStaticSlice", "takes 3 from 4 on of dimension 1, which has 6")});
  EXPECT_EQ(sliced({2}, {2}), Names{Dims("XNNStaticSlice", "has 1 dimensions, 2 as in its input expected")});
  EXPECT_EQ(sliced({2, 3}, {2}),
            Names{Dims("XNNStaticSlice", "has 1 elements in 'sizes', one for each of 2 dimensions expected")});
}

TEST(XnnpackOperators, NamesAShapeOfAnotherNumberOfElements) {
  const auto shaped = [](const Sizes& shape) {
    GraphSketch graph;
    const uint32_t given = graph.Input({4, 6}), made = graph.Output({3, 8});
    graph.Node(Op::XNNStaticReshape, [=](Builder& builder) {
      const auto sizes = builder.CreateVector(shape);
      return xnn::CreateXNNStaticReshape(builder, static_cast<uint32_t>(shape.size()), sizes, given, made).Union();
    });
    return Problems(graph);
  };
  EXPECT_EQ(shaped({3, 8}), Names());
  EXPECT_EQ(shaped({0, 8}), Names());
  EXPECT_EQ(shaped({3, 9}),
            Names{Dims("XNNStaticReshape", "makes 3 x 9 of 4 x 6, which has another number of elements")});
  EXPECT_EQ(shaped({}),
            Names{Dims("XNNStaticReshape", "makes one number of 4 x 6, which has another number of elements")});
}

TEST(XnnpackOperators, NamesMatricesThatDoNotFit) {
  const std::string op = "XNNBatchMatrixMultiply";
  EXPECT_EQ(Problems(Pair(Op::XNNBatchMatrixMultiply, {3, 4}, {5, 4}, {3, 5}, 1)), Names());
  EXPECT_EQ(Problems(Pair(Op::XNNBatchMatrixMultiply, {3, 4}, {5, 4}, {3, 5})),
            Names{Dims(op, "multiplies 4 columns by 5 rows, as many expected")});
  EXPECT_EQ(Problems(Pair(Op::XNNBatchMatrixMultiply, {4}, {4, 5}, {5})),
            Names{Dims(op, "multiplies 1 by 2 dimensions, at least 2 expected")});
}

}  // namespace
}  // namespace pteedit::xnnpack_operators_test
