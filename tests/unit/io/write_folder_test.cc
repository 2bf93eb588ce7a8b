#include <gtest/gtest.h>

#include "file_contents.h"
#include "io/posix_file.h"
#include "pteedit/planned_file.h"
#include "small_files.h"
#include "test_files.h"

namespace pteedit::write_folder_test {
namespace {

using namespace pteedit::test;

Output SmallOutput(const std::string& path) {
  PlannedFile file;
  const std::vector<uint8_t> bytes = ProgramBytes(SmallProgram());
  file.Append(MakeMemorySource("small", bytes), {0, bytes.size()});
  return {path, file};
}

Output BrokenOutput(const std::string& path) {
  PlannedFile file;
  file.Append(MakeCallbackSource("remote", 3, [](uint64_t, MutableByteSpan) -> Status { return IoError("lost"); }),
              {0, 3});
  return {path, file};
}

WriteOptions Replacing() {
  WriteOptions options;
  options.replace = true;
  return options;
}

// All tests also with the plain POSIX calls.
class WriteFolderTest : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override { UseOnlyPlainPosix(GetParam()); }
  void TearDown() override { UseOnlyPlainPosix(false); }

  // Leaves a folder "out" with one file.
  void MakeExisting() const { ASSERT_TRUE(WriteFolder(folder_ / "out", {SmallOutput("old.pte")}, {}, {})); }
  std::vector<std::string> Files() const { return *FilesBelow(folder_.path()); }

  const TemporaryFolder folder_;
};
INSTANTIATE_TEST_SUITE_P(Calls, WriteFolderTest, testing::Values(false, true));

TEST_P(WriteFolderTest, WritesFilesAndFoldersInside) {
  const auto written = WriteFolder(folder_ / "out/", {SmallOutput("a.pte"), SmallOutput("v1/b/a.pte")}, {}, {});
  ASSERT_TRUE(written) << Words(written);
  EXPECT_EQ((*written)[1].path, "v1/b/a.pte");
  EXPECT_EQ(Files(), (std::vector<std::string>{"out/a.pte", "out/v1/b/a.pte"}));
  EXPECT_EQ(ReadBytes(folder_ / "out/a.pte"), ProgramBytes(SmallProgram()));
}

TEST_P(WriteFolderTest, KeepsThePermissionsOfTheFolderThatItReplaces) {
  MakeExisting();
  std::filesystem::permissions(folder_ / "out", std::filesystem::perms(0700));
  std::filesystem::permissions(folder_ / "out/old.pte", std::filesystem::perms(0600));
  ASSERT_TRUE(WriteFolder(folder_ / "out", {SmallOutput("old.pte")}, {}, Replacing()));
  EXPECT_EQ(std::filesystem::status(folder_ / "out").permissions(), std::filesystem::perms(0700));
  EXPECT_EQ(std::filesystem::status(folder_ / "out/old.pte").permissions(), std::filesystem::perms(0600));
}

// A file in the way of the folder "v" of the new folder, as nobody else makes one.
TEST_P(WriteFolderTest, OutputThatIsTheFolderOfAnotherLeavesNothing) {
  const auto written = WriteFolder(folder_ / "out", {SmallOutput("v"), SmallOutput("v/a.pte")}, {}, {});
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::kIo);
  EXPECT_TRUE(folder_.Names().empty());
}

TEST_P(WriteFolderTest, RefusesAnExistingFolder) {
  MakeExisting();
  const auto written = WriteFolder(folder_ / "out", {SmallOutput("a.pte")}, {}, {});
  EXPECT_EQ(Words(written), (folder_ / "out") + ": the output folder exists already");
  EXPECT_EQ(written.error().code, ErrorCode::kExists);
}

TEST_P(WriteFolderTest, ReplacesAWholeFolder) {
  MakeExisting();
  const auto written = WriteFolder(folder_ / "out", {SmallOutput("a.pte")}, {}, Replacing());
  ASSERT_TRUE(written) << Words(written);
  EXPECT_EQ(Files(), (std::vector<std::string>{"out/a.pte"}));
}

TEST_P(WriteFolderTest, ReplacesTheFolderThatALinkLeadsTo) {
  MakeExisting();
  std::filesystem::create_directory_symlink("out", folder_ / "link");
  ASSERT_TRUE(WriteFolder(folder_ / "link", {SmallOutput("a.pte")}, {}, Replacing()));
  EXPECT_EQ(Files(), (std::vector<std::string>{"link", "out/a.pte"}));
}

