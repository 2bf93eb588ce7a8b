#include "io/temporary_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "file_contents.h"
#include "io/append_source.h"
#include "io/posix_file.h"
#include "program_builder.h"

namespace pteedit::temporary_file_test {
namespace {

using test::BytesOf;
using test::ReadBytes;
using test::TemporaryFolder;
using test::Words;
using test::WriteBytes;
using Names = std::vector<std::string>;

const std::vector<uint8_t> kOld{'o', 'l', 'd'};
const std::vector<uint8_t> kNew{'n', 'e', 'w', '!'};

TemporaryFile Written(const std::string& target) {
  auto file = TemporaryFile::CreateFor(target, FolderOf(target), 0666);
  EXPECT_TRUE(file) << Words(file);
  EXPECT_TRUE(file->Append({kNew.data(), kNew.size()}));
  EXPECT_TRUE(file->Seal());
  return *std::move(file);
}

mode_t PermissionsOf(const std::string& path) {
  struct stat status {};
  EXPECT_EQ(stat(path.c_str(), &status), 0);
  return status.st_mode & 0777;
}

// All tests also with the plain POSIX calls.
class TemporaryFileTest : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override { UseOnlyPlainPosix(GetParam()); }
  void TearDown() override { UseOnlyPlainPosix(false); }

  const TemporaryFolder folder_;
  const std::string target_ = folder_ / "out.pte";
};
INSTANTIATE_TEST_SUITE_P(Calls, TemporaryFileTest, testing::Values(false, true));

TEST_P(TemporaryFileTest, HasNoNameWhereFilesCanDoWithout) {
  {
    const TemporaryFile file = Written(target_);
    if (GetParam()) {
      ASSERT_EQ(folder_.Names().size(), 1U);
      EXPECT_TRUE(folder_.Names()[0].starts_with(".out.pte."));
    }
    EXPECT_EQ(file.has_name(), folder_.Names().size() == 1);
  }
  EXPECT_EQ(folder_.Names(), Names());
}

TEST_P(TemporaryFileTest, HasANameOfItsOwnEachTime) {
  const TemporaryFile first = Written(target_);
  const TemporaryFile second = Written(target_);
  EXPECT_EQ(folder_.Names().size(), GetParam() ? 2U : first.has_name() + second.has_name());
}

TEST_P(TemporaryFileTest, NamesAreShortEnoughForLongTargets) {
  const std::string target = folder_ / std::string(255, 'x');
  WriteBytes(target, kOld);
  ASSERT_TRUE(Written(target).MoveTo(target, true));
  EXPECT_EQ(ReadBytes(target), kNew);
}

TEST_P(TemporaryFileTest, MovesWithItsFile) {
  TemporaryFile file = Written(folder_ / "a");
  TemporaryFile moved = std::move(file);
  file = Written(folder_ / "b");
  moved = std::move(file);
  ASSERT_TRUE(moved.MoveTo(folder_ / "b", false));
  file = Written(folder_ / "c");
}

TEST_P(TemporaryFileTest, CannotBeWrittenOnceItIsSealed) {
  TemporaryFile file = *TemporaryFile::CreateFor(target_, folder_.path(), 0666);
  ASSERT_TRUE(file.Append({kNew.data(), kNew.size()}));
  const auto sealed = file.Seal();
  ASSERT_TRUE(sealed) << Words(sealed);
  EXPECT_EQ((*sealed)->size(), kNew.size());
  EXPECT_EQ(fcntl((*sealed)->file_place().descriptor, F_GETFL) & O_ACCMODE, O_RDONLY);
  EXPECT_EQ(Words(file.Append({kOld.data(), kOld.size()})), target_ + ": cannot write: Bad file descriptor");
}

class PartialFileTest : public TemporaryFileTest {
 protected:
  static TemporaryFile Resume(const std::string& target) {
    auto file = TemporaryFile::ResumeFor(target, 0640);
    EXPECT_TRUE(file) << Words(file);
    return *std::move(file);
  }

  // How many bytes this process writes to make the file.
  uint64_t WrittenToMakeIt() const {
    TemporaryFile file = Resume(target_);
    EXPECT_TRUE(file.Reserve(bytes_.size()));
    const uint64_t before = WrittenBytes();
    for (size_t i = 0; i < bytes_.size(); i += 1000)
      EXPECT_TRUE(file.Append({bytes_.data() + i, std::min<size_t>(1000, bytes_.size() - i)}));
    const uint64_t written = WrittenBytes() - before;
    EXPECT_TRUE(file.Seal());
    EXPECT_TRUE(file.MoveTo(target_, true));
    EXPECT_TRUE(file.RemoveRest());
    EXPECT_EQ(ReadBytes(target_), bytes_);
    return written;
  }

  static uint64_t WrittenBytes() {
    std::ifstream file("/proc/self/io");
    std::string word;
    uint64_t number = 0;
    while (file >> word >> number && word != "wchar:") {
    }
    EXPECT_EQ(word, "wchar:");
    return number;
  }

  std::vector<uint8_t> Begin() const { return {bytes_.begin(), bytes_.begin() + 6000}; }

