#include "pteedit/requirements.h"

#include <gtest/gtest.h>

#include <map>

#include "pteedit/describe.h"
#include "test_files.h"

namespace pteedit::requirements_test {
namespace {

using test::DataPath;
using test::OpenFile;

Requirements Describe(const std::string& name, const std::vector<std::string>& data_names = {}) {
  const Container file = OpenFile(DataPath(name));
  std::vector<Container> data;
  for (const std::string& data_name : data_names) data.push_back(OpenFile(DataPath(data_name)));
  return DescribeRequirements({file, data}, *DescribeDelegates({file, data}));
}

TEST(KernelKey, SaysTypeAndDimOrderOfEachTensor) {
  const auto matrix = std::make_shared<TensorArgument>(TensorArgument{6, {1, 0}});
  const auto scalar = std::make_shared<TensorArgument>(TensorArgument{4, {}});
  EXPECT_EQ(KernelKey({}), "v1");
  EXPECT_EQ(KernelKey({scalar}), "v1/4;");
  EXPECT_EQ(KernelKey({matrix, scalar, matrix}), "v1/6;1,0|4;|6;1,0");
}

TEST(DescribeRequirements, HasTheOperatorsThatTheFileHas) {
  for (const std::string& path : test::AllModelFiles()) {
    const Container file = OpenFile(path);
    const std::vector<OperatorDescription> expected = pteedit::Describe(file).operators;
    const Requirements needs = DescribeRequirements(file, {});
    ASSERT_EQ(needs.operators.size(), expected.size()) << path;
    for (size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(needs.operators[i].name, expected[i].name) << path;
      EXPECT_EQ(needs.operators[i].calls, expected[i].calls) << path;
      EXPECT_EQ(needs.operators[i].signatures.empty(), expected[i].calls == 0) << path;
    }
  }
}

TEST(DescribeRequirements, TakesTheFirstTensorOfAList) {
  for (const OperatorRequirement& op : Describe("f13/lists.pte").operators) {
    if (op.name != "aten::index.Tensor_out") continue;
    ASSERT_EQ(op.signatures.size(), 1U);
    EXPECT_EQ(KernelKey(op.signatures[0]), "v1/6;0,1|4;0|6;0,1|6;0,1");
    return;
  }
  FAIL() << "no such operator";
}

TEST(DescribeRequirements, SaysWhatEachBackendWasCompiledFor) {
  const Requirements needs = Describe("delegates/ethosu55_conv.pte");
  ASSERT_EQ(needs.backends.size(), 1U);
  const BackendRequirement& backend = needs.backends[0];
  EXPECT_EQ(backend.backend, "EthosUBackend");
  EXPECT_EQ(backend.delegates, std::vector<std::string>{"EthosUBackend_0"});
  std::map<std::string, std::string> targets;
  for (const auto& fact : backend.targets) targets[fact.name] = fact.value;
  EXPECT_EQ(targets["target"], "ethos-u55-128");
  EXPECT_EQ(targets.count("scratch_bytes"), 0U);
  EXPECT_EQ(backend.compile_specs.size(), 6U);
}

TEST(DescribeRequirements, NamesBackendsOnce) {
  const Requirements needs = Describe("f16/twice_segments.pte");
  ASSERT_EQ(needs.backends.size(), 1U);
  EXPECT_EQ(needs.backends[0].delegates, (std::vector<std::string>{"XnnpackBackend_0", "XnnpackBackend_1"}));
}

TEST(DescribeRequirements, FindsExternalKeysInDataFiles) {
  const Requirements without = Describe("f05/mixed.pte");
  const Requirements with = Describe("f05/mixed.pte", {"f05/mixed_shared.ptd"});
  ASSERT_EQ(without.external_keys.size(), 3U);
  ASSERT_EQ(with.external_keys.size(), 3U);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_FALSE(without.external_keys[i].bytes);
    EXPECT_TRUE(without.external_keys[i].file.empty());
    EXPECT_TRUE(with.external_keys[i].bytes);
    EXPECT_EQ(with.external_keys[i].file, DataPath("f05/mixed_shared.ptd"));
  }
  EXPECT_EQ(with.external_keys[2].key, "steps");
  EXPECT_EQ(with.external_keys[2].users, std::vector<std::string>{"method forward"});
  EXPECT_EQ(with.external_keys[0].users, std::vector<std::string>{"XnnpackBackend_0"});
}

TEST(DescribeRequirements, NamesTheDataFilesThatAreNeededInTheirOrder) {
  const std::vector<std::string> data = {"f04/odd.ptd", "f09/kvx__default_external_constant.ptd", "f04/even.ptd"};
  EXPECT_EQ(Describe("f04/mlp_two.pte", data).data,
            (std::vector<std::string>{DataPath("f04/odd.ptd"), DataPath("f04/even.ptd")}));
  EXPECT_TRUE(Describe("f04/mlp_two.pte").data.empty());
}

TEST(DescribeRequirements, CountsTheDataFilesThatAreNeeded) {
  EXPECT_EQ(Describe("f02_linear.pte").data_files, 0U);
  EXPECT_EQ(Describe("f02_linear.pte", {"f04/w.ptd"}).data_files, 0U);
  EXPECT_EQ(Describe("f04/mlp_two.pte").data_files, 1U);
  EXPECT_EQ(Describe("f04/mlp_two.pte", {"f04/odd.ptd"}).data_files, 2U);
  EXPECT_EQ(
      Describe("f04/mlp_two.pte", {"f04/odd.ptd", "f04/even.ptd", "f09/kvx__default_external_constant.ptd"}).data_files,
      2U);
}

TEST(DescribeRequirements, SaysWhyAReleaseIsTheOldest) {
  EXPECT_EQ(Describe("f01_add.pte").min_runtime, "0.1");
  EXPECT_TRUE(Describe("f01_add.pte").runtime.empty());
  const Requirements float16 = Describe("f12/f12_float16.pte");
  EXPECT_EQ(float16.min_runtime, "0.2");
  EXPECT_EQ(float16.runtime.back().what, "float16 tensors");
  EXPECT_EQ(Describe("f06/xnn.pte").min_runtime, "0.7");  // an XNNPACK node
  EXPECT_EQ(Describe("f06/portable_ext.pte").min_runtime, "0.6");
  EXPECT_EQ(Describe("f06/portable_ext.pte", {"f06/shared.ptd"}).min_runtime, "0.7");
  EXPECT_EQ(Describe("delegates/mlx_lin.pte").min_runtime, "1.3");
  EXPECT_EQ(Describe("delegates/native_lin.pte").min_runtime, "1.5");
  EXPECT_EQ(Describe("delegates/xnn_lin.pte").min_runtime, "1.1");  // another
  EXPECT_EQ(Describe("delegates/xnn_conv.pte").min_runtime, "0.6");
  // Not every key of the delegate moved into the data file.
  const Requirements mixed = Describe("f05/mlp_xnn_partial.pte");
  EXPECT_EQ(mixed.min_runtime, "1.0");
  EXPECT_EQ(Describe("f05/mlp_xnn_partial.pte", {"f05/partial_w.ptd"}).min_runtime, "1.0");
  for (const RuntimeNeed& need : mixed.runtime) EXPECT_NE(need.what, "");
}

TEST(DescribeRequirements, SaysOfADataFileWhichReleaseReadsIt) {
  EXPECT_EQ(Describe("f04/w.ptd").min_runtime, "0.7");
  const Requirements old = Describe("old/0.6.0_lin_ext__default_external_constant.ptd");
  EXPECT_EQ(old.min_runtime, "0.6");
  EXPECT_TRUE(old.operators.empty());
}

}  // namespace
}  // namespace pteedit::requirements_test
