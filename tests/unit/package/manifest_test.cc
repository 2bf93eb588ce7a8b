#include "pteedit/package/manifest.h"

#include <gtest/gtest.h>

#include <string>

#include "pteedit/source.h"

namespace pteedit::manifest_test {
namespace {

std::string HashOf(char digit) { return std::string(64, digit); }

Manifest SmallManifest() {
  Manifest manifest;
  const std::string program = HashOf('1'), shared = HashOf('2'), compressed = HashOf('3'), token = HashOf('4');
  manifest.files = {
      {ReleaseFileName(FileRole::kProgram, program, "pte"), FileRole::kProgram, {}, 10, program, {}},
      {ReleaseFileName(FileRole::kShared, shared, "ptd"),
       FileRole::kShared,
       {},
       1000,
       shared,
       CompressedFile{ReleaseFileName(FileRole::kShared, compressed, "ptd.zst"), 100, compressed}},
      {ReleaseFileName(FileRole::kIncluded, token, "json"), FileRole::kIncluded, "tokenizer", 5, token, {}}};
  manifest.variants = {{"a", {{"soc", "x"}}, {}, 0, 0, 0, "0.7", 1}};
  for (const ReleaseFile& file : manifest.files) manifest.variants[0].files.push_back(file.file);
  manifest.bases = {{manifest.files[1].file, shared}};
  FinishManifest(manifest);
  return manifest;
}

Result<Manifest> Read(const std::string& text) {
  return ReadManifest(*MakeMemorySource("manifest.json", {text.begin(), text.end()}));
}

std::string Complaint(const std::string& text) {
  const Result<Manifest> read = Read(text);
  return read ? "none" : read.error().message;
}

// The text of SmallManifest with the first `from` in it replaced.
std::string Changed(const std::string& from, const std::string& to) {
  std::string text = ManifestText(SmallManifest());
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(Manifest, ReadsWhatItPrints) {
  Manifest manifest = SmallManifest();
  manifest.delta = ManifestDelta{HashOf('5'),
                                 {{manifest.files[0].file,
                                   manifest.files[0].sha256,
                                   {{true, "program-000000000000.pte", {5, 6}},
                                    {false, "delta.bin", {0, 4}},
                                    {false, "delta.bin", {4, 4}, 9, DeltaDictionary{"manifest.json", {1, 2}}}}}}};
  manifest.variants[0].labels["a \"name\\"] = "a \"value\\";
  const Result<Manifest> read = Read(ManifestText(manifest));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(ManifestText(*read), ManifestText(manifest));
  EXPECT_EQ(read->delta->files[0].operations[0].place.size, 6U);
}

TEST(Manifest, VariantsNameTargetsInPlainText) {
  Manifest manifest = SmallManifest();
  manifest.variants[0].targets = {"executorch-1.2", "phone.json"};
  EXPECT_EQ(Read(ManifestText(manifest))->variants[0].targets, manifest.variants[0].targets);
  EXPECT_NE(ReleaseId(manifest), ReleaseId(SmallManifest()));
  manifest.variants[0].targets = {""};
  EXPECT_EQ(Complaint(ManifestText(manifest)), "variant 0 has the target '', 1 to 255 bytes of text expected");
  EXPECT_EQ(Complaint(Changed("\"data_files\": 1", "\"data_files\": 1, \"targets\": [1]")),
            "variant 0 has something in 'targets' that is no text");
}

TEST(Manifest, SumsCountWhatIsDownloaded) {
  const Manifest manifest = SmallManifest();
  EXPECT_EQ(manifest.variants[0].download_bytes, 115U);
  EXPECT_EQ(manifest.variants[0].installed_bytes, 1015U);
  EXPECT_EQ(manifest.variants[0].largest_file_bytes, 100U);
}

TEST(Manifest, ReleaseIsTheSameWithADeltaAndAnotherWithOtherLabels) {
  Manifest manifest = SmallManifest();
  manifest.delta = ManifestDelta{HashOf('5'), {}};
  EXPECT_EQ(ReleaseId(manifest), manifest.release);
  manifest.variants[0].labels["soc"] = "y";
  EXPECT_NE(ReleaseId(manifest), manifest.release);
}

TEST(Manifest, AnUnknownMajorVersionIsUnsupportedAndMoreMembersAreNot) {
  const Result<Manifest> read = Read(Changed("\"1.0\"", "\"2.0\""));
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(read.error().message, "manifest has the schema version '2.0', only 1.x is understood");
  EXPECT_EQ(Complaint(Changed("\"1.0\",", "\"1.1\", \"news\": [1],")), "none");
}

TEST(Manifest, NamesThatLeadElsewhereAreRefused) {
  for (const char* name :
       {"../../etc/passwd", "/etc/passwd", "program-222222222222.pte", "program-111111111111/x",
        "program-111111111111..pte", "program-111111111111.pte/../x", "C:program-111111111111.pte"}) {
    EXPECT_EQ(Complaint(Changed("program-111111111111.pte", name)),
              "file 1 is called '" + std::string(name) + "', 'program-111111111111.<extension>' expected");
  }
  EXPECT_EQ(Complaint(Changed("\"tokenizer\"", "\"../tokenizer\"")),
            "file 0 has the name '../tokenizer', which is not portable");
}

TEST(Manifest, WhatIsThereTwiceIsRefused) {
  Manifest manifest = SmallManifest();
  manifest.files.push_back(manifest.files[1]);
  EXPECT_EQ(Complaint(ManifestText(manifest)), "two files are called 'program-111111111111.pte'");
  manifest = SmallManifest();
  manifest.variants.push_back(manifest.variants[0]);
  EXPECT_EQ(Complaint(ManifestText(manifest)), "two variants are called 'a'");
  manifest = SmallManifest();
  manifest.variants[0].files.push_back(manifest.variants[0].files[1]);
  EXPECT_EQ(Complaint(ManifestText(manifest)), "variant 'a' names 'shared-222222222222.ptd' twice");
  EXPECT_EQ(Complaint(Changed("{\"file\"", "{\"bytes\": 1, \"file\"")), "file 0 has member 'bytes' twice");
}

TEST(Manifest, SizesThatLieAreRefused) {
  EXPECT_EQ(Complaint(Changed("\"download_bytes\": 115", "\"download_bytes\": 11")),
            "variant 'a' says download_bytes 11, its files have 115");
  EXPECT_EQ(Complaint(Changed("\"bytes\": 10,", "\"bytes\": 18446744073709551615,")),
            "variant 'a' has files of more than 2^64 bytes");
  EXPECT_EQ(Complaint(Changed("\"bytes\": 10,", "\"bytes\": -1,")),
            "file 1 has -1 as its bytes, a whole number expected");
  EXPECT_EQ(Complaint(Changed("\"data_files\": 1", "\"data_files\": 3")),
            "variant 'a' says data_files 3, its files have 2");
}

TEST(Manifest, VariantsHoldAProgramFirstAndKnownFiles) {
  Manifest manifest = SmallManifest();
  std::swap(manifest.variants[0].files[0], manifest.variants[0].files[1]);
  std::swap(manifest.variants[0].files[0], manifest.variants[0].files[2]);
  EXPECT_EQ(Complaint(ManifestText(manifest)), "variant 'a' has no program as its first file");
  manifest.variants[0].files = {"x"};
  EXPECT_EQ(Complaint(ManifestText(manifest)), "variant 'a' names 'x', which is none of the files");
  manifest.variants[0].files.clear();
  EXPECT_EQ(Complaint(ManifestText(manifest)), "variant 'a' has no files");
}

TEST(Manifest, AMillionEntriesAreOneMessage) {
  std::string list = "[0";
  for (int i = 0; i < 1'000'000; ++i) list += ",0";
  EXPECT_EQ(Complaint("{\"schema_version\": \"1.0\", \"files\": " + list + "]}"),
            "manifest has more than 500000 values");
  EXPECT_EQ(Complaint(std::string((16 << 20) + 1, ' ')),
            "manifest has 16777217 bytes, at most 16777216 are looked into");
}

TEST(Manifest, EveryPrefixIsAnError) {
  const std::string text = ManifestText(SmallManifest());
  for (size_t size = 0; size + 1 < text.size(); ++size) EXPECT_FALSE(Read(text.substr(0, size))) << size;
}

TEST(Manifest, OperationsOfADeltaAreTakenOrCopied) {
  Manifest manifest = SmallManifest();
  manifest.delta = ManifestDelta{HashOf('5'), {{"x", HashOf('6'), {{true, "../x", {0, 1}}}}}};
  EXPECT_EQ(Complaint(ManifestText(manifest)), "delta file 0 operation 0 names '../x', which is not portable");
}

TEST(ReleaseFileName, TellsNamesOfReleasesFromOthers) {
  EXPECT_EQ(ReleaseFileName(FileRole::kShared, HashOf('a'), "ptd"), "shared-aaaaaaaaaaaa.ptd");
  for (const char* name : {"shared-0123456789ab.ptd", "included-0123456789ab", "shared-0123456789ab.ptd.zst"})
    EXPECT_TRUE(IsReleaseFileName(name)) << name;
  for (const char* name :
       {"shared.ptd", "shared-0123456789a.ptd", "shared-0123456789abc.ptd", "shared-0123456789AB.ptd", "manifest.json",
        "other-0123456789ab.ptd", "shared-0123456789ab.ptd~"})
    EXPECT_FALSE(IsReleaseFileName(name)) << name;
}

TEST(IsPartialFileName, TellsPartsOfFilesOfAReleaseFromOthers) {
  EXPECT_TRUE(IsPartialFileName(".shared-0123456789ab.ptd.partial"));
  for (const char* name :
       {"shared-0123456789ab.ptd.partial", ".shared-0123456789ab.ptd", ".shared.ptd.partial", ".partial", ".", ""})
    EXPECT_FALSE(IsPartialFileName(name)) << name;
}

TEST(IsPortableName, TakesWhatEveryFileSystemTakes) {
  for (const char* name : {"a", "Delta-1_2.bin"}) EXPECT_TRUE(IsPortableName(name)) << name;
  for (const char* name : {"", ".", "..", ".a", "-a", "a/b", "a\\b", "a b", "a:b", "\xc3\xa4"})
    EXPECT_FALSE(IsPortableName(name)) << name;
  EXPECT_FALSE(IsPortableName(std::string(256, 'a')));
}

}  // namespace
}  // namespace pteedit::manifest_test
