#include "pteedit/package/delta.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "io/posix_file.h"
#include "noise.h"
#include "pteedit/package/release.h"
#include "releases.h"

namespace pteedit::test::delta_test {
namespace {

using Bytes = std::vector<uint8_t>;

constexpr size_t kProgramBytes = 300'000, kSharedBytes = 1'000'000;

// Two releases of two variants on shared data; from the one to the other the programs change a little.
class Delta : public ::testing::Test {
 protected:
  Delta() {
    shared_ = Noise(kSharedBytes, 1);
    first_ = Noise(kProgramBytes, 2);
    second_ = Noise(kProgramBytes, 3);
    MakeRelease(folder_ / "v1", {{"a", first_, {shared_}}, {"b", second_, {shared_}}});
    old_ = FolderContents(folder_ / "v1");
    first_[1000] ^= 1;
    second_.insert(second_.begin() + 2000, 50, uint8_t{7});
    MakeRelease(folder_ / "v2", {{"a", first_, {shared_}}, {"b", second_, {shared_}}});
  }

  Result<DeltaReport> Create(const DeltaOptions& options = {}) {
    return CreateDelta(folder_ / "v1", folder_ / "v2", folder_ / "delta", options);
  }
  Result<ApplyReport> Apply(const std::string& to = "new", const ApplyOptions& options = {}) {
    return ApplyDelta(folder_ / "delta", folder_ / "v1", folder_ / to, options);
  }
  void Expect(const std::string& problem, const Status& status) {
    ASSERT_FALSE(status);
    EXPECT_EQ(problem, status.error().file.substr(folder_.path().size() + 1) + ": " + status.error().message);
    EXPECT_EQ(FolderContents(folder_ / "v1"), old_);
    EXPECT_FALSE(std::filesystem::exists(folder_ / "new"));
  }
  // What applying says once the text of the delta's manifest is another.
  Status ApplyEdited(const std::string& from, const std::string& to) {
    const std::string path = folder_ / "delta/manifest.json";
    const Bytes bytes = ReadBytes(path);
    std::string text(bytes.begin(), bytes.end());
    const size_t place = text.find(from);
    EXPECT_NE(place, std::string::npos) << text;
    text.replace(place, from.size(), to);
    WriteBytes(path, {text.begin(), text.end()});
    return StatusOf(Apply());
  }
  template <class T>
  static Status StatusOf(const Result<T>& result) {
    if (result) return {};
    return result.error();
  }
  std::string NameOf(const std::string& prefix, const std::string& in) const {
    for (const auto& [name, bytes] : FolderContents(folder_ / in)) {
      if (name.starts_with(prefix)) return name;
    }
    return "";
  }

