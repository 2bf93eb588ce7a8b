// What XNNPACK logs beside the graphs that it ran.
#include "profile/xnnpack_rows.h"

#include <gtest/gtest.h>

namespace pteedit::xnnpack_rows_test {
namespace {

using Type = XnnpackType;
using Op = XnnpackOperator;

XnnpackNodeFacts Node(Op type, Type filter = Type::xnn_datatype_invalid, Type input = Type::xnn_datatype_fp32) {
  return {type, 0, {input}, filter, {}};
}

std::vector<std::optional<std::pair<size_t, size_t>>> Found(const XnnpackRowMatch& match) {
  EXPECT_EQ(match.contradiction, "");
  std::vector<std::optional<std::pair<size_t, size_t>>> found;
  for (const auto& nodes : match.nodes)
    found.push_back(nodes ? std::optional(std::pair(nodes->first, nodes->last)) : std::nullopt);
  return found;
}

std::optional<std::pair<size_t, size_t>> Is(size_t node) { return std::pair(node, node); }

TEST(XnnpackRows, AreOfTheNodesInTheirOrder) {
  const auto match = MatchXnnpackRows(
      {"Transpose (ND, X32) #1", "Convolution (NHWC, F32) IGEMM #1", "Convolution (NHWC, F32) DWConv #1",
       "Fully Connected (NC, F32) GEMM #1", "Mean (ND) Reduce2 #1", "Divide (ND) #1"},
      {Node(Op::XNNStaticTranspose), Node(Op::XNNConv2d, Type::xnn_datatype_fp32),
       Node(Op::XNNDepthwiseConv2d, Type::xnn_datatype_fp32), Node(Op::XNNConv2d, Type::xnn_datatype_fp32),
       Node(Op::XNNGlobalAvgPooling2d), Node(Op::XNNDiv)});
  EXPECT_EQ(Found(match), (std::vector{Is(0), Is(1), Is(2), Is(3), Is(4), Is(5)}));
}

TEST(XnnpackRows, FusionLeavesOpenWhichNodeARowIsOf) {
  const auto match = MatchXnnpackRows(
      {"Convert (NC) #1", "Invalid Unary Op #1", "Softmax (NC, F32) #1"},
      {Node(Op::XNNConvert), Node(Op::XNNConvert), Node(Op::XNNGelu), Node(Op::XNNConvert), Node(Op::XNNSoftmax)});
  EXPECT_EQ(Found(match), (std::vector<std::optional<std::pair<size_t, size_t>>>{std::pair<size_t, size_t>(0, 3),
                                                                                 std::nullopt, Is(4)}));
}

TEST(XnnpackRows, ThatNoNodeCanHaveLoggedContradict) {
  const std::vector<XnnpackNodeFacts> plain{Node(Op::XNNFullyConnected, Type::xnn_datatype_fp32), Node(Op::XNNAdd)};
  const auto why = [&](const std::vector<std::string>& rows) { return MatchXnnpackRows(rows, plain).contradiction; };
  EXPECT_EQ(why({"Fully Connected (NC, F32) GEMM #1", "Add (ND) #1"}), "");
  EXPECT_EQ(why({"Fully Connected (NC, QS8, QC8W) GEMM #1", "Add (ND) #1"}),
            "has no operator for 'Fully Connected (NC, QS8, QC8W) GEMM #1', which was logged");
  EXPECT_EQ(why({"Fully Connected (NC, F32) GEMM #1", "Softmax (NC, F32) #1"}),
            "has no operator for 'Softmax (NC, F32) #1', which was logged");
  EXPECT_EQ(why({"Add (ND) #1"}), "has 1 layers with weights, 0 of such operators were logged");
}

TEST(XnnpackRows, TellStaticFromDynamicQuantization) {
  const Type int8 = Type::xnn_datatype_qcint8;
  const auto fits = [&](const char* row, Type input) {
    return MatchXnnpackRows({row}, {Node(Op::XNNFullyConnected, int8, input)}).contradiction.empty();
  };
  const char *dynamic = "Fully Connected (NC, QDU8, F32, QC8W) GEMM #1", *fixed = "Fully Connected (NC, QS8, QC8W) #1";
  EXPECT_TRUE(fits(dynamic, Type::xnn_datatype_qdint8));
  EXPECT_FALSE(fits(dynamic, Type::xnn_datatype_qint8));
  EXPECT_TRUE(fits(fixed, Type::xnn_datatype_qint8));
  EXPECT_FALSE(fits(fixed, Type::xnn_datatype_qdint8));
}

TEST(XnnpackRows, OfGraphsWithNodesOfManyOperatorsAreNotJudged) {
  EXPECT_EQ(MatchXnnpackRows({"Softmax (NC, F32) #1"}, {Node(Op::XNNScaledDotProductAttention)}).contradiction, "");
}

}  // namespace
}  // namespace pteedit::xnnpack_rows_test