TEST_P(WriteFolderTest, FailureLeavesTheOldFolder) {
  MakeExisting();
  const auto written = WriteFolder(folder_ / "out", {SmallOutput("a.pte"), BrokenOutput("b.pte")}, {}, Replacing());
  ASSERT_FALSE(written);
  EXPECT_EQ(Words(written), "remote: lost");
  EXPECT_EQ(Files(), (std::vector<std::string>{"out/old.pte"}));
}

TEST_P(WriteFolderTest, FailureLeavesNothing) {
  ASSERT_FALSE(WriteFolder(folder_ / "out", {SmallOutput("v/a.pte"), BrokenOutput("b.pte")}, {}, {}));
  EXPECT_TRUE(folder_.Names().empty());
}

TEST_P(WriteFolderTest, StoppingLeavesNothing) {
  WriteOptions options;
  options.progress = [](uint64_t, uint64_t) { return false; };
  EXPECT_FALSE(WriteFolder(folder_ / "out", {SmallOutput("a.pte")}, {}, options));
  EXPECT_TRUE(folder_.Names().empty());
}

TEST_P(WriteFolderTest, RefusesAFolderThatHoldsAnInput) {
  MakeExisting();
  std::filesystem::create_directory_symlink("out", folder_ / "link");
  const std::string input = folder_ / "link/old.pte";
  const auto written = WriteFolder(folder_ / "out", {SmallOutput("a.pte")}, {input}, Replacing());
  EXPECT_EQ(Words(written),
            (folder_ / "out") + ": the input '" + input + "' is inside the output folder; inputs are never changed");
}

TEST_P(WriteFolderTest, RefusesAnOutputThatIsAnInputUnderAnotherName) {
  MakeExisting();
  std::filesystem::create_hard_link(folder_ / "out/old.pte", folder_ / "input.pte");
  const auto written = WriteFolder(folder_ / "out", {SmallOutput("old.pte")}, {folder_ / "input.pte"}, Replacing());
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().message,
            "the output is the input '" + (folder_ / "input.pte") + "'; inputs are never changed");
}

TEST_P(WriteFolderTest, RefusesToReplaceAFolderOfOtherFiles) {
  std::filesystem::create_directories(folder_ / "out/notes");
  WriteBytes(folder_ / "out/notes/thesis.txt", {1});
  const auto written = WriteFolder(folder_ / "out", {SmallOutput("a.pte")}, {}, Replacing());
  EXPECT_EQ(Words(written),
            (folder_ / "out") + ": holds 'notes/thesis.txt'; only a folder of .pte and .ptd files is replaced");
}

TEST_P(WriteFolderTest, RefusesAFileInThePlaceOfTheFolder) {
  WriteBytes(folder_ / "out", {1});
  EXPECT_EQ(Words(WriteFolder(folder_ / "out", {SmallOutput("a.pte")}, {}, Replacing())),
            (folder_ / "out") + ": is not a folder");
}

TEST_P(WriteFolderTest, RefusesTwoOutputsOfOneName) {
  EXPECT_EQ(Words(WriteFolder(folder_ / "out", {SmallOutput("a.pte"), SmallOutput("a.pte")}, {}, {})),
            (folder_ / "out") + ": two outputs are called 'a.pte'");
}

TEST_P(WriteFolderTest, RefusesAPlaceWithoutAFolderAbove) {
  const auto written = WriteFolder(folder_ / "no/out", {SmallOutput("a.pte")}, {}, {});
  EXPECT_EQ(Words(written), (folder_ / "no/out") + ": cannot create: its folder does not exist");
  EXPECT_EQ(written.error().code, ErrorCode::kIo);
}

TEST(OpenFileSources, GivesOneSourceForOneFile) {
  const TemporaryFolder folder;
  WriteBytes(folder / "a", {1});
  WriteBytes(folder / "b", {1});
  std::filesystem::create_hard_link(folder / "a", folder / "c");
  const auto sources = OpenFileSources({folder / "a", folder / "b", folder / "c"});
  ASSERT_TRUE(sources) << Words(sources);
  EXPECT_EQ((*sources)[0], (*sources)[2]);
  EXPECT_NE((*sources)[0], (*sources)[1]);
  EXPECT_EQ((*sources)[2]->name(), folder / "a");
}

TEST(OpenFileSources, NamesTheFileThatIsNotThere) {
  const TemporaryFolder folder;
  EXPECT_EQ(OpenFileSources({folder / "a"}).error().file, folder / "a");
}

}  // namespace
}  // namespace pteedit::write_folder_test
