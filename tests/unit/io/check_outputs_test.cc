// What may be an output at all: CheckOutputs looks before anything is written.
#include <gtest/gtest.h>
#include <unistd.h>

#include "file_contents.h"
#include "pteedit/planned_file.h"

namespace pteedit::check_outputs_test {
namespace {

using test::TemporaryFolder;
using test::Words;
using test::WriteBytes;

class CheckOutputsTest : public testing::Test {
 protected:
  CheckOutputsTest() {
    WriteBytes(input_, {1});
    std::filesystem::create_directory(folder_ / "sub");
  }
  std::string ForInput(const std::string& output) const { return Words(CheckOutputs({output}, {input_}, true)); }
  std::string IsTheInput(const std::string& output) const {
    return output + ": the output is the input '" + input_ + "'; inputs are never changed";
  }

  const TemporaryFolder folder_;
  const std::string input_ = folder_ / "in.pte";
};

TEST_F(CheckOutputsTest, NewFilesAreFine) {
  EXPECT_EQ(Words(CheckOutputs({folder_ / "out.pte", folder_ / "out.ptd"}, {input_}, false)), "no error");
  EXPECT_EQ(Words(CheckOutputs({}, {input_}, false)), "no error");
}

TEST_F(CheckOutputsTest, InputIsRefusedUnderItsName) {
  EXPECT_EQ(ForInput(input_), IsTheInput(input_));
  EXPECT_EQ(CheckOutputs({input_}, {input_}, true).error().code, ErrorCode::kInvalidArgument);
}

TEST_F(CheckOutputsTest, InputIsRefusedThroughASymbolicLink) {
  std::filesystem::create_symlink(input_, folder_ / "soft.pte");
  std::filesystem::create_symlink("sub/..", folder_ / "here");
  EXPECT_EQ(ForInput(folder_ / "soft.pte"), IsTheInput(folder_ / "soft.pte"));
  EXPECT_EQ(ForInput(folder_ / "here/in.pte"), IsTheInput(folder_ / "here/in.pte"));
}

TEST_F(CheckOutputsTest, InputIsRefusedThroughAHardLink) {
  ASSERT_EQ(link(input_.c_str(), (folder_ / "hard.pte").c_str()), 0);
  EXPECT_EQ(ForInput(folder_ / "hard.pte"), IsTheInput(folder_ / "hard.pte"));
}

TEST_F(CheckOutputsTest, InputIsRefusedThroughARelativePath) {
  EXPECT_EQ(ForInput(folder_ / "sub/../in.pte"), IsTheInput(folder_ / "sub/../in.pte"));
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder_.path());
  EXPECT_EQ(ForInput("in.pte"), IsTheInput("in.pte"));
  EXPECT_EQ(ForInput("./in.pte"), IsTheInput("./in.pte"));
  std::filesystem::current_path(before);
}

TEST_F(CheckOutputsTest, EveryInputCounts) {
  EXPECT_FALSE(CheckOutputs({folder_ / "out.pte", input_}, {folder_ / "missing", input_}, true));
}

TEST_F(CheckOutputsTest, OneFileIsNotTwoOutputs) {
  const auto both = [&](const std::string& a, const std::string& b) {
    return Words(CheckOutputs({a, b}, {input_}, true));
  };
  const std::string out = folder_ / "out.pte";
  EXPECT_EQ(both(out, out), out + ": the output is also the output '" + out + "'");
  const std::string around = folder_ / "sub/../out.pte";
  EXPECT_EQ(both(out, around), around + ": the output is also the output '" + out + "'");
  WriteBytes(out, {2});
  std::filesystem::create_symlink(out, folder_ / "link.pte");
  const std::string link = folder_ / "link.pte";
  EXPECT_EQ(both(out, link), link + ": the output is also the output '" + out + "'");
  EXPECT_EQ(both(out, folder_ / "sub/out.pte"), "no error");
}

TEST_F(CheckOutputsTest, OutputsInFoldersThatAreMissingAreNotTheSame) {
  EXPECT_EQ(Words(CheckOutputs({folder_ / "a/out.pte", folder_ / "b/out.pte"}, {input_}, false)), "no error");
}

TEST_F(CheckOutputsTest, ExistingFileIsRefusedUnlessReplaced) {
  WriteBytes(folder_ / "out.pte", {2});
  EXPECT_EQ(Words(CheckOutputs({folder_ / "out.pte"}, {input_}, false)),
            folder_ / "out.pte: the output exists already");
  EXPECT_TRUE(CheckOutputs({folder_ / "out.pte"}, {input_}, true));
}

TEST_F(CheckOutputsTest, DanglingLinkExists) {
  std::filesystem::create_symlink("nowhere", folder_ / "out.pte");
  EXPECT_FALSE(CheckOutputs({folder_ / "out.pte"}, {input_}, false));
}

}  // namespace
}  // namespace pteedit::check_outputs_test
