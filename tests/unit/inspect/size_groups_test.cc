#include "pteedit/size_groups.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "pteedit/sizes.h"
#include "test_files.h"

namespace pteedit::size_groups_test {
namespace {

using test::DataPath;

using Groups = std::map<std::vector<std::string>, uint64_t>;

Groups GroupsOf(const ProgramSet& set, const std::vector<SizeAxis>& axes) {
  const Result<std::vector<SizeGroup>> found = GroupSizes(set, axes);
  Groups groups;
  for (const SizeGroup& group : *found) EXPECT_TRUE(groups.emplace(group.names, group.bytes).second);
  return groups;
}

std::vector<RetainedSize> Of(SizeAxis kind, std::vector<RetainedSize> all) {
  all.erase(std::remove_if(all.begin(), all.end(), [&](const RetainedSize& one) { return one.kind != kind; }),
            all.end());
  return all;
}

TEST(SizeGroups, AComponentIsThatOfTheSizeTree) {
  const Container program = test::OpenFile(DataPath("f07/gpt_xnn.pte"));
  const Result<SizeNode> sizes = MeasureSizes(program);
  Groups components;
  for (const SizeNode& component : sizes->components) components[{component.name}] = component.size;
  EXPECT_EQ(GroupsOf(program, {SizeAxis::kComponent}), components);
}

TEST(SizeGroups, WhatIsInDataFilesCounts) {
  const ProgramSet set(test::OpenFile(DataPath("f06/xnn_ext.pte")), {test::OpenFile(DataPath("f06/xnn_shared.ptd"))});
  const Groups groups = GroupsOf(set, {SizeAxis::kBackend, SizeAxis::kComponent});
  EXPECT_NE(groups.count({"XnnpackBackend", "Tensors"}), 0U);
  uint64_t sum = 0;
  for (const auto& [names, bytes] : groups) sum += bytes;
  EXPECT_EQ(sum, set.bytes());
}

TEST(SizeGroups, WhatTwoMethodsNeedIsOfSeveral) {
  const Container program = test::OpenFile(DataPath("f08/e_multi_xnn.pte"));
  const Groups groups = GroupsOf(program, {SizeAxis::kMethod, SizeAxis::kComponent});
  EXPECT_NE(groups.count({std::string(kSeveral), "Named Data"}), 0U);
  const std::vector<RetainedSize> methods = Of(SizeAxis::kMethod, *MeasureRetained(program));
  ASSERT_EQ(methods.size(), 2U);
  for (const RetainedSize& method : methods) {
    for (const auto& [component, bytes] : method.components) EXPECT_EQ(groups.at({method.name, component}), bytes);
  }
}

TEST(SizeGroups, OfABundleTheBlobsAreInTheProgramInside) {
  const Container bundle = test::OpenFile(DataPath("f11_bundled_xnn.bpte"));
  const Groups blobs = GroupsOf(bundle, {SizeAxis::kDelegate, SizeAxis::kComponent});
  const Groups alone = GroupsOf(*bundle.program(), {SizeAxis::kDelegate, SizeAxis::kComponent});
  EXPECT_EQ(blobs.at({"XnnpackBackend_0", "Delegate Blobs"}), alone.at({"XnnpackBackend_0", "Delegate Blobs"}));
}

TEST(SizeGroups, DelegatesAreKeptApartFromKernels) {
  const Groups groups =
      GroupsOf(test::OpenFile(DataPath("f07/gpt_xnn.pte")), {SizeAxis::kDelegate, SizeAxis::kOperator});
  EXPECT_NE(groups.count({std::string(kKernels), "aten::embedding.out"}), 0U);
  EXPECT_NE(groups.count({"XnnpackBackend_0", "XnnpackBackend"}), 0U);
}

TEST(SizeGroups, OperatorsInsideDelegatesKeepTheirWeights) {
  const Container program = test::OpenFile(DataPath("f08/e_multi_xnn.pte"));
  const Result<SizeNode> sizes = MeasureSizes(program);
  uint64_t named = 0;
  for (const SizeNode& component : sizes->components) named += component.name == "Named Data" ? component.size : 0;
  const std::vector<RetainedSize> operators = Of(SizeAxis::kOperator, *MeasureRetained(program));
  EXPECT_EQ(operators.front().name, "XnnpackBackend: XNNFullyConnected");
  EXPECT_EQ(operators.front().bytes, named);  // all of it are weights of such layers
}

TEST(SizeGroups, ConstantsInsideABlobAreOfTheirOperators) {
  const Container program = test::OpenFile(DataPath("old/0.4.0_xnn.pte"));
  const Groups operators = GroupsOf(program, {SizeAxis::kOperator});
  const Groups backends = GroupsOf(program, {SizeAxis::kBackend});
  EXPECT_EQ(operators.at({"XnnpackBackend: XNNFullyConnected"}), 256U);
  EXPECT_EQ(operators.at({"XnnpackBackend"}) + 256, backends.at({"XnnpackBackend"}));
}

TEST(SizeGroups, WeightsOfVulkanAreOfTheirOperators) {
  const Container program = test::OpenFile(DataPath("delegates/vk_lin.pte"));
  const std::vector<RetainedSize> operators = Of(SizeAxis::kOperator, *MeasureRetained(program));
  ASSERT_FALSE(operators.empty());
  EXPECT_EQ(operators.front().name, "VulkanBackend: aten.linear.default");
  for (const RetainedSize& one : operators) EXPECT_EQ(one.name.find("(opaque)"), std::string::npos) << one.name;
}

TEST(SizeGroups, WhatABlobDoesNotTellIsOpaque) {
  const Container program = test::OpenFile(DataPath("f17/opaque.pte"));
  const std::vector<RetainedSize> all = *MeasureRetained(program);
  const std::vector<RetainedSize> operators = Of(SizeAxis::kOperator, all);
  ASSERT_EQ(operators.size(), 1U);
  EXPECT_EQ(operators.front().name, "OpaqueBackend" + std::string(kOpaque));
  EXPECT_EQ(operators.front().bytes, Of(SizeAxis::kDelegate, all).front().bytes);
}

TEST(SizeGroups, WhatADecodedBlobDoesNotTellIsOpaqueToo) {
  const Container program = test::OpenFile(DataPath("delegates/ethosu55_conv.pte"));
  const std::vector<RetainedSize> operators = Of(SizeAxis::kOperator, *MeasureRetained(program));
  ASSERT_FALSE(operators.empty());
  EXPECT_EQ(operators.front().name, "EthosUBackend" + std::string(kOpaque));
}

}  // namespace
}  // namespace pteedit::size_groups_test
