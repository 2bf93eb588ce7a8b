#include "delegates/xnnpack.h"

#include <gtest/gtest.h>

#include <functional>

#include "decoded_blobs.h"
#include "program_builder.h"
#include "xnnpack_graphs.h"

namespace pteedit::xnnpack_test {
namespace {

using test::kNoValue;
using test::Names;
using test::PutAt;
using test::SmallGraph;
namespace xnn = schema::xnnpack;
using Type = xnn::XNNDatatype;

DecodedBlob Decode(const std::vector<uint8_t>& blob) { return test::Decode(DecodeXnnpack, blob); }

std::vector<std::vector<uint8_t>> BlobsOf(const Container& file) { return test::BlobsOf(file, "XnnpackBackend"); }

std::vector<uint8_t> FirstBlob(const std::string& name) { return test::FirstBlob(name, "XnnpackBackend"); }

Names Problems(const std::vector<uint8_t>& blob) { return test::WordsOf(Decode(blob).problems); }

TEST(Xnnpack, FindsDecoderByBackend) {
  ASSERT_NE(FindDecoder("XnnpackBackend"), nullptr);
  EXPECT_TRUE(FindDecoder("XnnpackBackend")->lists_all_keys);
  EXPECT_EQ(FindDecoder("xnnpackbackend"), nullptr);
  EXPECT_EQ(FindDecoder(""), nullptr);
}

TEST(Xnnpack, DecodesEveryRealBlob) {
  size_t count = 0;
  for (const std::string& path : test::AllModelFiles()) {
    SCOPED_TRACE(path);
    for (const std::vector<uint8_t>& blob : BlobsOf(test::OpenFile(path))) {
      const DecodedBlob decoded = Decode(blob);
      EXPECT_FALSE(decoded.operators.empty());
      EXPECT_EQ(test::WordsOf(decoded.problems), Names());
      for (const BlobConstant& constant : decoded.constants) {
        EXPECT_NE(constant.bytes, 0U);
        EXPECT_NE(constant.key.empty(), constant.extent.size == 0);
      }
      EXPECT_TRUE(std::is_sorted(decoded.keys.begin(), decoded.keys.end()));
      test::ExpectIsWhole(decoded, blob.size());
      ++count;
    }
  }
  EXPECT_GT(count, 50U);
}

TEST(Xnnpack, DecodesLinearWithConstantInBlob) {
  const DecodedBlob decoded = Decode(FirstBlob("old/0.4.0_xnn.pte"));
  EXPECT_EQ(decoded.operators, (Names{"XNNFullyConnected", "XNNAdd"}));
  ASSERT_EQ(decoded.constants.size(), 1U);
  EXPECT_EQ(decoded.constants[0].key, "");
  EXPECT_EQ(decoded.constants[0].extent, (Extent{640, 256}));
  EXPECT_EQ(decoded.constants[0].bytes, 256U);
  EXPECT_EQ(decoded.constants[0].dtype, "fp32");
  EXPECT_EQ(decoded.constants[0].sizes, (std::vector<uint64_t>{8, 8}));
  EXPECT_EQ(decoded.keys, Names());
  ASSERT_EQ(decoded.parts.size(), 4U);
  EXPECT_EQ(decoded.parts[0].name, "header");
  EXPECT_EQ(decoded.parts[1].name, "padding");
  EXPECT_EQ(decoded.parts[2].name, "graph");
  EXPECT_EQ(decoded.parts[2].extent, (Extent{32, 608}));
  EXPECT_EQ(decoded.parts[3].name, "constant data");
  EXPECT_EQ(decoded.parts[3].extent, (Extent{640, 256}));
}

TEST(Xnnpack, DecodesScalesOfChannels) {
  const DecodedBlob decoded = Decode(FirstBlob("delegates/xnn_lin_dq8.pte"));
  EXPECT_EQ(decoded.operators, (Names{"XNNConvert", "XNNFullyConnected", "XNNGelu", "XNNConvert", "XNNFullyConnected",
                                      "XNNStaticSlice", "XNNSin", "XNNAdd"}));
  ASSERT_EQ(decoded.constants.size(), 6U);
  EXPECT_EQ(decoded.constants[0].key, "9aced1375e76ad622851a5c75a3a4fe5072d8421c41877289ccf27813e391063");
  EXPECT_EQ(decoded.constants[0].dtype, "qcint8");
  EXPECT_EQ(decoded.constants[0].sizes, (std::vector<uint64_t>{32, 16}));
  EXPECT_EQ(decoded.constants[0].bytes, 512U);
  EXPECT_EQ(decoded.constants[1].key, "scale_df469f1743633e629072a5d2005b6457e9ab2270c1a434cdf686057752e98501");
  EXPECT_EQ(decoded.constants[1].dtype, "fp32");
  EXPECT_EQ(decoded.constants[1].sizes, (std::vector<uint64_t>{32}));
  EXPECT_EQ(decoded.constants[1].bytes, 128U);
  EXPECT_EQ(decoded.keys.size(), 6U);
}

// As long as the graph says is every constant that the exporter stored under a key.
TEST(Xnnpack, BytesNeededAreTheBytesStored) {
  size_t count = 0;
  for (const std::string& path : test::AllModelFiles()) {
    const Container file = test::OpenFile(path);
    const Container& program = file.kind() == FileKind::kBundle ? *file.program() : file;
    std::map<std::string, uint64_t> stored;
    for (const NamedEntry& entry : program.named_data()) stored[std::string(entry.key)] = entry.extent.size;
    for (const std::vector<uint8_t>& blob : BlobsOf(file)) {
      for (const BlobConstant& constant : Decode(blob).constants) {
        if (!stored.contains(constant.key)) continue;
        EXPECT_EQ(constant.bytes, stored[constant.key]) << path << " " << constant.key << " " << constant.dtype;
        ++count;
      }
    }
  }
  EXPECT_GT(count, 100U);
}

// What is wrong with the weight, whatever the operator makes of it.
Names ProblemsOfWeight(const SmallGraph& graph) {
  Names found;
  for (const Finding& finding : Decode(graph.Blob()).problems) {
    if (finding.where.ends_with("value 1")) found.push_back(test::WordsOf({finding}).front());
  }
  return found;
}

template <class Edit>
Names ProblemsAfter(Edit edit) {
  SmallGraph graph;
  edit(graph);
  return Problems(graph.Blob());
}

TEST(Xnnpack, SmallGraphIsSound) {
  EXPECT_EQ(Problems(SmallGraph().Blob()), Names());
  EXPECT_EQ(Problems(SmallGraph().Blob("XN00")), Names());
}

TEST(Xnnpack, DecodesGraphWithoutHeader) {
  for (const char* identifier : {"XN00", "XN01"}) {
    const std::vector<uint8_t> blob = SmallGraph().Graph(identifier, true);
    const DecodedBlob decoded = Decode(blob);
    EXPECT_EQ(Problems(blob), Names());
    EXPECT_EQ(decoded.operators, Names{"XNNFullyConnected"});
    ASSERT_EQ(decoded.constants.size(), 1U);
    EXPECT_EQ(decoded.constants[0].extent.size, 32U);
    EXPECT_EQ(decoded.constants[0].extent.offset % 4, 0U);
    EXPECT_LE(decoded.constants[0].extent.offset + 32, blob.size());
    ASSERT_EQ(decoded.parts.size(), 1U);
    test::ExpectIsWhole(decoded, blob.size());
  }
}

TEST(Xnnpack, NamesBlobThatIsTooShort) {
  EXPECT_EQ(Problems(std::vector<uint8_t>(29)),
            Names{"xnnpack-too-short: header: blob has 29 bytes, at least 30 expected"});
  EXPECT_TRUE(Decode({}).parts.empty());
}

TEST(Xnnpack, NamesWrongHeader) {
  const auto after = [](const std::function<void(std::vector<uint8_t>&)>& edit) {
    std::vector<uint8_t> blob = SmallGraph().Blob();
    edit(blob);
    test::ExpectIsWhole(Decode(blob), blob.size());
    Names ids;
    for (const Finding& finding : Decode(blob).problems) ids.push_back(finding.id);
    return ids;
  };
  EXPECT_EQ(after([](auto& blob) { PutAt<uint32_t>(blob, 10, 0xFFFFFFFF); }), Names{"xnnpack-header-graph"});
  EXPECT_EQ(after([](auto& blob) { PutAt<uint32_t>(blob, 14, 0xFFFFFFFF); }), Names{"xnnpack-header-graph"});
  EXPECT_EQ(after([](auto& blob) { PutAt<uint32_t>(blob, 14, 7); }), Names{"xnnpack-header-graph"});
  EXPECT_EQ(after([](auto& blob) { PutAt<uint32_t>(blob, 18, 0xFFFFFFFF); }), Names{"xnnpack-header-constants"});
  EXPECT_EQ(after([](auto& blob) { PutAt<uint64_t>(blob, 22, ~uint64_t{0}); }), Names{"xnnpack-header-constants"});
  EXPECT_EQ(after([](auto& blob) { PutAt<uint32_t>(blob, 18, 32); }), Names{"xnnpack-header-constants"});
  EXPECT_EQ(after([](auto& blob) { PutAt<uint16_t>(blob, 8, 31); }), Names{"xnnpack-header-length"});
  EXPECT_EQ(after([](auto& blob) { blob[4] = 'Y'; }), Names{"xnnpack-identifier"});
  EXPECT_EQ(after([](auto& blob) { blob[36] = 'Y'; }), Names{"xnnpack-identifier"});
  EXPECT_EQ(after([](auto& blob) { PutAt<uint32_t>(blob, 32, 0x7FFFFFF0); }), Names{"xnnpack-graph-damaged"});
}

TEST(Xnnpack, NamesWrongConstants) {
  EXPECT_EQ(ProblemsAfter([](SmallGraph& graph) { graph.constant = 2; }),
            Names{"xnnpack-constant-index: constant 2 of value 1: does not exist: the graph has 2 constants"});
  EXPECT_EQ(
      ProblemsAfter([](SmallGraph& graph) { graph.offset = 1; }),
      Names{"xnnpack-constant-outside: constant 1 of value 1: has 32 bytes at 0x1 of the constant data, which has "
            "32 bytes"});
  EXPECT_EQ(ProblemsAfter([](SmallGraph& graph) { graph.offset = ~uint64_t{0}; }).size(), 1U);
  EXPECT_EQ(ProblemsAfter([](SmallGraph& graph) { graph.size = 31; }),
            Names{"xnnpack-constant-short: constant 1 of value 1: has 31 bytes, the graph reads 32"});
  EXPECT_EQ(ProblemsAfter([](SmallGraph& graph) {
              graph.dims = {0xFFFFFFFF, 0xFFFFFFFF};
            }),
            Names{"xnnpack-constant-short: constant 1 of value 1: has more bytes than can be counted"});
  EXPECT_EQ(ProblemsAfter([](SmallGraph& graph) { graph.key = ""; }),
            Names{"xnnpack-constant-key: constant 1 of value 1: has an empty key"});
  EXPECT_EQ(ProblemsAfter([](SmallGraph& graph) { graph.key = "a", graph.offset = ~uint64_t{0}; }), Names());
  EXPECT_EQ(Decode(SmallGraph().Blob()).keys, Names());
}

TEST(Xnnpack, NamesWrongValues) {
  EXPECT_EQ(ProblemsAfter([](SmallGraph& graph) { graph.num_dims = 1; }),
            Names{"xnnpack-value-dims: value 1: says it has 1 dimensions but lists 2"});
  EXPECT_EQ(ProblemsAfter([](SmallGraph& graph) { graph.dims = {1, 1, 1, 1, 1, 1, 1}, graph.num_dims = 7; }),
            Names{"xnnpack-value-dims: value 1: has 7 dimensions, at most 6 expected"});
  EXPECT_EQ(ProblemsAfter([](SmallGraph& graph) { graph.type = Type::xnn_datatype_qint8; }),
            Names{"xnnpack-value-type: value 1: is a plain tensor of type 'qint8'"});
  EXPECT_EQ(ProblemsAfter([](SmallGraph& graph) { graph.type = static_cast<Type>(99); }),
            Names{"xnnpack-value-type: value 1: is a plain tensor of type 'datatype 99'"});
  EXPECT_EQ(ProblemsAfter([](SmallGraph& graph) { graph.external_id = 2; }),
            Names{"xnnpack-external-id: value 0: is input or output 2 of the graph, which has 2"});
  EXPECT_EQ(ProblemsAfter([](SmallGraph& graph) { graph.external_id = kNoValue; }),
            Names{"xnnpack-external-id: value 0: is an input or output of the graph but does not say which"});
  EXPECT_EQ(ProblemsAfter([](SmallGraph& graph) { graph.flags = 5; }),
            Names{"xnnpack-value: value 0: has flags 0x5, at most 0x3 expected"});
  EXPECT_EQ(ProblemsAfter([](SmallGraph& graph) { graph.weight_id = graph.filter = 0; }),
            Names{"xnnpack-value-id: value 1: has id 0, which a value before it has as well"});
}

TEST(Xnnpack, NamesWrongOperators) {
  EXPECT_EQ(
      ProblemsAfter([](SmallGraph& graph) { graph.filter = 9; }),
      Names{"xnnpack-operator-value: operator 0 (XNNFullyConnected): names value 9 in 'filter_id', which does not "
            "exist"});
  EXPECT_EQ(ProblemsAfter([](SmallGraph& graph) { graph.filter = kNoValue; }),
            Names{"xnnpack-operator-value: operator 0 (XNNFullyConnected): names no value in 'filter_id'"});
  EXPECT_EQ(ProblemsAfter([](SmallGraph& graph) { graph.output = 1; }),
            Names{"xnnpack-operator-value: operator 0 (XNNFullyConnected): writes value 1 in 'output_id', which is a "
                  "constant"});
  EXPECT_EQ(
      ProblemsAfter([](SmallGraph& graph) { graph.bias = 2; }).front(),
      "xnnpack-operator-value: operator 0 (XNNFullyConnected): reads value 2 in 'bias_id', which nothing before it "
      "writes");
  EXPECT_EQ(ProblemsAfter([](SmallGraph& graph) { graph.node_type = 48; }),
            Names{"xnnpack-unknown-operator (warning): operator 0: is of type 48, which no release up to 1.5 knows"});
  EXPECT_EQ(ProblemsAfter([](SmallGraph& graph) { graph.has_node = false; }),
            Names{"xnnpack-operator: operator 0: says nothing of itself"});
  SmallGraph unknown;
  unknown.node_type = 48;
  EXPECT_EQ(Decode(unknown.Blob()).operators, Names{"op #48"});
}

TEST(Xnnpack, NamesWrongOrderOfDimensions) {
  const auto problems = [](const std::vector<uint32_t>& order, uint32_t dims) {
    return Problems(test::TransposeGraph(order, dims));
  };
  const std::string where = "xnnpack-operator-dims: operator 0 (XNNStaticTranspose): ";
  EXPECT_EQ(problems({1, 0}, 2), Names());
  EXPECT_EQ(problems({1, 1}, 2), Names{where + "has numbers in 'perm' that are no order of the 2 dimensions"});
  EXPECT_EQ(problems({1, 2}, 2), Names{where + "has numbers in 'perm' that are no order of the 2 dimensions"});
  EXPECT_EQ(problems({1}, 2), Names{where + "has 1 elements in 'perm', one for each of 2 dimensions expected"});
  EXPECT_EQ(problems({1, 0}, 7), Names{where + "has 2 elements in 'perm', one for each of 7 dimensions expected"});
}

TEST(Xnnpack, PacksTwo4BitNumbersInAByte) {
  SmallGraph graph;
  graph.type = Type::xnn_datatype_qcint4;
  graph.dims = {2, 5};
  graph.quantize = [](flatbuffers::FlatBufferBuilder& builder) {
    const auto scales = builder.CreateVector(std::vector<float>{1, 1});
    return std::pair(xnn::XNNQuantParams::PerChannelQuant, xnn::CreatePerChannelQuant(builder, scales).Union());
  };
  EXPECT_EQ(ProblemsOfWeight(graph), Names());
  EXPECT_EQ(Decode(graph.Blob()).constants.at(0).bytes, 6U);
}

TEST(Xnnpack, NamesWrongQuantization) {
  const auto channels = [](size_t scales, int32_t dim, uint32_t buffer, float scale = 1) {
    SmallGraph graph;
    graph.type = Type::xnn_datatype_qcint8;
    graph.quantize = [=](flatbuffers::FlatBufferBuilder& builder) {
      const auto all = builder.CreateVector(std::vector<float>(scales, scale));
      return std::pair(xnn::XNNQuantParams::PerChannelQuant,
                       xnn::CreatePerChannelQuant(builder, all, dim, buffer, 2).Union());
    };
    return ProblemsOfWeight(graph);
  };
  EXPECT_EQ(channels(2, 0, 0), Names());
  EXPECT_EQ(channels(0, 0, 1), Names());
  EXPECT_EQ(channels(1, 0, 0), Names{"xnnpack-quantization: value 1: has 1 scales, 2 expected"});
  EXPECT_EQ(channels(2, 2, 0),
            Names{"xnnpack-quantization: value 1: has its channels in dimension 2, which does not exist: there are 2"});
  EXPECT_EQ(
      channels(2, -1, 0),
      Names{"xnnpack-quantization: value 1: has its channels in dimension -1, which does not exist: there are 2"});
  EXPECT_EQ(channels(2, 0, 0, -1).size(), 2U);
  EXPECT_EQ(channels(0, 0, 7),
            Names{"xnnpack-constant-index: constant 7 of value 1: does not exist: the graph has 2 constants"});

  const auto groups = [](int32_t group_size, uint32_t scales) {
    SmallGraph graph;
    graph.type = Type::xnn_datatype_qbint4;
    graph.dims = {1, 64};
    graph.quantize = [=](flatbuffers::FlatBufferBuilder& builder) {
      return std::pair(xnn::XNNQuantParams::PerChannelGroupQuant,
                       xnn::CreatePerChannelGroupQuant(builder, 0, 0, group_size, 0, 1, scales).Union());
    };
    return ProblemsOfWeight(graph);
  };
  EXPECT_EQ(groups(32, 2), Names());
  EXPECT_EQ(groups(32, 3), Names{"xnnpack-quantization: value 1: has 3 scales, one for each of 2 groups expected"});
  EXPECT_EQ(groups(0, 2).size(), 1U);
  EXPECT_EQ(groups(-32, 2).size(), 1U);

  const auto whole = [](Type type, float scale, int32_t zero_point) {
    SmallGraph graph;
    graph.type = type;
    graph.quantize = [=](flatbuffers::FlatBufferBuilder& builder) {
      return std::pair(xnn::XNNQuantParams::PerTensorQuant,
                       xnn::CreatePerTensorQuant(builder, scale, zero_point).Union());
    };
    return ProblemsOfWeight(graph);
  };
  EXPECT_EQ(whole(Type::xnn_datatype_qint8, 1, -128), Names());
  EXPECT_EQ(whole(Type::xnn_datatype_quint8, 1, -1),
            Names{"xnnpack-quantization: value 1: has zero point -1, which its type cannot hold"});
  EXPECT_EQ(whole(Type::xnn_datatype_qint8, 0, 0).size(), 1U);
  EXPECT_EQ(whole(Type::xnn_datatype_fp32, 1, 0).size(), 1U);

  SmallGraph dynamic;
  dynamic.type = Type::xnn_datatype_qdint8;
  dynamic.quantize = [](flatbuffers::FlatBufferBuilder& builder) {
    return std::pair(xnn::XNNQuantParams::PerTokenDynamicQuant, xnn::CreatePerTokenDynamicQuant(builder, 3).Union());
  };
  EXPECT_EQ(ProblemsOfWeight(dynamic),
            (Names{"xnnpack-quantization: value 1: is quantized over 3 dimensions, 0 to 2 expected",
                   "xnnpack-quantization: value 1: is a constant but quantized while running"}));
}

// Whatever one byte says instead, the blob is told part by part.
TEST(Xnnpack, SurvivesEveryByteChanged) {
  for (const std::vector<uint8_t>& blob :
       {SmallGraph().Blob(), SmallGraph().Graph("XN00", true), FirstBlob("delegates/xnn_lin_dq8.pte")}) {
    for (size_t i = 0; i < blob.size(); ++i) {
      for (const int change : {0x01, 0x40, 0x80, 0xFF}) {
        std::vector<uint8_t> damaged = blob;
        damaged[i] = static_cast<uint8_t>(damaged[i] ^ change);
        test::ExpectIsWhole(Decode(damaged), damaged.size());
      }
    }
  }
}

TEST(Xnnpack, SurvivesEveryCut) {
  const std::vector<uint8_t> blob = SmallGraph().Blob();
  for (size_t size = 0; size < blob.size(); ++size) {
    const std::vector<uint8_t> cut(blob.begin(), blob.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_FALSE(Decode(cut).problems.empty()) << size;
  }
}

TEST(Xnnpack, RefusesGraphThatIsTooLarge) {
  const std::vector<uint8_t> graph = SmallGraph().Graph();
  const auto source = MakeCallbackSource("huge", uint64_t{1} << 32, [&](uint64_t offset, MutableByteSpan out) {
    for (size_t i = 0; i < out.size; ++i) out.data[i] = offset + i < graph.size() ? graph[offset + i] : 0;
    return Status();
  });
  const Result<DecodedBlob> decoded = DecodeXnnpack({source, {0, source->size()}, {}, nullptr});
  ASSERT_FALSE(decoded);
  EXPECT_EQ(decoded.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(decoded.error().message, "XNNPACK graph has 4294967296 bytes, at most 67108864 are looked into");
}

// Constant data is never read.
TEST(Xnnpack, ReadsHeaderAndGraphOnly) {
  const std::vector<uint8_t> blob = FirstBlob("old/0.4.0_xnn.pte");
  const auto source = MakeCallbackSource("blob", blob.size(), [&](uint64_t offset, MutableByteSpan out) -> Status {
    EXPECT_LE(offset + out.size, 640U);
    std::copy_n(blob.begin() + static_cast<std::ptrdiff_t>(offset), out.size, out.data);
    return {};
  });
  EXPECT_TRUE(DecodeXnnpack({source, {0, blob.size()}, {}, nullptr}));
}

}  // namespace
}  // namespace pteedit::xnnpack_test
