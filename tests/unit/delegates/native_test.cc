#include "delegates/native.h"

#include <gtest/gtest.h>

#include "decoded_blobs.h"
#include "delegates/native_schema.h"

namespace pteedit::native_test {
namespace {

using test::Decode;
using test::Names;
using test::Sizes;
using test::WhyRefused;
namespace native = schema::native;
using native::ScalarType;

// A linear layer with a branch whose body runs one node, and a weight that may be quantized.
struct SmallProgram {
  const char* version = "1";
  ScalarType type = ScalarType::FLOAT;
  bool is_quantized = false;
  int32_t quant_min = -8, quant_max = 7, group_size = 16;
  const char* zero_point_key = nullptr;
  int64_t max_rows = 4;

  std::vector<uint8_t> Blob() const {
    flatbuffers::FlatBufferBuilder builder;
    const auto reads_weight = builder.CreateVector({Operand(builder, "p_weight")});
    const auto branch = Graph(builder, {Node(builder, "inner", "sin", reads_weight)}, 0);
    const auto body = native::CreateGraphArgDirect(builder, "body", branch);
    const auto argument = native::CreateArgument(builder, native::ArgumentValue::GraphArg, body.Union());
    const std::vector<flatbuffers::Offset<native::NamedArgument>> inputs = {
        native::CreateNamedArgumentDirect(builder, "branch", argument)};
    const auto none =
        native::CreateArgument(builder, native::ArgumentValue::IntArg, native::CreateNoneArg(builder).Union());
    const std::vector<flatbuffers::Offset<native::NamedArgument>> numbers = {
        native::CreateNamedArgumentDirect(builder, nullptr, none), Operand(builder, "p_weight")};
    const auto reads_tied = builder.CreateVector({Operands(builder, {"x", "p_tied"})});
    const std::vector<flatbuffers::Offset<native::Node>> nodes = {
        native::CreateNodeDirect(builder, "x", native::OpKind::PLACEHOLDER),
        Node(builder, "linear", "torch.ops.aten.linear.default", builder.CreateVector(numbers)),
        Node(builder, "cond", "cond", builder.CreateVector(inputs)), Node(builder, "add", "add", reads_tied)};
    const std::vector<flatbuffers::Offset<native::TensorValue>> values = {
        native::CreateTensorValueDirect(builder, "cache", Meta(builder, "cache_scale"))};
    const auto graph = Graph(builder, nodes, builder.CreateVector(values));
    const std::vector<flatbuffers::Offset<native::NamedTensorRef>> constants = {
        native::CreateNamedTensorRefDirect(builder, "p_weight", "a.weight", Meta(builder, "a.scale")),
        native::CreateNamedTensorRefDirect(builder, "p_tied", "a.weight", Meta(builder, "a.scale"))};
    const std::vector<flatbuffers::Offset<native::Method>> methods = {
        native::CreateMethodDirect(builder, "forward", graph, &constants)};
    builder.Finish(native::CreateProgramDirect(builder, version, &methods), "NPTG");
    return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
  }

 private:
  using Builder = flatbuffers::FlatBufferBuilder;
  using Argument = flatbuffers::Offset<native::NamedArgument>;
  template <class T>
  using List = flatbuffers::Offset<flatbuffers::Vector<flatbuffers::Offset<T>>>;

