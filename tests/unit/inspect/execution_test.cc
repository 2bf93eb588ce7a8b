#include "pteedit/execution.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "pteedit/describe.h"
#include "test_files.h"

namespace pteedit::execution_test {
namespace {

using test::DataPath;
using test::OpenFile;

TEST(DescribeInstructions, CountAsTheMethodsSay) {
  for (const char* name : {"f06/mixed.pte", "f07/gpt_xnn.pte", "f11_bundled_xnn.bpte", "f02_linear.pte"}) {
    const Container file = OpenFile(DataPath(name));
    std::map<std::string, uint64_t> kernels, delegates;
    for (const InstructionDescription& row : DescribeInstructions(file)) {
      kernels[row.method] += row.kind == InstructionKind::kKernel ? 1 : 0;
      delegates[row.method] += row.kind == InstructionKind::kDelegate ? 1 : 0;
    }
    for (const MethodDescription& method : Describe(file).methods) {
      EXPECT_EQ(kernels[method.name], method.kernel_calls) << name;
      EXPECT_EQ(delegates[method.name], method.delegate_calls) << name;
    }
  }
}

TEST(DescribeInstructions, NameWhatTheyCall) {
  const std::vector<InstructionDescription> rows = DescribeInstructions(OpenFile(DataPath("f07/gpt_xnn.pte")));
  EXPECT_TRUE(std::any_of(rows.begin(), rows.end(), [](const auto& row) { return row.target == "XnnpackBackend_0"; }));
  EXPECT_TRUE(
      std::any_of(rows.begin(), rows.end(), [](const auto& row) { return row.target == "aten::embedding.out"; }));
  for (const InstructionDescription& row : rows) EXPECT_FALSE(row.values.empty()) << row.index;
}

TEST(DescribeValue, AgreesWithInputsAndTensors) {
  for (const char* name : {"f06/mixed.pte", "f07/gpt_xnn.pte", "f11_bundled_xnn.bpte", "f06/portable_cm.pte"}) {
    const Container file = OpenFile(DataPath(name));
    const Description description = Describe(file);
    for (size_t i = 0; i < description.methods.size(); ++i) {
      const MethodDescription& method = description.methods[i];
      for (const ValueDescription& input : method.inputs) {
        const MethodValue value = *DescribeValue(file, i, input.value);
        EXPECT_STREQ(value.type, input.type);
        EXPECT_EQ(value.layout.has_value(), input.layout != nullptr);
        if (value.layout) {
          EXPECT_EQ(*value.layout, *input.layout);
        }
      }
      for (const TensorDescription& tensor : description.tensors) {
        if (tensor.method != method.name) continue;
        const MethodValue value = *DescribeValue(file, i, tensor.value);
        EXPECT_STREQ(value.store, tensor.store) << tensor.name;
        EXPECT_EQ(*value.layout, *tensor.layout) << tensor.name;
      }
      EXPECT_FALSE(DescribeValue(file, i, CountValues(file, i)));
    }
    EXPECT_EQ(CountValues(file, description.methods.size()), 0U);
    EXPECT_FALSE(DescribeValue(file, description.methods.size(), 0));
  }
}

TEST(DescribeValue, TellsNumbersAndTheTensorsOfLists) {
  const Container file = OpenFile(DataPath("delegation/gpt_xnnpack_q8_seed.pte"));
  bool has_number = false, has_list = false;
  for (size_t method = 0; method < Describe(file).methods.size(); ++method) {
    for (uint64_t i = 0; i < CountValues(file, method); ++i) {
      const MethodValue value = *DescribeValue(file, method, i);
      has_number = has_number || (value.type == std::string("int") && !value.text.empty());
      has_list = has_list || (value.type == std::string("tensor_list") && !value.items.empty());
    }
  }
  EXPECT_TRUE(has_number);
  EXPECT_TRUE(has_list);
}

TEST(DescribeMemory, ArenasAreThePlannedMemoryAndTensorsLieInThem) {
  for (const char* name : {"f06/mixed.pte", "f07/gpt_xnn.pte", "f02_linear.pte"}) {
    const Container file = OpenFile(DataPath(name));
    const std::vector<MethodMemory> memory = DescribeMemory(file);
    const std::vector<MethodDescription> methods = Describe(file).methods;
    ASSERT_EQ(memory.size(), methods.size());
    for (size_t i = 0; i < memory.size(); ++i) {
      EXPECT_EQ(memory[i].planned_bytes, methods[i].planned_bytes);
      EXPECT_FALSE(memory[i].tensors.empty());
      for (const PlannedTensor& tensor : memory[i].tensors) {
        ASSERT_LE(tensor.arena, memory[i].arenas.size());
        EXPECT_LE(tensor.offset + *tensor.bytes, memory[i].arenas[tensor.arena - 1]) << tensor.value;
      }
    }
  }
}

// The exporter plans tensors onto the same bytes only where they are not needed at the same time.
TEST(DescribeMemory, TensorsOnTheSameBytesLiveAtDifferentTimes) {
  const std::vector<MethodMemory> memory = DescribeMemory(OpenFile(DataPath("f07/gpt_basic.pte")));
  ASSERT_EQ(memory.size(), 1U);
  ASSERT_TRUE(memory[0].has_lifetimes);
  size_t shared = 0;
  const std::vector<PlannedTensor>& tensors = memory[0].tensors;
  for (size_t i = 0; i < tensors.size(); ++i) {
    for (size_t k = i + 1; k < tensors.size() && tensors[k].arena == tensors[i].arena; ++k) {
      const bool overlap = tensors[k].offset < tensors[i].offset + *tensors[i].bytes && *tensors[k].bytes != 0;
      if (!overlap || !tensors[i].first || !tensors[k].first) continue;
      ++shared;
      // One instruction may read the one and write the other.
      EXPECT_TRUE(*tensors[i].last <= *tensors[k].first || *tensors[k].last <= *tensors[i].first)
          << tensors[i].value << " and " << tensors[k].value;
    }
  }
  EXPECT_GT(shared, 10U);
}

TEST(DescribeConstantMethods, TellTheirValues) {
  using Texts = std::vector<std::string>;
  std::map<std::string, Texts> values;
  for (const ConstantMethod& method : DescribeConstantMethods(OpenFile(DataPath("f06/portable_cm.pte")))) {
    for (const ConstantMethod::Value& value : method.values)
      values[method.method].push_back(std::string(value.type) + " " + value.text);
  }
  const std::map<std::string, Texts> expected = {{"get_vocab_size", {"int 64"}},
                                                 {"get_name", {"string pd"}},
                                                 {"get_eos", {"int 1", "int 2"}},
                                                 {"use_kv", {"bool false"}},
                                                 {"scale", {"double 0.5"}}};
  EXPECT_EQ(values, expected);
}

TEST(DescribeExecution, ADataFileHasNone) {
  const Container file = OpenFile(DataPath("f04/w.ptd"));
  EXPECT_TRUE(DescribeInstructions(file).empty());
  EXPECT_TRUE(DescribeMemory(file).empty());
  EXPECT_TRUE(DescribeConstantMethods(file).empty());
}

}  // namespace
}  // namespace pteedit::execution_test
