// What operators in graphs of the native backend compute, of graphs made here; for real ones see
// operator_work_test.cc.
#include "delegates/native_work.h"

#include <gtest/gtest.h>

#include <limits>

#include "decoded_blobs.h"
#include "delegates/native.h"
#include "measured_blobs.h"
#include "program/container_state.h"
#include "test_files.h"

namespace pteedit::native_work_test {
namespace {

namespace native = schema::native;
using native::ScalarType;
using Builder = flatbuffers::FlatBufferBuilder;
using Strings = std::vector<std::string>;
template <class T>
using List = std::vector<flatbuffers::Offset<T>>;

constexpr char kUntold[] = "its shapes do not tell", kUnbound[] = "it takes tensors without a largest shape";

struct Size {
  int64_t min = 0, max = 0;
  Size(int64_t size) : min(size), max(size) {}  // NOLINT(google-explicit-constructor): "{2, 3}" are sizes
  Size(int64_t least, int64_t most) : min(least), max(most) {}
};

// One method's graph, or that of a body.
class NativeGraphMaker {
 public:
  explicit NativeGraphMaker(Builder& builder) : builder_(builder) {}

  void Tensor(const char* name, const std::vector<Size>& sizes, ScalarType type = ScalarType::FLOAT) {
    values_.push_back(native::CreateTensorValueDirect(builder_, name, Meta(sizes, type)));
  }
  void Constant(const char* name, const char* key, const std::vector<Size>& sizes, int32_t group_size = -1,
                const char* zero_point_key = nullptr) {
    flatbuffers::Offset<native::QuantSpec> quant = 0;
    if (group_size >= 0) {
      const auto group = native::CreateAffineGroupDirect(builder_, "scale", ScalarType::HALF, -8, 7, group_size,
                                                         zero_point_key, ScalarType::CHAR);
      quant = native::CreateQuantSpec(builder_, native::QuantScheme::AffineGroup, group.Union());
    }
    constants_.push_back(native::CreateNamedTensorRefDirect(
        builder_, name, key, Meta(sizes, group_size >= 0 ? ScalarType::BYTE : ScalarType::FLOAT, quant)));
  }
  void Packed(const char* name, const std::vector<Size>& sizes) {
    const auto scheme = native::CreatePackedQuantDirect(builder_, "gguf:q4k").Union();
    const auto quant = native::CreateQuantSpec(builder_, native::QuantScheme::PackedQuant, scheme);
    constants_.push_back(
        native::CreateNamedTensorRefDirect(builder_, name, name, Meta(sizes, ScalarType::BYTE, quant)));
  }

  NativeGraphMaker& In(const char* name, bool is_mutated = false) {
    return Argument(native::ArgumentValue::TensorArg, native::CreateTensorArgDirect(builder_, name).Union(),
                    is_mutated);
  }
  NativeGraphMaker& In(const Strings& names) {
    return Argument(native::ArgumentValue::TensorListArg,
                    native::CreateTensorListArg(builder_, builder_.CreateVectorOfStrings(names)).Union());
  }
  NativeGraphMaker& InOptional(const Strings& names) {
    const std::vector<uint8_t> has(names.size(), 1);
    return Argument(
        native::ArgumentValue::OptionalTensorListArg,
        native::CreateOptionalTensorListArg(builder_, builder_.CreateVectorOfStrings(names), builder_.CreateVector(has))
            .Union());
  }
  NativeGraphMaker& Flag(bool value, const char* ref = nullptr) {
    return Argument(native::ArgumentValue::BoolArg, native::CreateBoolArgDirect(builder_, value, ref).Union());
  }
  NativeGraphMaker& Numbers(int count) {
    for (int i = 0; i < count; ++i) Argument(native::ArgumentValue::IntArg, native::CreateNoneArg(builder_).Union());
    return *this;
  }
  NativeGraphMaker& Body(flatbuffers::Offset<native::Graph> graph) {
    return Argument(native::ArgumentValue::GraphArg, native::CreateGraphArgDirect(builder_, "body", graph).Union());
  }
  NativeGraphMaker& Out(const char* name, const char* alias_of = nullptr,
                        native::OutputValueKind kind = native::OutputValueKind::TENSOR, const Strings& names = {}) {
    const auto alias = alias_of == nullptr ? 0 : builder_.CreateString(alias_of);
    const auto all = names.empty() ? 0 : builder_.CreateVectorOfStrings(names);
    outputs_.push_back(native::CreateOutput(builder_, builder_.CreateString(name), alias, kind, all));
    return *this;
  }
  // Of what was put in and out since the last.
  void Call(const char* target, const char* name = "node") {
    nodes_.push_back(
        native::CreateNodeDirect(builder_, name, native::OpKind::CALL_FUNCTION, target, &inputs_, &outputs_));
    inputs_.clear();
    outputs_.clear();
  }