  TemporaryFolder folder_;
  Bytes shared_, first_, second_;
  std::map<std::string, Bytes> old_;  // the older release
};

TEST_F(Delta, GivesTheNewReleaseByteForByte) {
  const DeltaReport report = Create().value();
  ASSERT_EQ(report.files.size(), 2U);
  EXPECT_LT(report.delta_bytes, 4096U);
  const ApplyReport applied = Apply().value();
  EXPECT_EQ(FolderContents(folder_ / "new"), FolderContents(folder_ / "v2"));
  EXPECT_EQ(applied.to, report.to);
  EXPECT_EQ(FolderContents(folder_ / "v1"), old_);
}

TEST_F(Delta, LinksWhatDidNotChange) {
  ASSERT_TRUE(Create());
  const ApplyReport applied = Apply().value();
  EXPECT_EQ(applied.files.back().step, ApplyStep::kLinked);
  EXPECT_EQ(std::filesystem::hard_link_count(folder_ / ("new/" + applied.files.back().file)), 2U);
}

TEST_F(Delta, IsTheSameWithAnyNumberOfThreads) {
  ASSERT_TRUE(Create());
  DeltaOptions options;
  options.threads = 5;
  ASSERT_TRUE(CreateDelta(folder_ / "v1", folder_ / "v2", folder_ / "other", options));
  EXPECT_EQ(FolderContents(folder_ / "delta"), FolderContents(folder_ / "other"));
}

TEST_F(Delta, CopiesFromSiblings) {
  Bytes both = second_;
  both.insert(both.end(), first_.begin(), first_.end());
  MakeRelease(folder_ / "v3", {{"c", both, {}}});
  const DeltaReport report = CreateDelta(folder_ / "v2", folder_ / "v3", folder_ / "delta", {}).value();
  EXPECT_EQ(report.files.at(0).copied_bytes, both.size());
  EXPECT_EQ(report.files.at(0).delta_bytes, 0U);
}

TEST_F(Delta, OfOneNewAdapterOfEightIsThatAndLittleMore) {
  constexpr uint64_t kMost = 4096;
  std::vector<MadeVariant> variants;
  for (uint32_t i = 0; i < 8; ++i)
    variants.push_back({"variant" + std::to_string(i), Noise(300'000, 10 + i), {shared_}});
  MakeRelease(folder_ / "eight", variants);
  const Bytes adapter = variants[3].program = Noise(5'000'000, 9);
  MakeRelease(folder_ / "next", variants);
  const DeltaReport report = CreateDelta(folder_ / "eight", folder_ / "next", folder_ / "delta", {}).value();
  EXPECT_LE(report.delta_bytes, adapter.size() + kMost);
}

// As where the system has no files without names and no fast copies.
TEST_F(Delta, IsMadeAndAppliedOnAnySystem) {
  UseOnlyPlainPosix(true);
  const bool made = Create().has_value() && Apply().has_value();
  UseOnlyPlainPosix(false);
  ASSERT_TRUE(made);
  EXPECT_EQ(FolderContents(folder_ / "new"), FolderContents(folder_ / "v2"));
}

TEST_F(Delta, OfTheSameReleaseHasTheManifestAlone) {
  ASSERT_TRUE(CreateDelta(folder_ / "v1", folder_ / "v1", folder_ / "delta", {}));
  EXPECT_EQ(FolderContents(folder_ / "delta").size(), 2U);
  ASSERT_TRUE(Apply());
  EXPECT_EQ(FolderContents(folder_ / "new"), old_);
}

TEST_F(Delta, TakesEmptyFiles) {
  MakeRelease(folder_ / "v3", {{"a", {}, {}}});
  ASSERT_TRUE(CreateDelta(folder_ / "v1", folder_ / "v3", folder_ / "delta", {}));
  ASSERT_TRUE(Apply());
  EXPECT_EQ(FolderContents(folder_ / "new"), FolderContents(folder_ / "v3"));
}

TEST_F(Delta, CanBeAppliedInPlace) {
  ASSERT_TRUE(Create());
  const Result<ApplyReport> refused = Apply("v1");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kExists);
  EXPECT_EQ(FolderContents(folder_ / "v1"), old_);
  ASSERT_TRUE(Apply("v1", {true, false, {}}));
  const std::map<std::string, Bytes> now = FolderContents(folder_ / "v1");
  for (const auto& [name, bytes] : FolderContents(folder_ / "v2")) EXPECT_EQ(now.at(name), bytes) << name;
  EXPECT_EQ(now.size(), old_.size() + 2);
}

TEST_F(Delta, KeepsWhatIsThereAndRightAndMendsTheRest) {
  ASSERT_TRUE(Create());
  ASSERT_TRUE(Apply());
  std::filesystem::remove(folder_ / "new/manifest.json");
  const std::string program = NameOf("program-", "new");
  WriteBytes(folder_ / ("new/" + program), {1, 2, 3});
  const ApplyReport again = Apply().value();
  EXPECT_EQ(FolderContents(folder_ / "new"), FolderContents(folder_ / "v2"));
  for (const AppliedFile& file : again.files)
    EXPECT_EQ(ApplyStepName(file.step), std::string(file.file == program ? "made" : "kept"));
}

TEST_F(Delta, StoppedLeavesNoReleaseAndGoesOnTheNextTime) {
  ASSERT_TRUE(Create());
  const auto stop = [](uint64_t done, uint64_t) { return done < 2 * kProgramBytes; };
  const Result<ApplyReport> stopped = Apply("new", {false, false, stop});
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().message, "stopped; the release is not there yet");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "new/manifest.json"));
  EXPECT_EQ(Apply().value().files.at(0).step, ApplyStep::kKept);
}

TEST_F(Delta, StoppedWhileItIsMadeLeavesNothing) {
  DeltaOptions options;
  options.progress = [](uint64_t done, uint64_t) { return done == 0; };
  EXPECT_FALSE(Create(options));
  EXPECT_EQ(folder_.Names(), (std::vector<std::string>{"v1", "v2"}));
}

TEST_F(Delta, InADryRunLeavesNothing) {
  DeltaOptions options;
  options.dry_run = true;
  EXPECT_EQ(Create(options).value().files.size(), 2U);
  EXPECT_EQ(folder_.Names(), (std::vector<std::string>{"v1", "v2"}));
}

TEST_F(Delta, ReplacesOnlyADelta) {
  ASSERT_TRUE(Create());
  EXPECT_EQ(Create().error().message, "the output folder exists already");
  DeltaOptions options;
  options.replace = true;
  ASSERT_TRUE(Create(options));
  std::filesystem::copy(folder_ / "v1", folder_ / "other");
  const Result<DeltaReport> refused = CreateDelta(folder_ / "v1", folder_ / "v2", folder_ / "other", options);
  EXPECT_EQ(refused.error().message, "is no delta; only a delta is replaced by one");
}

TEST_F(Delta, IsNotMadeOfDamagedFiles) {
  const std::string name = NameOf("shared-", "v1");
  shared_[7] ^= 1;
  WriteBytes(folder_ / ("v1/" + name), shared_);
  const Result<DeltaReport> refused = Create();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kMalformed);
  EXPECT_EQ(refused.error().file, folder_ / ("v1/" + name));
}

