#include "posix_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file_contents.h"

namespace pteedit {
namespace {

using test::ReadBytes;
using test::TemporaryFolder;
using test::Words;
using test::WriteBytes;
using Names = std::vector<std::string>;

const std::vector<uint8_t> kOld{'o', 'l', 'd'};
const std::vector<uint8_t> kNew{'n', 'e', 'w', '!'};

TemporaryFile Written(const std::string& target) {
  auto file = TemporaryFile::CreateFor(target);
  EXPECT_TRUE(file) << Words(file);
  EXPECT_TRUE(file->Append({kNew.data(), kNew.size()}));
  return *std::move(file);
}

mode_t PermissionsOf(const std::string& path) {
  struct stat status {};
  EXPECT_EQ(stat(path.c_str(), &status), 0);
  return status.st_mode & 0777;
}

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

TEST(TemporaryFile, LiesHiddenBesideItsTargetAndGoesAway) {
  const TemporaryFolder folder;
  {
    const TemporaryFile file = Written(folder / "out.pte");
    ASSERT_EQ(folder.Names().size(), 1U);
    EXPECT_TRUE(folder.Names()[0].starts_with(".out.pte."));
    EXPECT_EQ(file.path(), folder / folder.Names()[0]);
  }
  EXPECT_EQ(folder.Names(), Names());
}

TEST(TemporaryFile, HasANameOfItsOwnEachTime) {
  const TemporaryFolder folder;
  const TemporaryFile first = Written(folder / "out.pte");
  const TemporaryFile second = Written(folder / "out.pte");
  EXPECT_NE(first.path(), second.path());
}

TEST(TemporaryFile, MovesWithItsFile) {
  const TemporaryFolder folder;
  TemporaryFile file = Written(folder / "a");
  TemporaryFile moved = std::move(file);
  file = Written(folder / "b");
  moved = std::move(file);
  ASSERT_TRUE(moved.RenameTo(folder / "b", false));
  file = Written(folder / "c");
}

TEST(TemporaryFile, IsRenamedToItsTarget) {
  const TemporaryFolder folder;
  TemporaryFile file = Written(folder / "out.pte");
  ASSERT_TRUE(file.Sync());
  ASSERT_TRUE(file.RenameTo(folder / "out.pte", false));
  EXPECT_EQ(folder.Names(), Names{"out.pte"});
  EXPECT_EQ(ReadBytes(folder / "out.pte"), kNew);
}

TEST(TemporaryFile, ReplacesOnlyWhenTold) {
  const TemporaryFolder folder;
  WriteBytes(folder / "out.pte", kOld);
  TemporaryFile file = Written(folder / "out.pte");
  const Status refused = file.RenameTo(folder / "out.pte", false);
  EXPECT_EQ(Words(refused), folder / "out.pte: the output exists already; --force replaces it");
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(ReadBytes(folder / "out.pte"), kOld);
  ASSERT_TRUE(file.RenameTo(folder / "out.pte", true));
  EXPECT_EQ(ReadBytes(folder / "out.pte"), kNew);
}

TEST(TemporaryFile, DropsWhatWasReservedButNotWritten) {
  const TemporaryFolder folder;
  auto file = TemporaryFile::CreateFor(folder / "out.pte");
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->Reserve(1 << 20));
  ASSERT_TRUE(file->Append({kNew.data(), kNew.size()}));
  ASSERT_TRUE(file->Sync());
  EXPECT_EQ(ReadBytes(file->path()), kNew);
}

TEST(TemporaryFile, CannotBeInAFolderThatIsMissing) {
  const TemporaryFolder folder;
  EXPECT_EQ(Words(TemporaryFile::CreateFor(folder / "no/out.pte")),
            folder / "no/out.pte: cannot create: No such file or directory");
}

TEST(TemporaryFile, CannotReplaceAFolder) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "out.pte");
  TemporaryFile file = Written(folder / "out.pte");
  EXPECT_EQ(Words(file.RenameTo(folder / "out.pte", true)), folder / "out.pte: cannot create: Is a directory");
}

