#include "pteedit/describe.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "io/digest.h"
#include "pteedit/delegates.h"
#include "test_files.h"

namespace pteedit::describe_test {
namespace {

using test::AllModelFiles;
using test::DataPath;
using test::OpenFile;
using test::ReadBytes;

Description DescribeFile(const std::string& name) { return Describe(OpenFile(DataPath(name))); }

std::vector<DelegateDescription> DelegatesOf(const Container& file) {
  Result<std::vector<DelegateDescription>> delegates = DescribeDelegates(file);
  EXPECT_TRUE(delegates) << (delegates ? "" : delegates.error().message);
  return delegates ? *std::move(delegates) : std::vector<DelegateDescription>();
}

const TensorDescription* FindTensor(const Description& description, const std::string& name) {
  for (const TensorDescription& tensor : description.tensors) {
    if (tensor.name == name) return &tensor;
  }
  return nullptr;
}

TEST(Describe, MethodsHaveTheirInputsOutputsAndCalls) {
  const Description description = DescribeFile("f06/mixed.pte");
  ASSERT_EQ(description.methods.size(), 2U);
  const MethodDescription& prefill = description.methods[1];
  EXPECT_EQ(prefill.name, "prefill");
  EXPECT_EQ(prefill.instructions, 2U);
  EXPECT_EQ(prefill.kernel_calls, 1U);
  EXPECT_EQ(prefill.delegate_calls, 1U);
  EXPECT_EQ(prefill.planned_bytes, 2176U);
  ASSERT_EQ(prefill.inputs.size(), 1U);
  EXPECT_STREQ(prefill.inputs[0].type, "tensor");
  EXPECT_EQ(prefill.inputs[0].value, 1U);
  ASSERT_NE(prefill.inputs[0].layout, nullptr);
  EXPECT_EQ(prefill.inputs[0].layout->sizes, (std::vector<int32_t>{1, 6}));
  EXPECT_EQ(ScalarTypeName(prefill.inputs[0].layout->scalar_type), "int64");
}

TEST(Describe, ValuesThatReadTheSameBytesAlikeShareARow) {
  const Description description = DescribeFile("f06/mixed.pte");
  const TensorDescription* shared = FindTensor(description, "decode.constant_1");
  ASSERT_NE(shared, nullptr);
  EXPECT_EQ(*shared->aliases, std::vector<std::string>{"prefill.constant_0"});
  EXPECT_EQ(shared->method, "decode");
  EXPECT_EQ(shared->bytes, 64U * 24 * 4);
  EXPECT_STREQ(shared->store, "segment");
  EXPECT_EQ(FindTensor(description, "prefill.constant_0"), nullptr);
}

TEST(Describe, ValuesThatReadTheSameBytesWithAnotherLayoutHaveARowEach) {
  const Description description = DescribeFile("f12/tied_portable.pte");
  std::vector<std::string> types;
  for (const TensorDescription& tensor : description.tensors) {
    if (tensor.name == "forward.constant_3") types.push_back(ScalarTypeName(tensor.layout->scalar_type));
  }
  EXPECT_GT(types.size(), 1U);
}

TEST(Describe, ExternalAndMutableTensorsHaveTheNamesOfTheFile) {
  const Description description = DescribeFile("f09/kv_init_names_ext.pte");
  const TensorDescription* external = FindTensor(description, "wk.weight");
  ASSERT_NE(external, nullptr);
  EXPECT_STREQ(external->store, "external");
  EXPECT_EQ(*external->key, "wk.weight");
  const TensorDescription* state = FindTensor(description, "k_cache");
  ASSERT_NE(state, nullptr);
  EXPECT_STREQ(state->store, "mutable");
  EXPECT_EQ(*state->key, "");
}

TEST(Describe, TensorsTellWhereTheirBytesLie) {
  const Description program = DescribeFile("f09/kv_init_names_ext.pte");
  EXPECT_FALSE(FindTensor(program, "wk.weight")->extent);
  const TensorDescription& state = *FindTensor(program, "k_cache");
  ASSERT_TRUE(state.extent);
  EXPECT_EQ(state.extent->size, state.bytes);
  EXPECT_EQ(state.extent->offset, program.segments[1].extent.offset);
  const Container data = OpenFile(DataPath("f04/w.ptd"));
  EXPECT_EQ(Describe(data).tensors[0].extent, data.named_data()[0].extent);
}

TEST(Describe, ADataFilesTensorsAreItsKeysWithALayout) {
  const Description description = DescribeFile("f12/tied__default_external_constant.ptd");
  const TensorDescription* tensor = FindTensor(description, "as_i32");
  ASSERT_NE(tensor, nullptr);
  EXPECT_EQ(ScalarTypeName(tensor->layout->scalar_type), "int32");
  EXPECT_EQ(tensor->method, "");
  EXPECT_TRUE(description.methods.empty());
}

TEST(Describe, SharersAreTheEntriesWithTheVerySameBytes) {
  for (const NamedDataDescription& entry : DescribeFile("f12/tied__default_external_constant.ptd").named_data) {
    const uint64_t expected = entry.key == "a.bias" || entry.key.starts_with("b.") ? 1
                              : entry.key.starts_with("z")                         ? 2
                                                                                   : 4;
    EXPECT_EQ(entry.sharers, expected) << entry.key;
  }
}

TEST(Describe, SegmentsNameTheirUsers) {
  const Description description = DescribeFile("f06/mixed.pte");
  ASSERT_EQ(description.segments.size(), 7U);
  EXPECT_EQ(description.segments[0].users, std::vector<std::string>{"constants"});
  EXPECT_EQ(description.segments[1].users, std::vector<std::string>{"XnnpackBackend_0"});
  EXPECT_EQ(description.segments[2].users,
            std::vector<std::string>{"key '58849bf0dd1724ae64d494add33bcf6740e8153041036579b3185fa6b6b0834f'"});
  EXPECT_EQ(description.segments[0].extent.offset, 0x1280U);
  EXPECT_EQ(DescribeFile("f09/kv_init.pte").segments[1].users, std::vector<std::string>{"mutable data 0"});
}

TEST(Describe, OperatorsAreSortedAndCounted) {
  const Description description = DescribeFile("f06/mixed.pte");
  ASSERT_EQ(description.operators.size(), 7U);
  EXPECT_TRUE(std::is_sorted(description.operators.begin(), description.operators.end(),
                             [](const auto& a, const auto& b) { return a.name < b.name; }));
  EXPECT_EQ(description.operators[1].name, "aten::embedding.out");
  EXPECT_EQ(description.operators[1].calls, 2U);
  EXPECT_EQ(description.operators[1].methods, (std::vector<std::string>{"decode", "prefill"}));
}

TEST(Describe, PlacesInABundleCountFromTheStartOfTheFile) {
  const Container file = OpenFile(DataPath("f11_bundled_xnn.bpte"));
  const Description outer = Describe(file);
  const Description inner = Describe(*file.program());
  ASSERT_EQ(outer.segments.size(), inner.segments.size());
  EXPECT_EQ(outer.segments[1].extent.offset, inner.segments[1].extent.offset + file.program_extent().offset);
  EXPECT_EQ(DelegatesOf(file)[0].blob.offset,
            DelegatesOf(*file.program())[0].blob.offset + file.program_extent().offset);
  const Container portable = OpenFile(DataPath("f11_bundled_portable.bpte"));
  const TensorDescription tensor = Describe(portable).tensors[0];
  const TensorDescription inner_tensor = Describe(*portable.program()).tensors[0];
  ASSERT_TRUE(tensor.extent && inner_tensor.extent);
  EXPECT_EQ(tensor.extent->offset, inner_tensor.extent->offset + portable.program_extent().offset);
}

TEST(DescribeDelegates, ADataFileHasNone) { EXPECT_TRUE(DelegatesOf(OpenFile(DataPath("f04/w.ptd"))).empty()); }

void ExpectDelegate(const Container& file, const DelegateDescription& found, const nlohmann::json& expected) {
  EXPECT_EQ(found.backend, expected["id"].get<std::string>());
  EXPECT_EQ(found.is_inline, expected["location"] == "INLINE");
  EXPECT_EQ(found.blob.size, expected["blob_size"]);
  const Result<Sha256Digest> digest = Sha256Of(*file.source(), found.blob);
  ASSERT_TRUE(digest);
  EXPECT_EQ(digest->Hex(), expected["sha256"].get<std::string>());
  EXPECT_EQ(found.compile_specs.size(), expected["compile_specs"].size());
}

void ExpectCalls(const Description& found, const nlohmann::json& plans) {
  ASSERT_EQ(found.methods.size(), plans.size());
  for (size_t i = 0; i < plans.size(); ++i) {
    EXPECT_EQ(found.methods[i].name, plans[i]["name"].get<std::string>());
    EXPECT_EQ(found.methods[i].kernel_calls, plans[i]["kernel_calls"]);
    EXPECT_EQ(found.methods[i].delegate_calls, plans[i]["delegate_calls"]);
    for (const auto& entry : plans[i]["operators"]) {
      const auto name = entry.get<std::string>();
      EXPECT_TRUE(std::any_of(found.operators.begin(), found.operators.end(), [&](const auto& op) {
        return op.name == name;
      })) << name;
    }
  }
}

TEST(Describe, AgreesWithIndependentDecoders) {
  int compared = 0;
  for (const std::string& path : AllModelFiles()) {
    const std::filesystem::path expectation = std::filesystem::path(path).replace_extension(".json");
    if (!std::filesystem::exists(expectation)) continue;
    SCOPED_TRACE(path);
    const std::vector<uint8_t> text = ReadBytes(expectation.string());
    const nlohmann::json expected = nlohmann::json::parse(text.begin(), text.end());
    const Container file = OpenFile(path);
    ExpectCalls(Describe(file), expected["plans"]);
    const std::vector<DelegateDescription> delegates = DelegatesOf(file);
    size_t row = 0;
    for (const auto& plan : expected["plans"]) {
      for (const auto& delegate : plan["delegates"]) {
        ASSERT_LT(row, delegates.size());
        ExpectDelegate(file, delegates[row++], delegate);
        ++compared;
      }
    }
    EXPECT_EQ(row, delegates.size());
  }
  EXPECT_GT(compared, 15);
}

}  // namespace
}  // namespace pteedit::describe_test
