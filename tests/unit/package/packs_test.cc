#include "package/packs.h"

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "pteedit/package/manifest.h"
#include "pteedit/source.h"

namespace pteedit::packs_test {
namespace {

std::string NameOf(char digit, FileRole role) { return ReleaseFileName(role, std::string(64, digit), "ptd"); }

// Variants a and b share file 3 and have a program and a data file each.
Manifest Family() {
  Manifest manifest;
  const auto add = [&](char digit, FileRole role, uint64_t bytes) {
    manifest.files.push_back({NameOf(digit, role), role, {}, bytes, std::string(64, digit), {}});
  };
  add('1', FileRole::kProgram, 10);
  add('2', FileRole::kProgram, 20);
  add('3', FileRole::kShared, 100);
  add('4', FileRole::kVariant, 95);
  add('5', FileRole::kVariant, 30);
  for (const auto& [name, program, data] : {std::tuple("a", '1', '4'), {"b", '2', '5'}}) {
    ReleaseVariant variant;
    variant.name = name;
    variant.min_runtime = "1.0";
    variant.files = {NameOf(program, FileRole::kProgram), NameOf('3', FileRole::kShared),
                     NameOf(data, FileRole::kVariant)};
    variant.data_files = 2;
    manifest.variants.push_back(variant);
  }
  FinishManifest(manifest);
  return manifest;
}

Manifest CutFamily() {
  Manifest manifest = Family();
  CutPacks(manifest, 100);
  FinishManifest(manifest);
  return manifest;
}

std::string ComplaintOf(const Manifest& manifest) {
  const Status checked = CheckPacks(manifest);
  return checked ? "none" : checked.error().message;
}

TEST(Packs, HoldOnlyWhatTheSameVariantsHave) {
  const Manifest manifest = CutFamily();
  std::vector<uint64_t> bytes;
  for (const ReleasePack& pack : manifest.packs) bytes.push_back(pack.bytes);
  EXPECT_EQ(bytes, (std::vector<uint64_t>{100, 95, 10, 50}));
  EXPECT_EQ(manifest.variants[0].packs, (std::vector<std::string>{"pack-1", "pack-2", "pack-3"}));
  EXPECT_EQ(manifest.variants[1].packs, (std::vector<std::string>{"pack-1", "pack-4"}));
}

TEST(Packs, AreReadAsTheyAreWritten) {
  const std::string text = ManifestText(CutFamily());
  const Result<Manifest> read = ReadManifest(*MakeMemorySource("manifest.json", {text.begin(), text.end()}));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(ManifestText(*read), text);
  EXPECT_EQ(ReleaseId(*read), read->release);
}

TEST(Packs, ThatDoNotFitTheReleaseAreRefused) {
  Manifest manifest = CutFamily();
  manifest.packs[1].name = "pack-1";
  EXPECT_EQ(ComplaintOf(manifest), "two packs are called 'pack-1'");
  manifest = CutFamily();
  manifest.packs[0].bytes = 1;
  EXPECT_EQ(ComplaintOf(manifest), "pack 'pack-1' says bytes 1, its files have 100");
  manifest = CutFamily();
  manifest.packs[0].files = {"elsewhere.ptd"};
  EXPECT_EQ(ComplaintOf(manifest), "pack 'pack-1' names 'elsewhere.ptd', which is none of the files");
  manifest = CutFamily();
  manifest.packs[1].files = manifest.packs[0].files;
  EXPECT_EQ(ComplaintOf(manifest), "pack 'pack-2' names 'shared-333333333333.ptd', which is in a pack already");
  manifest = CutFamily();
  manifest.variants[1].packs.push_back("pack-2");
  EXPECT_EQ(ComplaintOf(manifest), "variant 'b' names other packs than those with its files");
  manifest = CutFamily();
  manifest.packs.pop_back();
  manifest.variants[1].packs.pop_back();
  EXPECT_EQ(ComplaintOf(manifest), "variant 'b' has 'program-222222222222.ptd', which is in no pack");
}

}  // namespace
}  // namespace pteedit::packs_test
