#include "pteedit/package/prune.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>

#include "noise.h"
#include "releases.h"

namespace pteedit::test::prune_test {
namespace {

namespace fs = std::filesystem;

constexpr char kUnnamed[] = "program-000000000000.pte", kPart[] = ".shared-000000000000.ptd.partial";

// A release, what is left of another, and what is nobody's business.
class Prune : public ::testing::Test {
 protected:
  Prune() {
    MakeRelease(folder_ / "v1", {{"a", Noise(1000, 1), {Noise(2000, 2)}}});
    for (const std::string name : {kUnnamed, kPart, "notes.txt", ".notes.partial"})
      WriteBytes(folder_ / ("v1/" + name), {1, 2, 3});
    fs::create_directory(folder_ / "v1/shared-000000000000.ptd");
    fs::create_symlink("notes.txt", folder_ / "v1/index-000000000000.json");
  }

  std::set<std::string> Names() const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(std::string(folder_ / "v1")))
      names.insert(entry.path().filename().string());
    return names;
  }

  TemporaryFolder folder_;
};

TEST_F(Prune, TakesWhatNoManifestNamesAndNothingElse) {
  std::set<std::string> names = Names();
  const auto dry = PruneReleases({folder_ / "v1"}, /*dry_run=*/true);
  ASSERT_TRUE(dry) << dry.error().message;
  EXPECT_EQ(Names(), names);
  const auto removed = PruneReleases({folder_ / "v1"}, /*dry_run=*/false);
  ASSERT_TRUE(removed) << removed.error().message;
  ASSERT_EQ(removed->size(), 2U);
  EXPECT_EQ(dry->size(), 2U);
  EXPECT_EQ((*removed)[0].path, folder_ / (std::string("v1/") + kPart));
  EXPECT_EQ((*removed)[1].path, folder_ / (std::string("v1/") + kUnnamed));
  EXPECT_EQ((*removed)[1].bytes, 3U);
  names.erase(kUnnamed);
  names.erase(kPart);
  EXPECT_EQ(Names(), names);
}

TEST_F(Prune, KeepsInEachFolderWhatTheManifestOfAnyNames) {
  MakeRelease(folder_ / "other", {{"b", {1, 2, 3}, {}}});
  fs::remove(folder_ / (std::string("v1/") + kUnnamed));
  fs::remove(folder_ / (std::string("v1/") + kPart));
  for (const auto& entry : fs::directory_iterator(std::string(folder_ / "other"))) {
    if (entry.path().extension() == ".pte") fs::copy(entry.path(), folder_ / "v1");
  }
  const auto removed = PruneReleases({folder_ / "v1", folder_ / "other", folder_ / "v1"}, /*dry_run=*/false);
  ASSERT_TRUE(removed) << removed.error().message;
  EXPECT_TRUE(removed->empty());
}

TEST_F(Prune, WithoutAManifestRemovesNothingAnywhere) {
  const std::set<std::string> names = Names();
  const auto removed = PruneReleases({folder_ / "v1", folder_ / ""}, /*dry_run=*/false);
  ASSERT_FALSE(removed);
  EXPECT_EQ(removed.error().code, ErrorCode::kIo);
  EXPECT_EQ(Names(), names);
}

}  // namespace
}  // namespace pteedit::test::prune_test
