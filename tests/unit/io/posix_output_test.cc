#include "io/posix_output.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "file_contents.h"
#include "io/posix_file.h"

namespace pteedit::posix_output_test {
namespace {

using test::ReadBytes;
using test::TemporaryFolder;
using test::Words;
using test::WriteBytes;
using Names = std::vector<std::string>;

const std::vector<uint8_t> kOld{'o', 'l', 'd'};
const std::vector<uint8_t> kNew{'n', 'e', 'w', '!'};

// As a new file takes its place.
void PutNew(const std::string& path) {
  WriteBytes(path + ".new", kNew);
  std::filesystem::rename(path + ".new", path);
}

TEST(Backup, RestoresTheFileThatWasThere) {
  const TemporaryFolder folder;
  WriteBytes(folder / "out.pte", kOld);
  {
    Backup backup = Backup::Of(folder / "out.pte");
    PutNew(folder / "out.pte");
    backup.Restore(folder / "out.pte");
  }
  EXPECT_EQ(ReadBytes(folder / "out.pte"), kOld);
  EXPECT_EQ(folder.Names(), Names{"out.pte"});
}

TEST(Backup, OfNothingRestoresNothing) {
  const TemporaryFolder folder;
  Backup backup = Backup::Of(folder / "out.pte");
  PutNew(folder / "out.pte");
  backup.Restore(folder / "out.pte");
  EXPECT_EQ(folder.Names(), Names());
}

TEST(Backup, KeepsALinkALink) {
  const TemporaryFolder folder;
  WriteBytes(folder / "real", kOld);
  std::filesystem::create_symlink("real", folder / "out.pte");
  Backup backup = Backup::Of(folder / "out.pte");
  PutNew(folder / "out.pte");
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

TEST(LinkOpenFile, GivesASecondNameWhateverHadIt) {
  for (const bool plain : {false, true}) {
    UseOnlyPlainPosix(plain);
    const TemporaryFolder folder;
    WriteBytes(folder / "a", kNew);
    WriteBytes(folder / "c", kOld);
    const auto source = OpenFileSource(folder / "a").value();
    for (const char* name : {"b", "c"}) {
      const Result<bool> linked = LinkOpenFile(source->file_place().descriptor, folder / "a", folder / name);
      ASSERT_TRUE(linked);
      EXPECT_TRUE(*linked);
      EXPECT_EQ(IdentityOf(folder / name), IdentityOf(folder / "a"));
    }
    EXPECT_EQ(folder.Names(), (Names{"a", "b", "c"}));
    UseOnlyPlainPosix(false);
  }
}

TEST(LinkOpenFile, TellsThatAnotherFileIsThere) {
  const TemporaryFolder folder;
  WriteBytes(folder / "a", kOld);
  const auto source = OpenFileSource(folder / "a").value();
  std::filesystem::rename(folder / "a", folder / "kept");
  WriteBytes(folder / "a", kNew);
  UseOnlyPlainPosix(true);
  const Result<bool> linked = LinkOpenFile(source->file_place().descriptor, folder / "a", folder / "b");
  UseOnlyPlainPosix(false);
  ASSERT_FALSE(linked);
  EXPECT_EQ(linked.error().message, "was replaced while it was read");
  EXPECT_EQ(folder.Names(), (Names{"a", "kept"}));
}

TEST(LinkOpenFile, SaysWhereThatCannotBe) {
  const TemporaryFolder folder;
  WriteBytes(folder / "a", kOld);
  const auto source = OpenFileSource(folder / "a").value();
  EXPECT_FALSE(LinkOpenFile(source->file_place().descriptor, folder / "a", folder / "missing/b").value());
}

TEST(MakeFolder, SaysWhetherItWasThere) {
  const TemporaryFolder folder;
  EXPECT_TRUE(MakeFolder(folder / "new").value());
  EXPECT_FALSE(MakeFolder(folder / "new").value());
  WriteBytes(folder / "file", kOld);
  EXPECT_FALSE(MakeFolder(folder / "file"));
  RemoveMadeFile(folder / "file");
  RemoveMadeFolder(folder / "new");
  EXPECT_TRUE(folder.Names().empty());
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
}  // namespace pteedit::posix_output_test
