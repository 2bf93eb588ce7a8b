#include "pteedit/package/update.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "noise.h"
#include "package/zstd_frames.h"
#include "pteedit/package/delta.h"
#include "releases.h"

namespace pteedit::test::update_test {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<uint8_t>;

constexpr size_t kProgramBytes = 100'000, kSharedBytes = 400'000;

// A server with two releases of two variants on shared data and the delta between them, and a device.
class Update : public ::testing::Test {
 protected:
  Update() {
    shared_ = Noise(kSharedBytes, 1);
    Bytes first = Noise(kProgramBytes, 2), second = Noise(kProgramBytes, 3);
    MakeRelease(server_ / "v1", {{"a", first, {shared_}}, {"b", second, {shared_}}});
    first[1000] ^= 1;
    second[1000] ^= 1;
    MakeRelease(server_ / "v2", {{"a", first, {shared_}}, {"b", second, {shared_}}});
    EXPECT_TRUE(CreateDelta(server_ / "v1", server_ / "v2", server_ / "delta", {}));
    for (const char* folder : {"next", "changes"}) fs::create_directory(device_ / folder);
  }

  UpdateFolders Folders(bool has_delta = false) const {
    return {device_ / "next", has_delta ? device_ / "changes" : "", device_ / "app"};
  }
  // Fetches the manifest of a release, perhaps that of the delta, and plans.
  Result<UpdatePlan> Plan(const std::string& release, const std::string& variant, bool has_delta = false) {
    Copy(server_ / release + "/manifest.json", device_ / "next/manifest.json");
    if (has_delta) Copy(server_ / "delta/manifest.json", device_ / "changes/manifest.json");
    return PlanUpdate(Folders(has_delta), variant);
  }
  // At most `limit` bytes of each file.
  void FetchAll(const std::string& release, const UpdatePlan& plan, size_t limit = SIZE_MAX) {
    for (const Fetch& fetch : plan.fetches) {
      const std::string from = server_ / (fetch.is_of_delta ? "delta" : release) + "/" + fetch.file;
      const std::string to = device_ / (fetch.is_of_delta ? "changes" : "next") + "/" + fetch.file;
      const Bytes whole = ReadBytes(from);
      ASSERT_EQ(whole.size(), fetch.offset + fetch.bytes);
      Bytes got = fetch.offset == 0 ? Bytes() : ReadBytes(to);
      ASSERT_EQ(got.size(), fetch.offset);
      const auto begin = whole.begin() + static_cast<std::ptrdiff_t>(fetch.offset);
      got.insert(got.end(), begin, begin + static_cast<std::ptrdiff_t>(std::min<size_t>(limit, fetch.bytes)));
      WriteBytes(to, got);
    }
  }
  Result<ApplyReport> Apply(const std::string& variant, bool has_delta = false) {
    ApplyOptions options;
    options.replace = true;
    return ApplyUpdate(Folders(has_delta), variant, device_ / "app", options);
  }
  void Install(const std::string& release, const std::string& variant) {
    const Result<UpdatePlan> plan = Plan(release, variant);
    ASSERT_TRUE(plan) << plan.error().message;
    FetchAll(release, *plan);
    const Result<ApplyReport> report = Apply(variant);
    ASSERT_TRUE(report) << report.error().message;
    fs::remove_all(device_ / "next");
    fs::create_directory(device_ / "next");
  }
  Status Check(const std::string& variant) {
    const Result<Release> release = OpenRelease(device_ / "app");
    if (!release) return release.error();
    return CheckReleaseFiles(*release, variant, nullptr);
  }
  std::string ReleaseOn(const std::string& folder) { return OpenRelease(folder)->manifest.release; }
  static std::string NameOf(const Release& release, const std::string& variant, size_t index) {
    return release.manifest.FindVariant(variant)->files[index];
  }
  static void Copy(const std::string& from, const std::string& to) {
    fs::copy_file(from, to, fs::copy_options::overwrite_existing);
  }

  TemporaryFolder server_, device_;
  Bytes shared_;
};

TEST_F(Update, FirstInstallFetchesOneVariantAlone) {
  const Result<UpdatePlan> plan = Plan("v1", "a");
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->from, "");
  EXPECT_EQ(plan->fetches.size(), 2U);
  EXPECT_EQ(plan->fetch_bytes, kProgramBytes + kSharedBytes);
  EXPECT_EQ(plan->download_bytes, plan->fetch_bytes);
  FetchAll("v1", *plan);
  EXPECT_TRUE(Plan("v1", "a")->fetches.empty());
  ASSERT_TRUE(Apply("a"));
  EXPECT_TRUE(Check("a"));
  EXPECT_EQ(Check("b").error().code, ErrorCode::kIo);
  EXPECT_EQ(FolderContents(device_ / "app").size(), 4U);  // with the manifest and the list of checksums
}