  flatbuffers::Offset<native::Graph> Graph() {
    return native::CreateGraphDirect(builder_, &nodes_, nullptr, nullptr, &values_);
  }
  flatbuffers::Offset<native::Method> Method(const char* name) {
    return native::CreateMethodDirect(builder_, name, Graph(), &constants_);
  }

 private:
  NativeGraphMaker& Argument(native::ArgumentValue type, flatbuffers::Offset<void> value, bool is_mutated = false) {
    const auto argument = native::CreateArgument(builder_, type, value);
    inputs_.push_back(native::CreateNamedArgument(builder_, 0, argument, is_mutated));
    return *this;
  }
  flatbuffers::Offset<native::TensorMeta> Meta(const std::vector<Size>& sizes, ScalarType type,
                                               flatbuffers::Offset<native::QuantSpec> quant = 0) {
    List<native::Dim> dims;
    for (const Size& size : sizes) dims.push_back(native::CreateDim(builder_, size.min, size.max));
    return native::CreateTensorMetaDirect(builder_, type, &dims, nullptr, quant);
  }

  Builder& builder_;
  List<native::TensorValue> values_;
  List<native::NamedTensorRef> constants_;
  List<native::NamedArgument> inputs_;
  List<native::Output> outputs_;
  List<native::Node> nodes_;
};

std::vector<uint8_t> BlobOf(Builder& builder, const List<native::Method>& methods) {
  builder.Finish(native::CreateProgramDirect(builder, "1", &methods), "NPTG");
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

// Of a program with one method, whose graph `edit` makes.
template <class Edit>
std::vector<uint8_t> BlobWith(Edit edit) {
  Builder builder;
  NativeGraphMaker graph(builder);
  edit(graph);
  return BlobOf(builder, {graph.Method("forward")});
}

template <class Edit>
OperatorWork WorkWith(Edit edit) {
  const std::vector<OperatorWork> work = test::Measure(MeasureNative, BlobWith(edit));
  EXPECT_EQ(work.size(), 1U);
  return work.empty() ? OperatorWork() : work[0];
}

// 4 to 8 channels by 2 x 2, with stride 2 the other way; by hand.
TEST(NativeWork, KnowsConvolutionsByTheirFlag) {
  for (const bool is_transposed : {false, true}) {
    const OperatorWork work = WorkWith([&](NativeGraphMaker& graph) {
      graph.Tensor("small", {1, 4, 5, 5});
      graph.Tensor("wide", {1, 8, 10, 10});
      graph.Constant("filter", "conv.weight", {4, 8, 2, 2});
      graph.In(is_transposed ? "small" : "wide").In("filter").Numbers(4).Flag(is_transposed).Numbers(2);
      graph.Out(is_transposed ? "wide" : "small").Call("torch.ops.aten.convolution.default");
    });
    EXPECT_EQ(work.macs, 4U * 25 * (8 * 2 * 2));
    EXPECT_EQ(work.bytes, 4U * (100 + 800 + 128));
  }
  const OperatorWork untold = WorkWith([](NativeGraphMaker& graph) {
    graph.Tensor("x", {1, 4, 5, 5});
    graph.In("x").In("x").Numbers(4).Flag(false, "some_flag").Out("x").Call("torch.ops.aten.convolution.default");
  });
  EXPECT_EQ(untold.macs, std::nullopt);
  EXPECT_STREQ(untold.why_unknown, kUntold);
}

// By hand: 2 heads of 16, 3 positions that look at 7, of one batch, and without one.
TEST(NativeWork, KnowsProductsAndAttention) {
  for (const bool has_batch : {false, true}) {
    const OperatorWork work = WorkWith([&](NativeGraphMaker& graph) {
      const auto sizes = [&](int64_t positions) {
        return has_batch ? std::vector<Size>{1, 2, positions, 16} : std::vector<Size>{2, positions, 16};
      };
      graph.Tensor("q", sizes(3));
      graph.Tensor("k", sizes(7));
      graph.Tensor("v", sizes(7));
      graph.Tensor("out", sizes(3), ScalarType::HALF);
      graph.In("q").In("k").In("v").Numbers(5).Out("out");
      graph.Call("torch.ops.aten.scaled_dot_product_attention.default");
    });
    EXPECT_EQ(work.macs, 2U * (2 * 3 * 16) * 7);
    EXPECT_EQ(work.bytes, 4U * 2 * 16 * (3 + 7 + 7) + 2 * 2 * 16 * 3);
  }
  const OperatorWork product = WorkWith([](NativeGraphMaker& graph) {
    graph.Tensor("a", {2, 5, 3});
    graph.Tensor("b", {3, 7});
    graph.Tensor("out", {2, 5, 7});
    graph.In("a").In("b").Out("out").Call("torch.ops.aten.matmul.default");
  });
  EXPECT_EQ(product.macs, 2U * 5 * 7 * 3);
}

// 4 x 32 numbers of 4 bits, in groups of 16 with a scale of 2 bytes and a zero point of 1. Who takes the scales besides
// reads them once.
TEST(NativeWork, CountsScalesOnce) {
  const OperatorWork linear = WorkWith([](NativeGraphMaker& graph) {
    graph.Tensor("x", {1, 32});
    graph.Tensor("out", {1, 4});
    graph.Constant("w", "a.weight", {4, 32}, 16, "zero");
    graph.In("x").In("w").Numbers(1).Out("out").Call("torch.ops.aten.linear.default");
  });
  EXPECT_EQ(linear.macs, 4U * 32);
  EXPECT_EQ(linear.bytes, 4U * 32 + 4 * 32 / 2 + 8 * 2 + 8 + 4 * 4);
  const OperatorWork unpacked = WorkWith([](NativeGraphMaker& graph) {
    graph.Tensor("out", {4, 32});
    graph.Constant("w", "a.weight", {4, 32}, 16);
    graph.Constant("s", "scale", {4, 1});
    graph.In("w").Numbers(1).In("s").Out("out").Call("torch.ops.torchao.dequantize_affine.default");
  });
  EXPECT_EQ(unpacked.bytes, 4U * 32 / 2 + 4 * 4 + 4 * 4 * 32);
  const OperatorWork packed = WorkWith([](NativeGraphMaker& graph) {
    graph.Tensor("x", {1, 32});
    graph.Tensor("out", {1, 4});
    graph.Packed("w", {4, 32});
    graph.In("x").In("w").Out("out").Call("torch.ops.aten.linear.default");
  });
  EXPECT_EQ(packed.macs, 4U * 32);
  EXPECT_EQ(packed.bytes, std::nullopt);
}

TEST(NativeWork, MovesNothingWhereMemoryOnlyGetsAName) {
  const auto work = [](const char* target, const char* alias_of, bool is_mutated) {
    return WorkWith([&](NativeGraphMaker& graph) {
      graph.Tensor("x", {4, 6});
      graph.Tensor("out", {2, 6});
      graph.In("x", is_mutated).Numbers(3).Out("out", alias_of).Call(target);
    });
  };
  EXPECT_EQ(work("torch.ops.aten.slice.Tensor", "x", false).bytes, 0U);
  EXPECT_EQ(work("torch.ops.aten.view.default", "x", false).bytes, 0U);
  EXPECT_EQ(work("torch.ops.aten.slice_copy.Tensor", nullptr, false).bytes, 4U * 12 * 2);
  EXPECT_EQ(work("torch.ops.aten.relu_.default", "x", true).bytes, 4U * (24 + 12));
  EXPECT_EQ(work("torch.ops.aten.sym_size.int", nullptr, false).bytes, 0U);
  EXPECT_EQ(work("_operator.mul", nullptr, false).bytes, 0U);
}

TEST(NativeWork, CountsWhatIsInLists) {
  const OperatorWork cat = WorkWith([](NativeGraphMaker& graph) {
    graph.Tensor("a", {2, 3});
    graph.Tensor("b", {2, 5}, ScalarType::HALF);
    graph.Tensor("c", {2, 8});
    graph.In(Strings{"a", "b", "a"}).Numbers(1).Out("c").Call("torch.ops.aten.cat.default");
  });
  EXPECT_EQ(cat.macs, 0U);
  EXPECT_EQ(cat.bytes, 4U * 6 + 2 * 10 + 4 * 16);
  const OperatorWork split = WorkWith([](NativeGraphMaker& graph) {
    graph.Tensor("a", {2, 8});
    graph.Tensor("b", {2, 4});
    graph.Tensor("c", {2, 4});
    graph.In("a").Numbers(2).Out("", nullptr, native::OutputValueKind::TENSOR_LIST, {"b", "c"});
    graph.Call("torch.ops.aten.split_with_sizes_copy.default");
  });
  EXPECT_EQ(split.bytes, 4U * (16 + 8 + 8));
  const OperatorWork index = WorkWith([](NativeGraphMaker& graph) {
    graph.Tensor("a", {100, 8});
    graph.Tensor("i", {3}, ScalarType::LONG);
    graph.Tensor("out", {3, 8});
    graph.In("a").InOptional({"i", ""}).Out("out").Call("torch.ops.aten.index.Tensor");
  });
  EXPECT_EQ(index.bytes, 4U * 24 + 8 * 3 + 4 * 24);
  const OperatorWork missing = WorkWith([](NativeGraphMaker& graph) {
    graph.Tensor("a", {2, 3});
    graph.In(Strings{"a", "nobody"}).Numbers(1).Out("a").Call("torch.ops.aten.cat.default");
  });
  EXPECT_EQ(missing.bytes, std::nullopt);
  EXPECT_STREQ(missing.why_unknown, kUntold);
}

// Each method has tensors of its own, and so has the body that a node runs; its operators are told behind the node's.
TEST(NativeWork, IsOfEachGraphByItself) {
  Builder builder;
  NativeGraphMaker body(builder), first(builder), second(builder);
  body.Tensor("x", {5});
  body.In("x").Out("x").Call("torch.ops.aten.sin.default");
  body.In("w").Out("x").Call("torch.ops.aten.cos.default");
  first.Tensor("x", {2, 3});
  first.Constant("w", "w", {4, 3});
  first.Tensor("out", {2, 4});
  first.In("x").Body(body.Graph()).Out("out").Call("torch.ops.higher_order.cond");
  first.In("x").In("w").Out("out").Call("torch.ops.aten.linear.default");
  second.Tensor("x", {7, 3});
  second.Constant("w", "w", {4, 3});
  second.In("x").In("w").Call("torch.ops.aten.linear.default", "out");
  second.Tensor("out", {7, 4});
  const std::vector<uint8_t> blob = BlobOf(builder, {first.Method("one"), second.Method("two")});
  const std::vector<OperatorWork> work = test::Measure(MeasureNative, blob);
  ASSERT_EQ(work.size(), 5U);
  EXPECT_EQ(work[0].macs, std::nullopt);
  EXPECT_STREQ(work[0].why_unknown, kUntold);
  EXPECT_EQ(work[1].bytes, 4U * 5);
  EXPECT_EQ(work[2].bytes, std::nullopt);  // names of the method are none of the body's
  EXPECT_EQ(work[3].macs, 2U * 4 * 3);
  EXPECT_EQ(work[4].macs, 7U * 4 * 3);
  test::ExpectMeasuresDamage(*FindDecoder("NativeBackend"), blob);
}

// By hand: 2 x 8 to 16 twice, added, to 4; then 2 x 8 to 16 of the other method. Activations are in place.
TEST(NativeWork, OfAPackageIsOfAllItsMethods) {
  const Container package = *Container::OpenToLook(
      MakeMemorySource("two_methods.ptn", test::ReadBytes(test::DataPath("native/two_methods.ptn"))));
  const Result<std::vector<OperatorWork>> work =
      MeasureNative({package.source(), package.state().package->graph, {}, nullptr});
  ASSERT_TRUE(work);
  std::vector<std::pair<uint64_t, uint64_t>> found;
  for (const OperatorWork& one : *work) found.emplace_back(one.macs.value_or(99), one.bytes.value_or(99));
  constexpr uint64_t kUp = 4 * (2 * 8 + 8 * 16 + 16 + 2 * 16), kWide = 4 * 2 * 16;
  const std::vector<std::pair<uint64_t, uint64_t>> expected = {
      {0, 4 * (4 + 1 + 4)},                            // add
      {2 * 16 * 8, kUp},                               // linear
      {0, kWide + kWide},                              // relu_
      {2 * 16 * 8, kUp},                               // linear
      {0, kWide * 3},                                  // add
      {2 * 4 * 16, kWide + 4 * (16 * 4 + 4 + 2 * 4)},  // linear
      {0, 4 * (2 * 4 + 4 + 2 * 4)},                    // add
      {2 * 16 * 8, kUp},                               // linear
      {0, kWide + kWide}};                             // relu_
  EXPECT_EQ(found, expected);
}

TEST(NativeWork, SaysWhatItCannotTell) {
  const auto sine = [](const std::vector<Size>& sizes, const char* target, ScalarType type = ScalarType::FLOAT) {
    return WorkWith([&](NativeGraphMaker& graph) {
      graph.Tensor("x", sizes, type);
      graph.In("x").Out("x").Call(target);
    });
  };
  constexpr char kSine[] = "torch.ops.aten.sin.default", kUnknown[] = "its kind of operator is not known";
  constexpr int64_t kLarge = std::numeric_limits<int64_t>::max();
  const OperatorWork bound = sine({{1, 8}, 3}, kSine);
  EXPECT_TRUE(bound.is_upper_bound);
  EXPECT_EQ(bound.bytes, 4U * 24);
  EXPECT_STREQ(sine({{1, -1}, 3}, kSine).why_unknown, kUnbound);
  EXPECT_STREQ(sine({{5, 3}}, kSine).why_unknown, kUntold);
  EXPECT_STREQ(sine({{-5, 3}}, kSine).why_unknown, kUntold);
  EXPECT_STREQ(sine({kLarge, kLarge}, kSine).why_unknown, kUntold);
  EXPECT_STREQ(sine(std::vector<Size>(17, 1), kSine).why_unknown, kUntold);
  EXPECT_STREQ(sine({2}, kSine, static_cast<ScalarType>(99)).why_unknown, kUntold);
  for (const char* target : {"torch.ops.aten.fancy.default", "torch.ops.", "aten.sin.default", ""})
    EXPECT_STREQ(sine({2}, target).why_unknown, kUnknown) << target;
  EXPECT_STREQ(sine({2}, ("torch.ops.aten." + std::string(300, 'm') + ".default").c_str()).why_unknown, kUnknown);
}

TEST(NativeWork, KnowsOperatorsInPlace) {
  EXPECT_EQ(NativeWorkRule("torch.ops.aten.add_.Tensor")->work, Work::kAll);
  EXPECT_EQ(NativeWorkRule("torch.ops.aten.index_put.default")->work, Work::kAll);
  EXPECT_EQ(NativeWorkRule("torch.ops.aten.index_put_.default")->work, Work::kWritten);
  EXPECT_EQ(NativeWorkRule("torch.ops.aten.scatter_.src"), std::nullopt);
}

}  // namespace
}  // namespace pteedit::native_work_test
