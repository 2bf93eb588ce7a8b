#include "io/posix_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file_contents.h"

namespace pteedit::posix_file_test {
namespace {

using test::TemporaryFolder;
using test::Words;
using test::WriteBytes;

const std::vector<uint8_t> kOld{'o', 'l', 'd'};

TEST(Path, IsCutAtTheLastSlash) {
  EXPECT_EQ(BaseName("a/b/model.pte"), "model.pte");
  EXPECT_EQ(BaseName("model.pte"), "model.pte");
  EXPECT_EQ(FolderOf("a/b/model.pte"), "a/b");
  EXPECT_EQ(FolderOf("model.pte"), ".");
  EXPECT_EQ(FolderOf("/model.pte"), "/");
}

TEST(FileIdentity, IsTheSameForAllNamesOfAFile) {
  const TemporaryFolder folder;
  WriteBytes(folder / "file", kOld);
  WriteBytes(folder / "other", kOld);
  ASSERT_EQ(link((folder / "file").c_str(), (folder / "hard").c_str()), 0);
  std::filesystem::create_symlink("file", folder / "soft");
  EXPECT_EQ(IdentityOf(folder / "file"), IdentityOf(folder / "hard"));
  EXPECT_EQ(IdentityOf(folder / "file"), IdentityOf(folder / "soft"));
  EXPECT_EQ(IdentityOf(folder / "file"), IdentityOf(folder / "./file"));
  EXPECT_NE(IdentityOf(folder / "file"), IdentityOf(folder / "other"));
  EXPECT_EQ(IdentityOf(folder / "missing"), std::nullopt);
  EXPECT_EQ(IdentityOfFolder(folder / "missing"), IdentityOf(folder.path()));
}

TEST(PathExists, SeesDanglingLinks) {
  const TemporaryFolder folder;
  std::filesystem::create_symlink("nowhere", folder / "dangling");
  EXPECT_TRUE(PathExists(folder / "dangling"));
  EXPECT_FALSE(PathExists(folder / "missing"));
}

TEST(FreeBytes, IsKnownForFolders) {
  const TemporaryFolder folder;
  EXPECT_TRUE(FreeBytes(folder.path()));
  EXPECT_EQ(Words(FreeBytes(folder / "missing")), folder / "missing: cannot write there: No such file or directory");
}

TEST(CommonPermissions, AreThoseThatAllFilesHave) {
  const TemporaryFolder folder;
  WriteBytes(folder / "a", kOld);
  WriteBytes(folder / "b", kOld);
  ASSERT_EQ(chmod((folder / "a").c_str(), 0640), 0);
  ASSERT_EQ(chmod((folder / "b").c_str(), 0604), 0);
  EXPECT_EQ(CommonPermissions({folder / "a"}), 0640U);
  EXPECT_EQ(CommonPermissions({folder / "a", folder / "b", folder / "missing", "/dev/null"}), 0600U);
  EXPECT_EQ(CommonPermissions({folder / "missing", "/dev/null"}), 0666U);
}

TEST(CheckCreatable, TellsWhyNot) {
  const TemporaryFolder folder;
  WriteBytes(folder / "file", kOld);
  EXPECT_TRUE(CheckCreatable(folder / "new"));
  EXPECT_TRUE(CheckCreatable(folder / "file"));
  const std::string below = folder / "file/new", long_one = folder / std::string(300, 'x');
  EXPECT_EQ(Words(CheckCreatable(below)), below + ": cannot create: Not a directory");
  EXPECT_EQ(Words(CheckCreatable(long_one)), long_one + ": cannot create: File name too long");
  EXPECT_EQ(CheckCreatable(below).error().code, ErrorCode::kIo);
}

}  // namespace
}  // namespace pteedit::posix_file_test
