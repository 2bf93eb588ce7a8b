// The laws of merging on families of generated programs, and on the families of tests/data.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <nlohmann/json.hpp>

#include "any_files.h"
#include "generated_files.h"
#include "merge_laws.h"
#include "test_files.h"

namespace pteedit::test::merge_test {
namespace {

constexpr int kChoicesPerSize = 6;

// One to four programs that are made by nearly the same choices, so that they share contents and confuse keys.
Family AnyFamily() {
  const auto tape = *rc::gen::withSize([](int size) {
                       return rc::gen::resize(
                           size * kChoicesPerSize,
                           rc::gen::container<Tape>(rc::gen::resize(rc::kNominalSize, rc::gen::arbitrary<uint16_t>())));
                     }).as("tape of choices");
  Family family{FilesFrom(tape)};
  const auto variants = *rc::gen::inRange<size_t>(0, 4);
  for (size_t i = 0; i < variants; ++i) {
    Tape variant = tape;
    const auto changes = *rc::gen::inRange<size_t>(0, 6);
    for (size_t k = 0; k < changes && !variant.empty(); ++k) {
      variant[*rc::gen::inRange<size_t>(0, variant.size())] = *rc::gen::arbitrary<uint16_t>();
    }
    family.push_back(FilesFrom(variant));
  }
  return family;
}

MergeOptions AnyOptions() {
  MergeOptions options;
  if (*rc::gen::arbitrary<bool>()) options.variant_data = VariantData::kDataFile;
  options.max_external_tensors = *rc::gen::element<uint64_t>(1000, 1000, 2);
  options.min_alignment = *rc::gen::element<uint64_t>(16, 16, 64, 4096);
  options.bind = *rc::gen::element(Bind::kWhereNames, Bind::kWhereNames, Bind::kAlways, Bind::kNever);
  return options;
}

// What is small is not worth sharing, so it takes this to share what generated programs hold.
MergeOptions SharingAll() {
  MergeOptions options = AnyOptions();
  options.min_bytes = *rc::gen::element<uint64_t>(0, 1, 16);
  return options;
}

// What the first set holds is the foundation.
MergeOptions MatchingTheFirst(const Family& family, VariantData where) {
  MergeOptions options;
  options.variant_data = where;
  options.match.files = {*Container::Open(MakeMemorySource("first.pte", family.front().program))};
  for (const FileBytes& bytes : family.front().data)
    options.match.files.push_back(*Container::Open(MakeMemorySource("first.ptd", bytes)));
  return options;
}

RC_GTEST_PROP(GeneratedFamilies, MergeKeepsTheMeaning, ()) {
  const Family family = AnyFamily();
  Holds(MergeKeepsTheMeaning(family, AnyOptions()));
}

RC_GTEST_PROP(GeneratedFamilies, MergeOfAllKeepsTheMeaning, ()) {
  const Family family = AnyFamily();
  Holds(MergeKeepsTheMeaning(family, SharingAll()));
}

RC_GTEST_PROP(GeneratedFamilies, MergeDependsOnContentsAlone, ()) {
  const Family family = AnyFamily();
  Holds(MergeDependsOnContentsAlone(family, AnyOptions()));
}

RC_GTEST_PROP(GeneratedFamilies, MergeOfAllDependsOnContentsAlone, ()) {
  const Family family = AnyFamily();
  Holds(MergeDependsOnContentsAlone(family, SharingAll()));
}

RC_GTEST_PROP(GeneratedFamilies, MergeOfAFoundationDependsOnContentsAlone, ()) {
  const Family family = AnyFamily();
  MergeOptions options = MatchingTheFirst(family, AnyOptions().variant_data);
  options.min_bytes = 1;
  Holds(MergeDependsOnContentsAlone(family, options));
}

RC_GTEST_PROP(GeneratedFamilies, MergeGrowsInPlace, ()) {
  const Family family = AnyFamily();
  Holds(MergeGrowsInPlace(family, SharingAll()));
}

RC_GTEST_PROP(GeneratedFamilies, MergeAgainstABase, ()) {
  const Family family = AnyFamily();
  Holds(MergeAgainstABase(family, SharingAll()));
}

RC_GTEST_PROP(GeneratedFamilies, MergeKeepsPlaces, ()) {
  const Family family = AnyFamily();
  Holds(MergeKeepsPlaces(family, SharingAll()));
}

RC_GTEST_PROP(GeneratedFamilies, ShardsAreSmallEnough, ()) {
  const Family family = AnyFamily();
  Holds(ShardsAreSmallEnough(family, SharingAll()));
}

RC_GTEST_PROP(GeneratedFamilies, MergeAndJoinIsTheSame, ()) {
  const Family family = AnyFamily();
  Holds(MergeAndJoinIsTheSame(family, SharingAll()));
}

RC_GTEST_PROP(GeneratedFamilies, MergeStaysClean, ()) {
  const Family family = AnyFamily();
  Holds(MergeStaysClean(family, SharingAll()));
}

RC_GTEST_PROP(GeneratedFamilies, MergeNeverGrows, ()) {
  const Family family = AnyFamily();
  MergeOptions options = AnyOptions();
  options.min_alignment = MergeOptions().min_alignment;
  Holds(MergeNeverGrows(family, options));
}

// By the beginning of their names in the manifest.
class DataFamilies : public testing::TestWithParam<const char*> {
 protected:
  static Family Members(const std::string& beginning) {
    std::ifstream file(DataPath("manifest.json"));
    const nlohmann::json manifest = nlohmann::json::parse(file);
    Family family;
    for (const auto& entry : manifest["entries"]) {
      if (!entry["name"].get<std::string>().starts_with(beginning)) continue;
      Files files{ReadBytes(DataPath(entry["pte"])), {}, 16};
      for (const std::string data : entry["data"]) files.data.push_back(ReadBytes(DataPath(data)));
      family.push_back(std::move(files));
    }
    EXPECT_FALSE(family.empty()) << beginning;
    return family;
  }
};
INSTANTIATE_TEST_SUITE_P(Manifest, DataFamilies,
                         testing::Values("f07", "f08a", "f08b", "f08c_portable", "f08c_xnn", "f08d", "f08e", "f08",
                                         "f12", "f13", "f14", "f15_", "f15b", "f16", "f17", "old"));

TEST_P(DataFamilies, HoldTheLawsOfMerging) {
  const Family family = Members(GetParam());
  for (const VariantData where : {VariantData::kProgram, VariantData::kDataFile}) {
    MergeOptions options;
    options.variant_data = where;
    EXPECT_EQ(MergeKeepsTheMeaning(family, options), "");
    EXPECT_EQ(MergeDependsOnContentsAlone(family, options), "");
    EXPECT_EQ(MergeNeverGrows(family, options), "");
    EXPECT_EQ(MergeAgainstABase(family, options), "");
    EXPECT_EQ(MergeKeepsPlaces(family, options), "");
    EXPECT_EQ(ShardsAreSmallEnough(family, options), "");
    for (size_t count = 3; count <= family.size(); ++count) {
      const Family beginning(family.begin(), family.begin() + static_cast<std::ptrdiff_t>(count));
      EXPECT_EQ(MergeGrowsInPlace(beginning, options), "") << count << " sets";
    }
    EXPECT_EQ(MergeAndJoinIsTheSame(family, options), "");
    EXPECT_EQ(MergeStaysClean(family, options), "");
  }
}

TEST_P(DataFamilies, HoldTheLawsOfMergingWithAFoundation) {
  const Family family = Members(GetParam());
  for (const VariantData where : {VariantData::kProgram, VariantData::kDataFile}) {
    const MergeOptions options = MatchingTheFirst(family, where);
    EXPECT_EQ(MergeKeepsTheMeaning(family, options), "");
    EXPECT_EQ(MergeDependsOnContentsAlone(family, options), "");
    EXPECT_EQ(MergeKeepsPlaces(family, options), "");
    EXPECT_EQ(ShardsAreSmallEnough(family, options), "");
    for (size_t count = 2; count <= family.size(); ++count) {
      const Family beginning(family.begin(), family.begin() + static_cast<std::ptrdiff_t>(count));
      EXPECT_EQ(MergeGrowsInPlace(beginning, options), "") << count << " sets";
    }
  }
}

TEST_P(DataFamilies, DependOnContentsAloneWithAllOptions) {
  const Family family = Members(GetParam());
  for (const VariantData where : {VariantData::kProgram, VariantData::kDataFile}) {
    for (const uint64_t alignment : {64U, 4096U}) {
      for (const auto least : {std::optional<uint64_t>(), std::optional<uint64_t>(1)}) {
        MergeOptions options;
        options.variant_data = where;
        options.min_alignment = alignment;
        options.min_bytes = least;
        EXPECT_EQ(MergeDependsOnContentsAlone(family, options), "") << alignment << ", " << least.value_or(0);
      }
    }
  }
}

}  // namespace
}  // namespace pteedit::test::merge_test