  static flatbuffers::Offset<native::Node> Node(Builder& builder, const char* name, const char* target,
                                                List<native::NamedArgument> inputs) {
    const auto name_text = builder.CreateString(name), target_text = builder.CreateString(target);
    return native::CreateNode(builder, name_text, native::OpKind::CALL_FUNCTION, target_text, inputs);
  }
  static Argument Operand(Builder& builder, const char* name) {
    const auto tensor = native::CreateTensorArgDirect(builder, name);
    return native::CreateNamedArgumentDirect(
        builder, nullptr, native::CreateArgument(builder, native::ArgumentValue::TensorArg, tensor.Union()));
  }
  static Argument Operands(Builder& builder, const std::vector<std::string>& names) {
    const auto list = native::CreateTensorListArg(builder, builder.CreateVectorOfStrings(names));
    return native::CreateNamedArgumentDirect(
        builder, nullptr, native::CreateArgument(builder, native::ArgumentValue::TensorListArg, list.Union()));
  }
  static flatbuffers::Offset<native::Graph> Graph(Builder& builder,
                                                  const std::vector<flatbuffers::Offset<native::Node>>& nodes,
                                                  List<native::TensorValue> values) {
    return native::CreateGraph(builder, builder.CreateVector(nodes), 0, 0, values);
  }
  flatbuffers::Offset<native::TensorMeta> Meta(Builder& builder, const char* scale_key) const {
    const std::vector<flatbuffers::Offset<native::Dim>> dims = {native::CreateDim(builder, 4, max_rows),
                                                                native::CreateDim(builder, 32, 32)};
    flatbuffers::Offset<native::QuantSpec> quant = 0;
    if (is_quantized) {
      const auto group = native::CreateAffineGroupDirect(builder, scale_key, ScalarType::HALF, quant_min, quant_max,
                                                         group_size, zero_point_key, ScalarType::CHAR);
      quant = native::CreateQuantSpec(builder, native::QuantScheme::AffineGroup, group.Union());
    }
    return native::CreateTensorMetaDirect(builder, type, &dims, nullptr, quant);
  }
};

TEST(Native, DecodesLinear) {
  const DecodedBlob decoded = Decode(DecodeNative, test::FirstBlob("delegates/native_lin.pte", "NativeBackend"));
  EXPECT_EQ(decoded.operators,
            (Names{"torch.ops.aten.linear.default", "torch.ops.aten.gelu.default", "torch.ops.aten.linear.default",
                   "torch.ops.aten.slice_copy.Tensor", "torch.ops.aten.sin.default", "torch.ops.aten.add.Tensor"}));
  const Names names = {"p_a_weight", "p_a_bias", "p_b_weight", "p_b_bias"};
  const Names keys = {"a.weight", "a.bias", "b.weight", "b.bias"};
  const std::vector<Sizes> sizes = {{32, 16}, {32}, {4, 32}, {4}};
  const Sizes bytes = {2048, 128, 512, 16};
  ASSERT_EQ(decoded.constants.size(), keys.size());
  for (size_t i = 0; i < keys.size(); ++i) {
    EXPECT_EQ(decoded.constants[i].name, names[i]);
    EXPECT_EQ(decoded.constants[i].key, keys[i]);
    EXPECT_EQ(decoded.constants[i].dtype, "FLOAT");
    EXPECT_EQ(decoded.constants[i].sizes, sizes[i]);
    EXPECT_EQ(decoded.constants[i].bytes, bytes[i]);
  }
  EXPECT_EQ(decoded.keys, (Names{"a.bias", "a.weight", "b.bias", "b.weight"}));
  EXPECT_EQ(test::ReadsOf(decoded),
            (Names{"torch.ops.aten.linear.default: p_a_weight p_a_bias",
                   "torch.ops.aten.gelu.default:", "torch.ops.aten.linear.default: p_b_weight p_b_bias",
                   "torch.ops.aten.slice_copy.Tensor:", "torch.ops.aten.sin.default:", "torch.ops.aten.add.Tensor:"}));
  EXPECT_EQ(test::PartsOf(decoded), Names{"graph 0+3936"});
  EXPECT_EQ(test::FactsOf(decoded), Names{"graph_version=1"});
  EXPECT_EQ(test::WordsOf(decoded.problems), Names());
}

TEST(Native, DecodesSubgraphsAndSharedConstants) {
  const DecodedBlob decoded = Decode(DecodeNative, SmallProgram().Blob());
  EXPECT_EQ(test::ReadsOf(decoded),
            (Names{"torch.ops.aten.linear.default: p_weight", "cond:", "sin:", "add: p_weight"}));
  ASSERT_EQ(decoded.constants.size(), 1U);
  EXPECT_EQ(decoded.constants[0].name, "p_weight");
  EXPECT_EQ(decoded.constants[0].bytes, 512U);
  EXPECT_EQ(decoded.keys, Names{"a.weight"});
}

// Names, keys, types, sizes and bytes of all constants.
Names ConstantsOf(const SmallProgram& program) {
  const DecodedBlob decoded = Decode(DecodeNative, program.Blob());
  Names words;
  for (const BlobConstant& constant : decoded.constants) {
    std::string sizes;
    for (const uint64_t size : constant.sizes) sizes += " " + std::to_string(size);
    words.push_back(constant.name + ":" + constant.key + " " + constant.dtype + sizes + " = " +
                    std::to_string(constant.bytes));
  }
  return words;
}

TEST(Native, DecodesScales) {
  SmallProgram program;
  program.is_quantized = true;
  program.type = ScalarType::BYTE;
  EXPECT_EQ(ConstantsOf(program),
            (Names{":cache_scale HALF = 0", "p_weight:a.weight BYTE 4 32 = 64", ":a.scale HALF 4 2 = 16"}));
  EXPECT_EQ(Decode(DecodeNative, program.Blob()).keys, (Names{"a.scale", "a.weight", "cache_scale"}));
  program.quant_min = -128;
  program.quant_max = 127;
  program.group_size = 0;
  program.zero_point_key = "zero";
  EXPECT_EQ(ConstantsOf(program), (Names{":cache_scale HALF = 0", ":zero CHAR 4 1 = 4",
                                         "p_weight:a.weight BYTE 4 32 = 128", ":a.scale HALF 4 1 = 8"}));
  program.quant_max = -1;
  EXPECT_EQ(ConstantsOf(program).at(2), "p_weight:a.weight BYTE 4 32 = 0");
}

TEST(Native, KnowsTypesWithoutSignByTheNumbersOfTheGraph) {
  SmallProgram program;
  program.type = ScalarType::UINT16;
  EXPECT_EQ(ConstantsOf(program), Names{"p_weight:a.weight UINT16 4 32 = 256"});
  program.type = ScalarType::UINT64;
  EXPECT_EQ(ConstantsOf(program), Names{"p_weight:a.weight UINT64 4 32 = 1024"});
}

TEST(Native, LeavesOpenWhatOnlyARunCanTell) {
  SmallProgram program;
  program.max_rows = 8;
  EXPECT_EQ(ConstantsOf(program), Names{"p_weight:a.weight FLOAT 0 32 = 0"});
  program.max_rows = 4;
  program.type = static_cast<ScalarType>(99);
  EXPECT_EQ(ConstantsOf(program), Names{"p_weight:a.weight scalar type 99 4 32 = 0"});
}

TEST(Native, RefusesOtherVersions) {
  SmallProgram program;
  program.version = "2";
  EXPECT_EQ(WhyRefused(DecodeNative, program.Blob()), "graph of the native backend has version '2', '1' expected");
}

TEST(Native, RefusesDamage) {
  EXPECT_EQ(WhyRefused(DecodeNative, std::vector<uint8_t>(7)),
            "graph of the native backend does not say 'NPTG' at byte 4");
  std::vector<uint8_t> blob = SmallProgram().Blob();
  blob[2] = 1;
  EXPECT_EQ(WhyRefused(DecodeNative, blob), "graph of the native backend (" + std::to_string(blob.size()) +
                                                " bytes) is damaged: an offset leads out of it or a field is too long");
}

TEST(Native, RefusesBlobThatIsTooLarge) {
  const auto source = MakeCallbackSource("huge", uint64_t{1} << 32, [](uint64_t, MutableByteSpan) {
    ADD_FAILURE() << "is read";
    return Status();
  });
  const Result<DecodedBlob> decoded = DecodeNative({source, {0, source->size()}, {}, nullptr});
  ASSERT_FALSE(decoded);
  EXPECT_EQ(decoded.error().message,
            "graph of the native backend has 4294967296 bytes, at most 67108864 are looked into");
}

TEST(Native, SurvivesDamage) {
  SmallProgram quantized;
  quantized.is_quantized = true;
  test::ExpectSurvivesDamage(DecodeNative, quantized.Blob());
  test::ExpectSurvivesDamage(DecodeNative, test::FirstBlob("delegates/native_lin.pte", "NativeBackend"));
}

}  // namespace
}  // namespace pteedit::native_test