TEST_F(Delta, ForAnotherReleaseIsRefused) {
  ASSERT_TRUE(Create());
  const Result<ApplyReport> refused = ApplyDelta(folder_ / "delta", folder_ / "v2", folder_ / "new", {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(refused.error().message.find(", the delta is for "), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "new"));
}

TEST_F(Delta, ThatIsNoneIsRefused) {
  const Result<ApplyReport> refused = ApplyDelta(folder_ / "v2", folder_ / "v1", folder_ / "new", {});
  Expect("v2/manifest.json: is no delta", StatusOf(refused));
}

TEST_F(Delta, WithoutAnOldFileIsRefused) {
  ASSERT_TRUE(Create());
  const std::string name = NameOf("shared-", "v1");
  std::filesystem::remove(folder_ / ("v1/" + name));
  old_.erase(name);
  Expect("v1/" + name + ": cannot open: No such file or directory", StatusOf(Apply()));
}

TEST_F(Delta, WithAnOldFileOfAnotherSizeIsRefused) {
  ASSERT_TRUE(Create());
  const std::string name = NameOf("program-", "v1");
  WriteBytes(folder_ / ("v1/" + name), old_[name] = {1, 2});
  Expect("v1/" + name + ": has 2 bytes, 300000 in the manifest", StatusOf(Apply()));
}

// Such damage shows only on the way, and whatever was made until then is removed.
TEST_F(Delta, WithAChangedOldFileIsRefused) {
  ASSERT_TRUE(Create());
  for (const char* prefix : {"program-", "shared-"}) {
    const std::string name = NameOf(prefix, "v1");
    const Bytes before = old_[name];
    old_[name].back() ^= 1;
    WriteBytes(folder_ / ("v1/" + name), old_[name]);
    const Result<ApplyReport> refused = Apply();
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().file, folder_ / ("v1/" + name));
    EXPECT_EQ(refused.error().message.find("has the SHA-256 "), 0U);
    EXPECT_FALSE(std::filesystem::exists(folder_ / "new"));
    WriteBytes(folder_ / ("v1/" + name), old_[name] = before);
  }
  EXPECT_TRUE(Apply());
}

