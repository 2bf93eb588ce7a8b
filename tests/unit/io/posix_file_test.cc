#include "io/posix_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "file_contents.h"
#include "io/streaming.h"

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

TEST(ReadSample, GivesWhatReadGives) {
  const TemporaryFolder folder;
  std::vector<uint8_t> bytes(kStreamPieceBytes + 5000);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i % 251);
  WriteBytes(folder / "file", bytes);
  const auto source = *OpenFileSource(folder / "file");
  std::vector<uint8_t> sample(4096);
  for (const Extent content : {Extent{100, 6000}, Extent{100, kStreamPieceBytes + 4096}}) {
    for (const uint64_t offset : {uint64_t{0}, content.size - sample.size()}) {
      ASSERT_TRUE(ReadSample(*source, content, offset, {sample.data(), sample.size()}));
      const auto begin = bytes.begin() + static_cast<ptrdiff_t>(content.offset + offset);
      EXPECT_TRUE(std::equal(sample.begin(), sample.end(), begin)) << content.size << " " << offset;
    }
  }
  truncate((folder / "file").c_str(), 4096);
  EXPECT_FALSE(ReadSample(*source, {0, kStreamPieceBytes + 1}, 8192, {sample.data(), sample.size()}));
}

#if defined(__linux__)
// What a sample brings into memory would have the rest read in small pieces.
TEST(ReadSample, LeavesNothingInMemoryOfALargeContent) {
  constexpr int kDontCache = 0x80;
  constexpr uint64_t kPage = 4096, kSize = 4 * kStreamPieceBytes, kPlace = 2 * kStreamPieceBytes;
  const TemporaryFolder folder;
  WriteBytes(folder / "file", std::vector<uint8_t>(kSize, 7));
  const int file = open((folder / "file").c_str(), O_RDONLY | O_CLOEXEC);
  fsync(file);
  posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
  std::vector<uint8_t> bytes(kPage);
  const iovec one{bytes.data(), bytes.size()};
  const bool can = !OnlyPlainPosix() && preadv2(file, &one, 1, 0, kDontCache) >= 0;
  void* const map = mmap(nullptr, kSize, PROT_READ, MAP_SHARED, file, 0);
  const auto is_in_memory = [&] {
    unsigned char is_there = 0;
    mincore(static_cast<char*>(map) + kPlace, kPage, &is_there);
    return (is_there & 1) != 0;
  };
  const bool was_in_memory = is_in_memory();  // of a file system that is memory
  const auto source = *OpenFileSource(folder / "file");
  EXPECT_TRUE(ReadSample(*source, {0, kSize}, kPlace, {bytes.data(), bytes.size()}));
  const bool is_now = is_in_memory();
  munmap(map, kSize);
  close(file);
  if (!can || was_in_memory) GTEST_SKIP() << "the system cannot read without keeping";
  EXPECT_FALSE(is_now);
}
#endif

}  // namespace
}  // namespace pteedit::posix_file_test
