// Packages of the native backend, merged: what the exporter wrote, and what readers make of the result.
#include "pteedit/merge_packages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "delegates/native.h"
#include "program/container_state.h"
#include "pteedit/describe.h"
#include "pteedit/program_set.h"
#include "pteedit/verify.h"
#include "test_files.h"

namespace pteedit::merge_packages_test {
namespace {

using test::DataPath;

Container Open(const std::string& name) {
  return *Container::OpenToLook(MakeMemorySource(name, test::ReadBytes(DataPath("native/" + name))));
}

MergedPackage Merge(const std::vector<PackageVariant>& variants) {
  Result<MergedPackage> merged = MergePackages(variants, "out.ptn");
  EXPECT_TRUE(merged) << (merged ? "" : merged.error().message);
  return *std::move(merged);
}

Container Reopened(const MergedPackage& merged) { return *Container::OpenToLook(merged.package.AsSource("out.ptn")); }

NativeGraph GraphOf(const Container& package) {
  return *ReadNativeGraph({package.source(), package.state().package->graph, {}, nullptr});
}

// The bytes that each key reads.
std::map<std::string, std::vector<uint8_t>> ContentsOf(const Container& package) {
  std::map<std::string, std::vector<uint8_t>> contents;
  for (const NamedEntry& entry : package.named_data()) {
    std::vector<uint8_t> bytes(static_cast<size_t>(entry.extent.size));
    EXPECT_TRUE(package.source()->Read(entry.extent.offset, {bytes.data(), bytes.size()}));
    contents[std::string(entry.key)] = std::move(bytes);
  }
  return contents;
}

TEST(MergePackages, KeepsMethodsAndTensorsUnderTheNameOfTheVariant) {
  const Container one = Open("two_methods.ptn"), other = Open("tuned.ptn");
  const Container merged = Reopened(Merge({{one, "a"}, {other, "b"}}));
  std::vector<std::string> names;
  for (const NativeMethod& method : GraphOf(merged).methods) names.push_back(method.name);
  std::vector<std::string> wanted;
  for (const NativeMethod& method : GraphOf(one).methods) wanted.push_back("a." + method.name);
  for (const NativeMethod& method : GraphOf(other).methods) wanted.push_back("b." + method.name);
  EXPECT_EQ(names, wanted);
  std::map<std::string, std::vector<uint8_t>> contents;
  for (const auto& [key, bytes] : ContentsOf(one)) contents["a." + key] = bytes;
  for (const auto& [key, bytes] : ContentsOf(other)) contents["b." + key] = bytes;
  EXPECT_EQ(ContentsOf(merged), contents);
}

TEST(MergePackages, SaysOfOperatorsWhatTheGraphsSaid) {
  const Container one = Open("two_methods.ptn"), other = Open("tuned.ptn");
  const DecodedBlob merged = GraphOf(Reopened(Merge({{one, "a"}, {other, "b"}}))).blob;
  DecodedBlob parts = GraphOf(one).blob;
  const DecodedBlob last = GraphOf(other).blob;
  parts.operators.insert(parts.operators.end(), last.operators.begin(), last.operators.end());
  EXPECT_EQ(merged.operators, parts.operators);
  EXPECT_EQ(merged.constants.size(), parts.constants.size() + last.constants.size());
  for (const BlobConstant& constant : merged.constants) {
    EXPECT_TRUE(constant.key.starts_with("a.") || constant.key.starts_with("b.")) << constant.key;
  }
  EXPECT_TRUE(merged.problems.empty());
}

TEST(MergePackages, StoresWhatIsEqualOnce) {
  const Container one = Open("two_methods.ptn"), other = Open("tuned.ptn");
  const MergedPackage merged = Merge({{one, "a"}, {other, "b"}});
  const Container file = Reopened(merged);
  const auto place_of = [&](const char* key) {
    return std::ranges::find(file.named_data(), key, &NamedEntry::key)->extent.offset;
  };
  EXPECT_EQ(place_of("a.copy.weight"), place_of("b.copy.weight"));
  EXPECT_EQ(place_of("a.copy.weight"), place_of("a.up.weight"));  // an alias before
  EXPECT_NE(place_of("a.down.weight"), place_of("b.down.weight"));
  EXPECT_NE(place_of("a.seen"), place_of("b.seen"));  // states, which calls change
  uint64_t saved = 0;
  for (const MovedItem& item : merged.report.items) saved += item.bytes;
  EXPECT_EQ(saved, 512U + 64 + 16 + 4);
  EXPECT_LT(merged.package.size(), one.source()->size() + other.source()->size());
}

TEST(MergePackages, WritesWhatVerificationFindsRight) {
  const Container merged = Reopened(Merge({{Open("no_weights.ptn"), "a"}, {Open("tuned.ptn"), "b"}}));
  EXPECT_TRUE(VerifyOpened(ProgramSet(merged))->front().findings.empty());
  const Container again = Reopened(Merge({{merged, "x"}, {Open("no_weights.ptn"), "y"}}));
  EXPECT_TRUE(VerifyOpened(ProgramSet(again))->front().findings.empty());
  EXPECT_EQ(GraphOf(again).methods.front().name, "x.a.forward");
  EXPECT_TRUE(Reopened(Merge({{Open("no_weights.ptn"), "a"}})).named_data().empty());
}

TEST(MergePackages, RefusesTwoOfOneNameAndOtherFiles) {
  const Container package = Open("tuned.ptn");
  EXPECT_EQ(MergePackages({{package, "a"}, {package, "a"}}, "out.ptn").error().message,
            "is the second variant of the name 'a', give NAME=FILE");
  const Result<MergedPackage> program = MergePackages({{test::OpenFile(DataPath("f01_add.pte")), "a"}}, "out.ptn");
  EXPECT_EQ(program.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(program.error().message,
            "is no package of the native backend (.ptn), which are merged with none but packages");
}

}  // namespace
}  // namespace pteedit::merge_packages_test