TEST_F(Update, CutDownloadGoesOnWhereItWasCut) {
  Result<UpdatePlan> plan = Plan("v1", "");
  ASSERT_TRUE(plan);
  FetchAll("v1", *plan, 60'000);
  plan = Plan("v1", "");
  ASSERT_EQ(plan->fetches.size(), 3U);
  EXPECT_EQ(plan->fetches[0].offset, 60'000U);
  EXPECT_EQ(plan->fetch_bytes, 2 * kProgramBytes + kSharedBytes - 180'000);
  const Result<ApplyReport> early = Apply("");
  ASSERT_FALSE(early);
  EXPECT_EQ(early.error().message, "lacks 40000 bytes, which are still to be fetched");
  EXPECT_FALSE(fs::exists(device_ / "app"));
  FetchAll("v1", *plan);
  ASSERT_TRUE(Apply(""));
  EXPECT_TRUE(Check(""));
}

TEST_F(Update, FileThatIsTooLongIsFetchedAnew) {
  FetchAll("v1", *Plan("v1", "a"), 100);
  WriteBytes(device_ / "next" + "/" + NameOf(*OpenRelease(server_ / "v1"), "a", 0), Bytes(kProgramBytes + 1));
  EXPECT_EQ(Plan("v1", "a")->fetches[0].offset, 0U);
}

TEST_F(Update, VariantOfThePhoneIsMadeByTheDeltaOfAll) {
  Install("v1", "a");
  Result<UpdatePlan> plan = Plan("v2", "a", true);
  ASSERT_TRUE(plan) << plan.error().message;
  ASSERT_EQ(plan->from, ReleaseOn(server_ / "v1"));
  EXPECT_EQ(plan->to, ReleaseOn(server_ / "v2"));
  ASSERT_EQ(plan->fetches.size(), 1U);
  EXPECT_TRUE(plan->fetches[0].is_of_delta);
  EXPECT_LT(plan->fetch_bytes, 1000U);
  FetchAll("v2", *plan);
  const Result<ApplyReport> report = Apply("a", true);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_TRUE(Check("a"));
  EXPECT_EQ(ReleaseOn(device_ / "app"), plan->to);
}

TEST_F(Update, FileIsFetchedWholeWhereTheDeviceLacksWhatTheDeltaCopies) {
  Install("v1", "a");
  const Result<UpdatePlan> plan = Plan("v2", "b", true);
  ASSERT_TRUE(plan);
  ASSERT_EQ(plan->fetches.size(), 1U);
  EXPECT_FALSE(plan->fetches[0].is_of_delta);
  EXPECT_EQ(plan->fetch_bytes, kProgramBytes);
  FetchAll("v2", *plan);
  ASSERT_TRUE(Apply("b", true));
  EXPECT_TRUE(Check("b"));
}

TEST_F(Update, StaleFileOfTheServerIsNoticedBeforeAnythingIsReplaced) {
  Install("v1", "a");
  const std::map<std::string, Bytes> before = FolderContents(device_ / "app");
  const Result<UpdatePlan> plan = Plan("v2", "a");
  FetchAll("v2", *plan);
  const std::string fetched = device_ / "next" + "/" + plan->fetches[0].file;
  WriteBytes(fetched, Noise(kProgramBytes, 2));  // yesterday's
  const Result<ApplyReport> report = Apply("a");
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::kMalformed);
  EXPECT_EQ(report.error().file, fetched);
  EXPECT_EQ(FolderContents(device_ / "app"), before);
  fs::remove(fetched);
  FetchAll("v2", *Plan("v2", "a"));
  EXPECT_TRUE(Apply("a"));
}

TEST_F(Update, DeltaOfOtherReleasesIsRefused) {
  const std::string v1 = ReleaseOn(server_ / "v1"), v2 = ReleaseOn(server_ / "v2");
  const std::string is_from = "delta is from release " + v1 + " to " + v2 + ", from ";
  EXPECT_EQ(Plan("v2", "a", true).error().message, is_from + "none to " + v2 + " expected");
  Install("v1", "a");
  const Result<UpdatePlan> plan = Plan("v1", "a", true);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(plan.error().message, is_from + v1 + " to " + v1 + " expected");
}

TEST_F(Update, ReleaseIsNoDeltaAndADeltaNoRelease) {
  Install("v1", "a");
  Copy(server_ / "v2/manifest.json", device_ / "changes/manifest.json");
  Copy(server_ / "v2/manifest.json", device_ / "next/manifest.json");
  EXPECT_EQ(PlanUpdate(Folders(true), "").error().message, "is no delta");
  Copy(server_ / "delta/manifest.json", device_ / "next/manifest.json");
  EXPECT_EQ(PlanUpdate(Folders(), "").error().message, "is that of a delta, a release expected");
}

TEST_F(Update, UnknownVariantIsRefused) {
  EXPECT_EQ(Plan("v1", "c").error().message, "there is no variant 'c'");
  EXPECT_EQ(CheckReleaseFiles(*OpenRelease(server_ / "v1"), "c", nullptr).error().message, "there is no variant 'c'");
}

TEST_F(Update, UnreadableInstalledManifestIsMended) {
  Install("v1", "a");
  WriteBytes(device_ / "app/manifest.json", {'{'});
  const Result<UpdatePlan> plan = Plan("v1", "a");
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->from, "");
  EXPECT_TRUE(plan->fetches.empty());
  ASSERT_TRUE(Apply("a"));
  EXPECT_TRUE(Check("a"));
}

// Serves `packed` with a program that is there packed, too.
CompressedFile ServePacked(const std::string& folder, const Bytes& program, int level) {
  Manifest manifest = MakeRelease(folder, {{"a", program, {}}});
  Bytes packed;
  const auto append = [&](ByteSpan piece) {
    packed.insert(packed.end(), piece.data, piece.data + piece.size);
    return Status();
  };
  EXPECT_TRUE(CompressAll(*MakeMemorySource("program", program), {level, 1, nullptr}, append));
  const std::string sha256 = Sha256Of(ByteSpan{packed.data(), packed.size()}).Hex();
  CompressedFile row{ReleaseFileName(FileRole::kProgram, sha256, "pte.zst"), packed.size(), sha256};
  manifest.files[0].compressed = row;
  FinishManifest(manifest);
  const std::string text = ManifestText(manifest);
  WriteBytes(folder + "/manifest.json", {text.begin(), text.end()});
  WriteBytes(folder + "/" + row.file, packed);
  return row;
}

TEST_F(Update, PackedFileIsFetchedPackedAndUnpacked) {
  const CompressedFile row = ServePacked(server_ / "packed", Bytes(kProgramBytes, uint8_t{7}), 3);
  const Result<UpdatePlan> plan = Plan("packed", "a");
  ASSERT_TRUE(plan) << plan.error().message;
  ASSERT_EQ(plan->fetches.size(), 1U);
  EXPECT_EQ(plan->fetches[0].file, row.file);
  EXPECT_EQ(plan->download_bytes, row.bytes);
  FetchAll("packed", *plan);
  const Result<ApplyReport> report = Apply("a");
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_TRUE(Check("a"));
}

// Else verifying the installed release would miss one, and who got it by a delta would have another manifest.
TEST_F(Update, InstalledReleaseNamesNoPackedFile) {
  const CompressedFile row = ServePacked(server_ / "packed", Bytes(kProgramBytes, uint8_t{7}), 3);
  FetchAll("packed", *Plan("packed", "a"));
  ASSERT_TRUE(Apply("a"));
  EXPECT_FALSE(fs::exists(device_ / "app/" + row.file));
  const Manifest served = OpenRelease(server_ / "packed")->manifest, installed = OpenRelease(device_ / "app")->manifest;
  EXPECT_TRUE(HasCompressed(served));
  EXPECT_EQ(ManifestText(installed), ManifestText(WithoutCompressed(served)));
  EXPECT_EQ(installed.release, served.release);
}

// Frames of delta files have a smaller window.
TEST_F(Update, FileThatIsPackedWithALargeWindowIsUnpacked) {
  ServePacked(server_ / "packed", Bytes(4 << 20, uint8_t{7}), 22);
  FetchAll("packed", *Plan("packed", "a"));
  const Result<ApplyReport> report = Apply("a");
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_TRUE(Check("a"));
}

// The first try may have been killed when all was there.
TEST_F(Update, ApplyingADeltaAgainIsNoError) {
  Install("v1", "a");
  FetchAll("v2", *Plan("v2", "a", true));
  ASSERT_TRUE(Apply("a", true));
  const Result<ApplyReport> again = Apply("a", true);
  ASSERT_TRUE(again) << again.error().message;
  for (const AppliedFile& file : again->files) EXPECT_EQ(file.step, ApplyStep::kKept) << file.file;
  EXPECT_TRUE(Plan("v2", "a", true)->fetches.empty());
}

TEST_F(Update, OldReleaseIsWholeWhereverItIsCancelled) {
  Install("v1", "a");
  FetchAll("v2", *Plan("v2", "a", true));
  for (int calls = 1;; ++calls) {
    int left = calls;
    ApplyOptions options;
    options.replace = true;
    options.progress = [&](uint64_t, uint64_t) { return --left != 0; };
    const auto report = ApplyUpdate(Folders(true), "a", device_ / "app", options);
    if (report) break;
    ASSERT_LT(calls, 100);
    EXPECT_EQ(ReleaseOn(device_ / "app"), ReleaseOn(server_ / "v1"));
    EXPECT_TRUE(Check("a"));
  }
  EXPECT_EQ(ReleaseOn(device_ / "app"), ReleaseOn(server_ / "v2"));
  EXPECT_TRUE(Check("a"));
}

}  // namespace
}  // namespace pteedit::test::update_test