TEST_F(Delta, ThatIsDamagedIsRefused) {
  ASSERT_TRUE(Create());
  const std::string name = NameOf("delta-", "delta");
  Bytes bytes = ReadBytes(folder_ / ("delta/" + name));
  bytes[0] ^= 1;
  WriteBytes(folder_ / ("delta/" + name), bytes);
  const Result<ApplyReport> refused = Apply();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().file, folder_ / ("delta/" + name));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "new"));
}

TEST_F(Delta, WithOperationsThatDoNotFitIsRefused) {
  ASSERT_TRUE(Create());
  const std::string delta_manifest = folder_ / "delta/manifest.json";
  const Bytes good = ReadBytes(delta_manifest);
  const std::string text(good.begin(), good.end());
  const auto expect = [&](const std::string& from, const std::string& to, const std::string& problem) {
    const Status refused = ApplyEdited(from, to);
    ASSERT_FALSE(refused) << to;
    EXPECT_NE(refused.error().message.find(problem), std::string::npos) << refused.error().message;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "new"));
    WriteBytes(delta_manifest, good);
  };
  const std::string copy = "{\"copy\": [\"program-";
  const size_t place = text.find(copy);
  ASSERT_NE(place, std::string::npos) << text;
  const std::string whole = text.substr(place, text.find('}', place) - place);
  const std::string file = whole.substr(whole.find("program-"), 24);
  const auto with = [&](const std::string& numbers) { return "{\"copy\": [\"" + file + "\", " + numbers + "]"; };
  expect(whole, with("0, 300001"), "refers to 300001 bytes at 0x0 of '" + file + "', which has 300000 bytes");
  expect(whole, with("18446744073709551615, 2"), "refers to 2 bytes at 0xffffffffffffffff");
  expect(whole, with("0, 5"), "bytes of 'program-");
  expect(whole, "{\"copy\": [\"program-000000000000.pte\", 0, 5]", "is no file of the older release");
  expect(whole, "{\"copy\": [\"../x\", 0, 5]", "which is not portable");
  expect(whole, with("0, 5") + ", \"unpacked_bytes\": 7", "is copy and has 'unpacked_bytes'");
  expect("\"take\": [\"delta-", "\"take\": [\"delte-", "is no file of the delta");
  expect("\"file\": \"manifest.json\"", "\"file\": \"manifest.jsom\"", "delta does not make 'manifest.json'");
  expect("\"dictionary\": [\"manifest.json\", 0, ", "\"dictionary\": [\"manifest.json\", 1, ", "refers to ");
  expect("\"unpacked_bytes\": ", "\"unpacked_bytes\": 9", "unpacks to ");
}

TEST_F(Delta, WithALargeDictionaryIsRefused) {
  const Bytes large = Noise(6'000'000, 8);
  MakeRelease(folder_ / "v3", {{"a", first_, {large}}});
  ASSERT_TRUE(CreateDelta(folder_ / "v3", folder_ / "v2", folder_ / "delta", {}));
  const std::string name = NameOf("shared-", "v3");
  const Bytes manifest = ReadBytes(folder_ / "delta/manifest.json");
  std::string text(manifest.begin(), manifest.end());
  const size_t place = text.find("\"dictionary\": [\"manifest.json\", 0, ");
  ASSERT_NE(place, std::string::npos);
  text.replace(place, text.find(']', place) - place, "\"dictionary\": [\"" + name + "\", 0, 5000000");
  WriteBytes(folder_ / "delta/manifest.json", {text.begin(), text.end()});
  const Result<ApplyReport> refused = ApplyDelta(folder_ / "delta", folder_ / "v3", folder_ / "new", {});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("has a dictionary of 5000000 bytes, at most 4194304 are used"),
            std::string::npos);
}

TEST_F(Delta, GoesIntoNoFolderOfAnotherRelease) {
  ASSERT_TRUE(Create());
  MakeRelease(folder_ / "other", {{"c", first_, {}}});
  const Result<ApplyReport> refused = Apply("other");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "holds another release");
  EXPECT_EQ(ApplyDelta(folder_ / "delta", folder_ / "v1", folder_ / "delta", {true, false, {}}).error().message,
            "is the delta");
}

}  // namespace
}  // namespace pteedit::test::delta_test