TEST(TemporaryFile, GetsThePermissionsOfAnyNewFile) {
  const TemporaryFolder folder;
  const mode_t before = umask(027);
  ASSERT_TRUE(Written(folder / "out.pte").RenameTo(folder / "out.pte", false));
  umask(before);
  EXPECT_EQ(PermissionsOf(folder / "out.pte"), 0640U);
}

TEST(TemporaryFile, KeepsThePermissionsOfTheFileThatItReplaces) {
  const TemporaryFolder folder;
  WriteBytes(folder / "out.pte", kOld);
  ASSERT_EQ(chmod((folder / "out.pte").c_str(), 0604), 0);
  ASSERT_TRUE(Written(folder / "out.pte").RenameTo(folder / "out.pte", true));
  EXPECT_EQ(PermissionsOf(folder / "out.pte"), 0604U);
}

TEST(TemporaryFile, CopiesFilesInsideTheKernelAsFarAsTheyGo) {
  const TemporaryFolder folder;
  WriteBytes(folder / "in", std::vector<uint8_t>(5000, 7));
  const auto source = *OpenFileSource(folder / "in");
  auto file = TemporaryFile::CreateFor(folder / "out");
  ASSERT_TRUE(file);
  const uint64_t copied = *file->AppendFromFile({source->file_place().descriptor, 1000}, 9000);
  EXPECT_LE(copied, 4000U);  // 0 where the file system cannot
  ASSERT_TRUE(file->Sync());
  EXPECT_EQ(ReadBytes(file->path()), std::vector<uint8_t>(copied, 7));
  UseOnlyPlainPosix(true);
  EXPECT_EQ(*file->AppendFromFile(source->file_place(), 5000), 0U);
  UseOnlyPlainPosix(false);
}

TEST(Backup, RestoresTheFileThatWasThere) {
  const TemporaryFolder folder;
  WriteBytes(folder / "out.pte", kOld);
  {
    Backup backup = Backup::Of(folder / "out.pte");
    ASSERT_TRUE(Written(folder / "out.pte").RenameTo(folder / "out.pte", true));
    backup.Restore(folder / "out.pte");
  }
  EXPECT_EQ(ReadBytes(folder / "out.pte"), kOld);
  EXPECT_EQ(folder.Names(), Names{"out.pte"});
}

TEST(Backup, OfNothingRestoresNothing) {
  const TemporaryFolder folder;
  Backup backup = Backup::Of(folder / "out.pte");
  ASSERT_TRUE(Written(folder / "out.pte").RenameTo(folder / "out.pte", true));
  backup.Restore(folder / "out.pte");
  EXPECT_EQ(folder.Names(), Names());
}

TEST(Backup, KeepsALinkALink) {
  const TemporaryFolder folder;
  WriteBytes(folder / "real", kOld);
  std::filesystem::create_symlink("real", folder / "out.pte");
  Backup backup = Backup::Of(folder / "out.pte");
  ASSERT_TRUE(Written(folder / "out.pte").RenameTo(folder / "out.pte", true));
  EXPECT_EQ(ReadBytes(folder / "real"), kOld);
  backup.Restore(folder / "out.pte");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "out.pte"));
}

TEST(Backup, GoesAwayWhenAllIsWell) {
  const TemporaryFolder folder;
  WriteBytes(folder / "out.pte", kOld);
  {
    Backup backup = Backup::Of(folder / "out.pte");
    EXPECT_EQ(folder.Names().size(), 2U);
    Backup moved = std::move(backup);
    backup = Backup();
    EXPECT_EQ(folder.Names().size(), 2U);
  }
  EXPECT_EQ(folder.Names(), Names{"out.pte"});
}

TEST(WriteToDescriptor, TellsThatTheDiskIsFull) {
  const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
  if (full < 0) GTEST_SKIP() << "no /dev/full";
  EXPECT_EQ(Words(WriteToDescriptor(full, {kNew.data(), kNew.size()})), "cannot write: No space left on device");
  close(full);
}

TEST(SyncFolder, AcceptsWhatCannotBeSynced) {
  const TemporaryFolder folder;
  EXPECT_TRUE(SyncFolder(folder.path()));
  EXPECT_TRUE(SyncFolder(folder / "missing"));
}

}  // namespace
}  // namespace pteedit
