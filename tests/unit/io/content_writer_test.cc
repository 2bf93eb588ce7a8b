#include "io/content_writer.h"

#include <gtest/gtest.h>

#include <functional>

#include "file_contents.h"
#include "io/digest.h"
#include "io/posix_file.h"
#include "program_builder.h"
#include "pteedit/try.h"
#include "test_files.h"

namespace pteedit::content_writer_test {
namespace {

using namespace pteedit::test;

PlannedFile PlanWith(const std::string& text) {
  PlannedFile file;
  file.Append(MakeMemorySource("memory", {text.begin(), text.end()}), {0, text.size()});
  return file;
}

// Each file by the beginning of its hash, and a list of these.
Result<NamedContents> NameByHash(const std::vector<std::string>& sha256) {
  NamedContents named;
  std::string list;
  for (const std::string& hash : sha256) named.names.push_back(hash.substr(0, 8));
  for (const std::string& name : named.names) list += name + "\n";
  named.last.push_back({"list", PlanWith(list)});
  return named;
}

std::string NameOf(const std::string& text) {
  return Sha256Of(ByteSpan{reinterpret_cast<const uint8_t*>(text.data()), text.size()}).Hex().substr(0, 8);
}

WriteOptions Adding() {
  WriteOptions options;
  options.replace = true;
  return options;
}

// Gets the SHA-256 of each file, in their order.
using Namer = std::function<Result<NamedContents>(const std::vector<std::string>& sha256)>;

class ContentWriterTest : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override { UseOnlyPlainPosix(GetParam()); }
  void TearDown() override { UseOnlyPlainPosix(false); }

  Status Write(const std::vector<PlannedFile>& files, const WriteOptions& options = {},
               const Namer& name = NameByHash) const {
    PTEEDIT_ASSIGN(ContentWriter writer, ContentWriter::Begin(folder_ / "out", files, {}, options.replace));
    PTEEDIT_TRY(writer.WriteAll(files, options.progress));
    std::vector<std::string> hashes;
    for (const SealedFile& file : writer.files()) hashes.push_back(file.written.sha256);
    PTEEDIT_ASSIGN(NamedContents named, name(hashes));
    return writer.Publish(std::move(named));
  }

  const TemporaryFolder folder_;
};
INSTANTIATE_TEST_SUITE_P(Calls, ContentWriterTest, testing::Values(false, true));

TEST_P(ContentWriterTest, NamesFilesByTheirContentsAndEqualOnesOnce) {
  ASSERT_TRUE(Write({PlanWith("one"), PlanWith("two"), PlanWith("one")}));
  std::vector<std::string> expected{NameOf("one"), NameOf("two"), "list"};
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(*FilesBelow(folder_ / "out"), expected);
  EXPECT_EQ(ReadBytes(folder_ / "out/" + NameOf("two")), TextBytes("two"));
  EXPECT_EQ(folder_.Names(), std::vector<std::string>{"out"});
}

TEST_P(ContentWriterTest, AddsToAFolderOnlyWhereAskedAndKeepsWhatIsThere) {
  ASSERT_TRUE(Write({PlanWith("one")}));
  EXPECT_EQ(Words(Write({PlanWith("two")})), (folder_ / "out") + ": the output folder exists already");
  const auto before = IdentityOf(folder_ / "out/" + NameOf("one"));
  ASSERT_TRUE(Write({PlanWith("two"), PlanWith("one")}, Adding()));
  EXPECT_EQ(IdentityOf(folder_ / "out/" + NameOf("one")), before);
  EXPECT_EQ(ReadBytes(folder_ / "out/list"), TextBytes(NameOf("two") + "\n" + NameOf("one") + "\n"));
}

TEST_P(ContentWriterTest, AFileWithOtherBytesThanItsNameSaysIsNotWrittenOver) {
  ASSERT_TRUE(Write({PlanWith("one")}));
  const std::string path = folder_ / "out/" + NameOf("two");
  WriteBytes(path, TextBytes("owt"));
  EXPECT_EQ(Words(Write({PlanWith("two"), PlanWith("three")}, Adding())),
            path + ": holds other bytes than its name says; remove it");
  EXPECT_EQ(FilesBelow(folder_ / "out")->size(), 3U);
}

TEST_P(ContentWriterTest, AFailureLeavesNothing) {
  const Namer fail = [](const std::vector<std::string>&) -> Result<NamedContents> {
    return InvalidArgument("no name");
  };
  EXPECT_EQ(Words(Write({PlanWith("one")}, {}, fail)), "no name");
  EXPECT_TRUE(folder_.Names().empty());
}

// Which is copied in steps and hashed beside that.
TEST_P(ContentWriterTest, HashesALargeFileAsItIs) {
  std::vector<uint8_t> bytes(size_t{70} << 20);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i * i >> 7);
  WriteBytes(folder_ / "large", bytes);
  PlannedFile file = PlanWith("head");
  file.Append(*OpenFileSource(folder_ / "large"), {0, bytes.size()});
  file.AppendZeros(3 << 20);
  std::string hash;
  ASSERT_TRUE(Write({file}, {}, [&](const std::vector<std::string>& sha256) {
    hash = sha256[0];
    return NameByHash(sha256);
  }));
  const auto source = *OpenFileSource(folder_ / "out/" + hash.substr(0, 8));
  EXPECT_EQ(source->size(), file.size());
  EXPECT_EQ(Sha256Of(*source, {0, source->size()})->Hex(), hash);
}

}  // namespace
}  // namespace pteedit::content_writer_test
