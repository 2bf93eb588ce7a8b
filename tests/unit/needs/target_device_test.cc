// Targets that are devices.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pteedit/delegates.h"
#include "pteedit/execution.h"
#include "pteedit/target.h"
#include "test_files.h"

namespace pteedit::target_device_test {
namespace {

using test::DataPath;
using test::OpenFile;

using Texts = std::vector<std::string>;

Texts MissingIn(const Target& target, const Requirements& needs) {
  Texts missing;
  for (const RuntimeNeed& need : CompareWith(target, needs)) missing.push_back(need.what);
  return missing;
}

Requirements CompiledFor(const char* fact, const char* value) {
  Requirements needs;
  needs.backends.push_back({"B", {}, {}, {{fact, value}}});
  return needs;
}

Texts MissingOn(const char* part, const char* value, const Requirements& needs) {
  Target target;
  target.device.parts = {{part, value}};
  EXPECT_TRUE(CheckDevice(target.device));
  return MissingIn(target, needs);
}

TEST(Target, IsADeviceThatBlobsAreCompiledFor) {
  EXPECT_TRUE(MissingOn("soc", "sm8650", CompiledFor("soc_model", "SM8650")).empty());
  EXPECT_TRUE(MissingOn("soc", "SM8650", CompiledFor("htp_arch", "V75")).empty());
  EXPECT_EQ(MissingOn("soc", "SM8650", CompiledFor("soc_model", "SM8550")),
            Texts{"backend B for soc_model SM8550, it is SM8650"});
  EXPECT_EQ(MissingOn("npu", "ethos-u55-128", CompiledFor("target", "ethos-u85-256")).size(), 1U);
  EXPECT_TRUE(MissingOn("tensorrt", "10.3", CompiledFor("tensorrt_version", "10.3.0.26")).empty());
  EXPECT_EQ(MissingOn("tensorrt", "10.3", CompiledFor("tensorrt_version", "10.30.0")).size(), 1U);
}

TEST(Target, IsAnSdkThatIsNotOlder) {
  const Requirements needs = CompiledFor("qnn_sdk_version", "2.37.0.250724175447_124859");
  for (const char* enough : {"2.37", "2.37.0.250724175447_124859", "2.37.1", "2.38", "3", "2.100"})
    EXPECT_TRUE(MissingOn("qnn", enough, needs).empty()) << enough;
  for (const char* older : {"2.36", "2.9", "1.99", "2.37.0.250000000000"})
    EXPECT_EQ(MissingOn("qnn", older, needs).size(), 1U) << older;
}

TEST(Target, IsVulkanWithAllExtensions) {
  const Requirements needs = CompiledFor("vulkan_extensions", "VK_ARM_data_graph+VK_ARM_tensors");
  EXPECT_TRUE(MissingOn("vulkan", "VK_KHR_maintenance9+VK_ARM_tensors+VK_ARM_data_graph", needs).empty());
  EXPECT_EQ(MissingOn("vulkan", "VK_ARM_data_graph", needs).size(), 1U);
  EXPECT_EQ(MissingOn("vulkan", "VK_ARM_data_graph+VK_ARM_tensors2", needs).size(), 1U);
}

TEST(Target, IsASystemThatReadsCoreMl) {
  const auto lacks = [](const char* system, const char* specification) {
    return !MissingOn("os", system, CompiledFor("min_deployment_target", specification)).empty();
  };
  EXPECT_FALSE(lacks("iOS17.2", "8"));
  EXPECT_TRUE(lacks("ios16", "8"));
  EXPECT_FALSE(lacks("macos14", "8"));
  EXPECT_TRUE(lacks("macos13", "8"));
  EXPECT_TRUE(lacks("android15", "4"));
  EXPECT_TRUE(MissingOn("os", "ios27", CompiledFor("min_deployment_version", "27.0")).empty());
  EXPECT_EQ(MissingOn("os", "ios26", CompiledFor("min_deployment_version", "27.0")).size(), 1U);
}

TEST(Target, NamesOnceWhatSeveralFactsTell) {
  Requirements needs = CompiledFor("specification_version", "8");
  needs.backends[0].targets.push_back({"min_deployment_target", "8"});
  EXPECT_EQ(MissingOn("os", "ios16", needs).size(), 1U);
}

TEST(Target, IsMemoryAndALoader) {
  Requirements needs;
  needs.memory_bytes = 1001;
  needs.data_files = 2;
  Target target;
  target.device = {{}, 1001, 2};
  EXPECT_TRUE(MissingIn(target, needs).empty());
  target.device = {{}, 1000, 1};
  EXPECT_EQ(MissingIn(target, needs), (Texts{"1001 bytes of memory, it has 1000", "2 data files, its loader takes 1"}));
}

std::string MissingIn(const char* release, uint64_t data_files) {
  Requirements needs;
  needs.data_files = data_files;
  const Texts missing = MissingIn(*FindTarget(release), needs);
  return missing.empty() ? "" : missing.front();
}

TEST(Target, IsAReleaseWhoseModuleTakesSoManyDataFiles) {
  EXPECT_EQ(MissingIn("executorch-0.5", 2), "");  // which lacks what such a program needs
  for (const char* release : {"executorch-0.6", "executorch-0.7", "executorch-0.7-ios"}) {
    EXPECT_EQ(MissingIn(release, 1), "") << release;
    EXPECT_EQ(MissingIn(release, 2), "2 data files, its loader takes 1") << release;
  }
  for (const char* release : {"executorch-1.0", "executorch-1.5.1", "executorch-1.0-ios"})
    EXPECT_EQ(MissingIn(release, 100), "") << release;
  for (const char* release :
       {"executorch-0.6-android", "executorch-1.5-android-qnn", "executorch-1.2-android-vulkan"}) {
    EXPECT_EQ(MissingIn(release, 0), "") << release;
    EXPECT_EQ(MissingIn(release, 1), "1 data file, its loader takes 0") << release;
  }
}

TEST(Target, TakesAsManyDataFilesAsItTellsBesideARelease) {
  const auto told = [](const std::vector<std::string>& files) {
    std::vector<std::shared_ptr<const Source>> parts;
    for (const std::string& json : files) parts.push_back(MakeMemorySource("x", {json.begin(), json.end()}));
    return ReadTarget(parts)->device.data_files;
  };
  const std::string release = R"({"schema_version": 1, "release": "0.7"})";
  EXPECT_EQ(told({release}), 1U);
  EXPECT_EQ(told({release, R"({"schema_version": 1, "device": {"ptd": 3}})"}), 3U);
  EXPECT_EQ(told({R"({"schema_version": 1, "release": "1.0"})"}), std::nullopt);
}

TEST(DescribeRequirements, AddsUpMemory) {
  const Container program = OpenFile(DataPath("delegates/ethosu55_conv.pte"));
  uint64_t most = 0;
  for (const MethodMemory& memory : DescribeMemory(program)) most = std::max(most, memory.planned_bytes);
  const std::vector<DelegateDescription> delegates = *DescribeDelegates(program);
  ASSERT_TRUE(ScratchBytes(delegates.front()));
  EXPECT_EQ(DescribeRequirements(program, delegates).memory_bytes,
            program.source()->size() + most + *ScratchBytes(delegates.front()));
}

}  // namespace
}  // namespace pteedit::target_device_test
