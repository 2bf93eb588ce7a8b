// What layers of OpenVINO models compute, of models made here; for a real one see operator_work_test.cc.
#include "delegates/openvino_work.h"

#include <gtest/gtest.h>

#include <string>

#include "base/text.h"

namespace pteedit::openvino_work_test {
namespace {

using Sizes = std::vector<int>;

std::string Port(int id, const Sizes& sizes, const std::string& precision = "FP32") {
  std::string xml = Text("<port id=\"", id, "\" precision=\"", precision, "\">");
  for (const int size : sizes) xml += Text("<dim>", size, "</dim>");
  return xml + "</port>";
}

// Its outputs are numbered behind its inputs.
std::string Layer(int id, const std::string& type, const std::vector<Sizes>& takes, const std::vector<Sizes>& gives,
                  const std::string& inside = "") {
  std::string xml = Text("<layer id=\"", id, "\" name=\"l\" type=\"", type, "\">", inside);
  int port = 0;
  xml += "<input>";
  for (const Sizes& sizes : takes) xml += Port(port++, sizes);
  xml += "</input><output>";
  for (const Sizes& sizes : gives) xml += Port(port++, sizes);
  return xml + "</output></layer>";
}

std::string Edge(int from, int from_port, int to, int to_port) {
  return Text("<edge from-layer=\"", from, "\" from-port=\"", from_port, "\" to-layer=\"", to, "\" to-port=\"", to_port,
              "\"/>");
}

std::string Net(const std::string& layers, const std::string& edges = "") {
  return Text("<?xml version=\"1.0\"?><net><layers>", layers, "</layers><edges>", edges, "</edges></net>");
}

std::vector<OperatorWork> WorkOf(const std::string& xml) {
  Result<std::vector<OperatorWork>> work = MeasureOpenVinoLayers(xml);
  EXPECT_TRUE(work) << (work ? "" : work.error().message);
  return work ? *std::move(work) : std::vector<OperatorWork>();
}

OperatorWork WorkOfOne(const std::string& type, const std::vector<Sizes>& takes, const Sizes& gives) {
  return WorkOf(Net(Layer(0, type, takes, {gives}))).at(0);
}

TEST(OpenVinoWork, KnowsProductsAndConvolutions) {
  for (const Sizes& a : {Sizes{2, 3, 5}, Sizes{2, 5, 3}})
    EXPECT_EQ(WorkOfOne("MatMul", {a, {2, 5, 7}}, {2, 3, 7}).macs, 2U * 3 * 5 * 7);
  EXPECT_EQ(WorkOfOne("FullyConnected", {{2, 5}, {7, 5}, {7}}, {2, 7}).macs, 2U * 5 * 7);
  EXPECT_EQ(WorkOfOne("ScaledDotProductAttention", {{1, 2, 3, 8}, {1, 2, 5, 8}, {1, 2, 5, 8}}, {1, 2, 3, 8}).macs,
            2U * 2 * 3 * 5 * 8);
  const OperatorWork grouped = WorkOfOne("GroupConvolution", {{1, 4, 6, 6}, {2, 3, 2, 3, 3}}, {1, 6, 4, 4});
  EXPECT_EQ(grouped.macs, 6U * 4 * 4 * (2 * 3 * 3));
  EXPECT_EQ(grouped.bytes, 4U * (4 * 36 + 6 * 18 + 6 * 16));
  const OperatorWork back = WorkOfOne("ConvolutionBackpropData", {{1, 4, 5, 5}, {4, 8, 2, 2}, {2}}, {1, 8, 10, 10});
  EXPECT_EQ(back.macs, 4U * 25 * (8 * 2 * 2));
  EXPECT_EQ(back.bytes, 4U * (100 + 128 + 800)) << "the output's shape is none of the tensors";
  EXPECT_EQ(WorkOfOne("GroupConvolutionBackpropData", {{1, 4, 5, 5}, {2, 2, 3, 2, 2}}, {1, 6, 10, 10}).macs,
            4U * 25 * (3 * 2 * 2));
}

TEST(OpenVinoWork, WhatComesFromOnePlaceMovesOnce) {
  const std::string layers = Layer(7, "Parameter", {}, {{4}}) + Layer(8, "Multiply", {{4}, {4}}, {{4}});
  EXPECT_EQ(WorkOf(Net(layers, Edge(7, 0, 8, 0) + Edge(7, 0, 8, 1))).at(0).bytes, 4U * (4 + 4));
  EXPECT_EQ(WorkOf(Net(layers, Edge(7, 0, 8, 0) + Edge(7, 1, 8, 1))).at(0).bytes, 4U * (4 + 4 + 4));
  EXPECT_EQ(WorkOf(Net(layers, Edge(9, 0, 9, 9) + Edge(7, 0, 8, 5))).at(0).bytes, 4U * (4 + 4 + 4));
}

TEST(OpenVinoWork, BodiesHaveLayersOfTheirOwn) {
  const std::string body =
      Text("<body>", Net(Layer(0, "Parameter", {}, {{9}}) + Layer(1, "Sqrt", {{9}}, {{9}})), "</body>");
  const std::vector<OperatorWork> work = WorkOf(
      Net(Layer(0, "Sqrt", {{4}}, {{4}}) + Layer(1, "Loop", {{4}}, {{4}}, body) + Layer(2, "Exp", {{2}}, {{2}})));
  ASSERT_EQ(work.size(), 4U);
  EXPECT_EQ(work[0].bytes, 4U * 8);
  EXPECT_STREQ(work[1].why_unknown, "its shapes do not tell");
  EXPECT_EQ(work[2].bytes, 4U * 18);
  EXPECT_EQ(work[3].bytes, 4U * 4);
}

TEST(OpenVinoWork, CountsBitsOfEachPrecision) {
  for (const auto& [precision, bytes] : std::vector<std::pair<std::string, uint64_t>>{
           {"FP64", 8}, {"FP16", 2}, {"BF16", 2}, {"I64", 8}, {"I8", 1}, {"U8", 1}, {"BOOL", 1}}) {
    const std::string layer = Text("<layer id=\"0\" type=\"Abs\"><input>", Port(0, {}, precision), "</input><output>",
                                   Port(1, {}, precision), "</output></layer>");
    EXPECT_EQ(WorkOf(Net(layer)).at(0).bytes, 2 * bytes) << precision;
  }
  const std::string packed = Text("<layer id=\"0\" type=\"Abs\"><input>", Port(0, {5}, "U4"), "</input></layer>");
  EXPECT_EQ(WorkOf(Net(packed)).at(0).bytes, 3U);
}

TEST(OpenVinoWork, SaysWhatIsNotKnown) {
  EXPECT_STREQ(WorkOfOne("Abs", {{-1, 4}}, {-1, 4}).why_unknown, "it takes tensors without a largest shape");
  EXPECT_STREQ(WorkOfOne("Fancy", {{4}}, {4}).why_unknown, "its kind of operator is not known");
  EXPECT_STREQ(WorkOfOne("Einsum", {{4}}, {4}).why_unknown, "its shapes do not tell");
  EXPECT_STREQ(WorkOfOne("Abs", {Sizes(17, 1)}, {1}).why_unknown, "its shapes do not tell");
  EXPECT_STREQ(WorkOfOne("Convolution", {{1, 2, 3, 3}}, {1, 2, 3, 3}).why_unknown, "its shapes do not tell");
  for (const std::string strange : {"STRING", "FP", "I99", "x8", ""}) {
    const std::string layer = Text("<layer id=\"0\" type=\"Abs\"><input>", Port(0, {4}, strange), "</input></layer>");
    EXPECT_STREQ(WorkOf(Net(layer)).at(0).why_unknown, "its shapes do not tell") << strange;
  }
}

TEST(OpenVinoWork, IsLinear) {
  std::string layers, edges;
  constexpr int kLayers = 20'000;
  for (int i = 0; i < kLayers; ++i) layers += Layer(i, "Add", {{2}, {2}}, {{2}});
  for (int i = 1; i < kLayers; ++i) edges += Edge(i - 1, 2, i, 0) + Edge(i - 1, 2, i, 1);
  const std::vector<OperatorWork> work = WorkOf(Net(layers, edges));
  ASSERT_EQ(work.size(), size_t{kLayers});
  EXPECT_EQ(work.back().bytes, 4U * 4);
}

TEST(OpenVinoWork, RefusesWhatIsNoModel) {
  for (const auto& [xml, message] : std::vector<std::pair<std::string, std::string>>{
           {"</layer>", "model ends a layer that it did not begin"}, {"<layer", "XML tag at byte 0 does not end"}}) {
    const Result<std::vector<OperatorWork>> work = MeasureOpenVinoLayers(xml);
    ASSERT_FALSE(work);
    EXPECT_EQ(work.error().message, message);
  }
  std::string deep;
  for (int i = 0; i < 40; ++i) deep += "<layer type=\"Loop\">";
  EXPECT_FALSE(MeasureOpenVinoLayers(deep));
}

}  // namespace
}  // namespace pteedit::openvino_work_test