  const std::vector<uint8_t> bytes_ = test::Pattern(10500, 1);
  const std::string partial_ = folder_ / ".out.pte.partial";
};
INSTANTIATE_TEST_SUITE_P(Calls, PartialFileTest, testing::Values(false, true));

TEST_P(PartialFileTest, StaysHoweverTheProcessEnds) {
  {
    TemporaryFile file = Resume(target_);
    ASSERT_TRUE(file.Append({kNew.data(), kNew.size()}));
    RemoveTemporaryFiles();
  }
  EXPECT_EQ(folder_.Names(), Names{".out.pte.partial"});
  EXPECT_EQ(PartialBytes(target_), kNew.size());
}

TEST_P(PartialFileTest, WritesOnlyWhatIsNotThere) {
  WriteBytes(partial_, Begin());
  EXPECT_EQ(WrittenToMakeIt(), 4500U);
  EXPECT_EQ(folder_.Names(), Names{"out.pte"});
  EXPECT_EQ(PermissionsOf(target_) & 0137, 0U);
}

TEST_P(PartialFileTest, WritesFromWhereSomethingElseIsThere) {
  std::vector<uint8_t> other = bytes_;
  other[4321] ^= 1;
  other.resize(20000);
  WriteBytes(partial_, other);
  EXPECT_EQ(WrittenToMakeIt(), bytes_.size() - 4000);
}

TEST_P(PartialFileTest, CopiesNothingOverWhatIsToBeCompared) {
  WriteBytes(partial_, Begin());
  WriteBytes(folder_ / "in", bytes_);
  const auto source = *OpenFileSource(folder_ / "in");
  TemporaryFile file = Resume(target_);
  EXPECT_EQ(file.AppendInKernel(source->file_place(), bytes_.size()), 0U);
  ASSERT_TRUE(AppendSource(*source, {0, bytes_.size()}, file));
  ASSERT_TRUE(file.Seal());
  ASSERT_TRUE(file.MoveTo(target_, true));
  EXPECT_EQ(ReadBytes(target_), bytes_);
}

TEST_P(PartialFileTest, TouchesNobodyElsesFile) {
  WriteBytes(folder_ / "other", Begin());
  std::filesystem::create_symlink("other", partial_);
  EXPECT_EQ(WrittenToMakeIt(), bytes_.size());
  std::filesystem::remove(partial_);
  std::filesystem::create_hard_link(folder_ / "other", partial_);
  EXPECT_EQ(WrittenToMakeIt(), bytes_.size());
  EXPECT_EQ(ReadBytes(folder_ / "other"), Begin());
}

TEST_P(PartialFileTest, IsLeftToWhoIsAtIt) {
  TemporaryFile first = Resume(target_);
  ASSERT_TRUE(first.Append({bytes_.data(), bytes_.size()}));
  EXPECT_EQ(WrittenToMakeIt(), bytes_.size());
  ASSERT_TRUE(first.Seal());
  ASSERT_TRUE(first.MoveTo(target_, true));
  EXPECT_EQ(folder_.Names(), Names{"out.pte"});
}

TEST_P(PartialFileTest, GoesWhenItIsDropped) {
  TemporaryFile file = Resume(target_);
  file.Drop();
  EXPECT_EQ(folder_.Names(), Names());
}

TEST_P(TemporaryFileTest, GoesWhenASignalEndsTheProcess) {
  const TemporaryFile file = Written(target_);
  RemoveTemporaryFiles();
  EXPECT_EQ(folder_.Names(), Names());
}

TEST_P(TemporaryFileTest, StaysInItsPlaceWhateverEndsTheProcess) {
  TemporaryFile file = Written(target_);
  ASSERT_TRUE(file.MoveTo(target_, false));
  RemoveTemporaryFiles();
  EXPECT_EQ(folder_.Names(), Names{"out.pte"});
}

TEST_P(TemporaryFileTest, IsRenamedToItsTarget) {
  TemporaryFile file = Written(target_);
  ASSERT_TRUE(file.MoveTo(target_, false));
  ASSERT_TRUE(file.RemoveRest());
  EXPECT_EQ(folder_.Names(), Names{"out.pte"});
  EXPECT_EQ(ReadBytes(target_), kNew);
}

TEST_P(TemporaryFileTest, ReplacesOnlyWhenTold) {
  WriteBytes(target_, kOld);
  TemporaryFile file = Written(target_);
  const Status refused = file.MoveTo(target_, false);
  EXPECT_EQ(Words(refused), folder_ / "out.pte: the output exists already");
  EXPECT_EQ(refused.error().code, ErrorCode::kExists);
  EXPECT_EQ(ReadBytes(target_), kOld);
  ASSERT_TRUE(file.MoveTo(target_, true));
  EXPECT_EQ(ReadBytes(target_), kNew);
}

TEST_P(TemporaryFileTest, DropsWhatWasReservedButNotWritten) {
  auto file = TemporaryFile::CreateFor(target_, folder_.path(), 0666);
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->Reserve(1 << 20));
  ASSERT_TRUE(file->Append({kNew.data(), kNew.size()}));
  const auto sealed = file->Seal();
  ASSERT_TRUE(sealed);
  EXPECT_EQ(BytesOf(**sealed, {0, (*sealed)->size()}), kNew);
}

TEST_P(TemporaryFileTest, CannotBeInAFolderThatIsMissing) {
  EXPECT_EQ(Words(TemporaryFile::CreateFor(folder_ / "no/out.pte", folder_ / "no", 0666)),
            folder_ / "no/out.pte: cannot create: No such file or directory");
}

TEST_P(TemporaryFileTest, CannotReplaceAFolder) {
  std::filesystem::create_directory(target_);
  TemporaryFile file = Written(target_);
  EXPECT_EQ(Words(file.MoveTo(target_, true)), folder_ / "out.pte: cannot create: Is a directory");
}

TEST_P(TemporaryFileTest, GetsThePermissionsItIsGivenLessTheUmask) {
  const mode_t before = umask(027);
  ASSERT_TRUE(Written(target_).MoveTo(target_, false));
  umask(before);
  EXPECT_EQ(PermissionsOf(target_), 0640U);
}

TEST_P(TemporaryFileTest, KeepsThePermissionsOfTheFileThatItReplaces) {
  WriteBytes(target_, kOld);
  ASSERT_EQ(chmod((target_).c_str(), 0604), 0);
  ASSERT_TRUE(Written(target_).MoveTo(target_, true));
  EXPECT_EQ(PermissionsOf(target_), 0604U);
}

TEST_P(TemporaryFileTest, CopiesPartsOfFilesWhetherTheKernelDoesItOrNot) {
  const std::vector<uint8_t> bytes = test::Pattern(3'000'000, 1);
  WriteBytes(folder_ / "in", bytes);
  const auto source = *OpenFileSource(folder_ / "in");
  auto file = TemporaryFile::CreateFor(folder_ / "out", folder_.path(), 0666);
  ASSERT_TRUE(file);
  EXPECT_EQ(AppendSource(*source, {1000, 2'000'000}, *file).value(), true);
  EXPECT_EQ(AppendSource(*source, {5, 1000}, *file).value(), false);
  const auto sealed = file->Seal();
  ASSERT_TRUE(sealed);
  EXPECT_TRUE(BytesOf(**sealed, {0, 2'000'000}) == BytesOf(*source, {1000, 2'000'000}));
  EXPECT_TRUE(BytesOf(**sealed, {2'000'000, (*sealed)->size() - 2'000'000}) == BytesOf(*source, {5, 1000}));
}

TEST_P(TemporaryFileTest, TellsThatAFileWhichItCopiesWasCut) {
  const std::string path = folder_ / "in";
  WriteBytes(path, test::Pattern(3'000'000, 1));
  const auto source = *OpenFileSource(path);
  std::filesystem::resize_file(path, 2'000'000);
  auto file = TemporaryFile::CreateFor(folder_ / "out", folder_.path(), 0666);
  ASSERT_TRUE(file);
  EXPECT_LE(file->AppendInKernel({source->file_place().descriptor, 1'500'000}, 1'500'000), 500'000U);
  const std::string words = Words(AppendSource(*source, {0, 3'000'000}, *file));
  EXPECT_EQ(words.substr(0, path.size() + 14), path + ": cannot read ");
  EXPECT_NE(words.find("the file ends there; it had 3000000 bytes when it was opened"), std::string::npos) << words;
}

TEST_P(TemporaryFileTest, CanBeReadAsItIsWhileItIsWritten) {
  auto file = TemporaryFile::CreateFor(target_, folder_.path(), 0666);
  ASSERT_TRUE(file);
  const auto source = file->AsSource(5);
  ASSERT_TRUE(file->Append({kNew.data(), kNew.size()}));
  EXPECT_EQ(file->written(), kNew.size());
  EXPECT_EQ(BytesOf(*source, {0, kNew.size()}), kNew);
  ASSERT_TRUE(file->WriteOver(0, {kOld.data(), kOld.size()}));
  EXPECT_EQ(BytesOf(*source, {0, kOld.size()}), kOld);  // not what was given first
  std::vector<uint8_t> more(5);
  EXPECT_EQ(Words(source->Read(0, {more.data(), more.size()})), target_ + ": cannot read back what was written");
}

TEST(TemporaryFile, HoldsItsLockUntilItHasItsPlace) {
  for (const bool plain : {false, true}) {
    UseOnlyPlainPosix(plain);
    const TemporaryFolder folder;
    WriteBytes(folder / "out.pte", kOld);
    auto file = TemporaryFile::CreateFor(folder / "out.pte", folder.path(), 0644).value();
    ASSERT_TRUE(file.Append({kNew.data(), kNew.size()}));
    const auto sealed = file.Seal().value();
    const int other = open(("/proc/self/fd/" + std::to_string(sealed->file_place().descriptor)).c_str(), O_RDONLY);
    EXPECT_NE(flock(other, LOCK_EX | LOCK_NB), 0);
    close(other);
    UseOnlyPlainPosix(false);
  }
}

}  // namespace
}  // namespace pteedit::temporary_file_test
