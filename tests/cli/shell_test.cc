// The shell that all tools share.
#include <gtest/gtest.h>

#include <csignal>

#include "cli.h"
#include "json.h"
#include "progress.h"

namespace pteedit::cli {
namespace {

TEST(ExitCodeFor, TellsInputFromUsageFromSystem) {
  EXPECT_EQ(ExitCodeFor(ErrorCode::kMalformed), 3);
  EXPECT_EQ(ExitCodeFor(ErrorCode::kUnsupported), 3);
  EXPECT_EQ(ExitCodeFor(ErrorCode::kInvalidArgument), 2);
  EXPECT_EQ(ExitCodeFor(ErrorCode::kIo), 4);
}

class ToolTest : public testing::Test {
 protected:
  ToolTest() : tool_({.name = "ptetool", .purpose = "Do nothing.", .examples = "Examples:\n  ptetool\n"}) {
    AddSizeOption(tool_.options(), "--min-size", min_size_, "Least size");
    AddProgressOption(tool_.options(), progress_);
    tool_.options().add_flag("--json", json_, "Print JSON");
  }

  int Run(std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "ptetool");
    testing::internal::CaptureStderr();
    const int code = tool_.Run(static_cast<int>(arguments.size()), arguments.data(), [&] { return body_result_; });
    errors_ = testing::internal::GetCapturedStderr();
    return code;
  }

  Tool tool_;
  uint64_t min_size_ = 0;
  When progress_ = When::kAuto;
  bool json_ = false;
  int body_result_ = 0;
  std::string errors_;
};

TEST_F(ToolTest, ReturnsWhatTheBodyReturns) {
  body_result_ = 3;
  EXPECT_EQ(Run({}), 3);
  EXPECT_EQ(errors_, "");
}

TEST_F(ToolTest, TakesSizesAndTimesOfProgress) {
  EXPECT_EQ(Run({"--min-size=4K", "--progress", "always", "--json"}), 0);
  EXPECT_EQ(min_size_, 4096U);
  EXPECT_EQ(progress_, When::kAlways);
  EXPECT_TRUE(json_);
}

TEST_F(ToolTest, RefusesAnUnknownOption) {
  EXPECT_EQ(Run({"--jsonn"}), 2);
  EXPECT_EQ(errors_, "ptetool: error: unknown option '--jsonn'\nsee 'ptetool --help'\n");
}

TEST_F(ToolTest, RefusesAnArgumentTooMany) {
  EXPECT_EQ(Run({"a\x1b.pte"}), 2);
  EXPECT_EQ(errors_, "ptetool: error: unexpected argument 'a\\x1b.pte'\nsee 'ptetool --help'\n");
}

TEST_F(ToolTest, RefusesAValueWhereNoneBelongs) {
  EXPECT_EQ(Run({"--json=yes"}), 2);
  EXPECT_EQ(errors_, "ptetool: error: option '--json' takes no value\nsee 'ptetool --help'\n");
}

TEST_F(ToolTest, RefusesASizeThatIsNone) {
  EXPECT_EQ(Run({"--min-size", "4T"}), 2);
  EXPECT_EQ(
      errors_,
      "ptetool: error: option '--min-size': size '4T' is not a number of bytes, with K, M or G (powers of 1024) or KB, "
      "MB or GB (powers of 1000)\nsee 'ptetool --help'\n");
}

TEST_F(ToolTest, RefusesAnUnknownTimeOfProgress) {
  EXPECT_EQ(Run({"--progress", "often"}), 2);
  EXPECT_EQ(errors_, "ptetool: error: option '--progress': often not in {auto,always,never}\nsee 'ptetool --help'\n");
}

TEST_F(ToolTest, PrintsErrorsWithTheFileEscaped) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(tool_.PrintError(Malformed("is cut").In("a\n.pte")), 3);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "ptetool: error: a\\x0a.pte: is cut\n");
}

TEST_F(ToolTest, QuietSilencesWarningsButNotErrors) {
  EXPECT_EQ(Run({"-q"}), 0);
  testing::internal::CaptureStderr();
  tool_.PrintWarning("a.pte", "is odd");
  tool_.PrintError(IoError("cannot read"));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "ptetool: error: cannot read\n");
}

TEST(ProgressText, GrowsWithWhatIsKnown) {
  EXPECT_EQ(ProgressText(0, 4'000'000'000, 10), "0 B of 4.00 GB");
  EXPECT_EQ(ProgressText(1'250'000'000, 4'000'000'000, 0.1), "1.25 GB of 4.00 GB");
  EXPECT_EQ(ProgressText(1'250'000'000, 4'000'000'000, 4), "1.25 GB of 4.00 GB, 312.50 MB/s, 9 s left");
  EXPECT_EQ(ProgressText(1'000'000, 91'000'000, 1), "1.00 MB of 91.00 MB, 1.00 MB/s, 1 min 30 s left");
  EXPECT_EQ(ProgressText(1'000'000, 7'201'000'000, 1), "1.00 MB of 7.20 GB, 1.00 MB/s, 2 h 0 min left");
  EXPECT_EQ(ProgressText(4'000, 4'000, 4), "4.00 KB of 4.00 KB, 1.00 KB/s");
}

TEST(Progress, EndsItsLineWhenAllIsDone) {
  const auto progress = MakeProgress(When::kAlways);
  testing::internal::CaptureStderr();
  EXPECT_TRUE(progress(500, 1000));
  EXPECT_TRUE(progress(1000, 1000));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "\r500 B of 1.00 KB\r1.00 KB of 1.00 KB\n");
}

TEST(Progress, LetsAMessageBeginALineOfItsOwn) {
  const auto progress = MakeProgress(When::kAlways);
  testing::internal::CaptureStderr();
  EXPECT_TRUE(progress(1, 1000));
  EndProgressLine();
  EndProgressLine();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "\r1 B of 1.00 KB\n");
}

TEST(Progress, ShowsNothingOfShortWorkOrWhereItIsNotWanted) {
  testing::internal::CaptureStderr();
  EXPECT_TRUE(MakeProgress(When::kAuto)(1, 2));
  EXPECT_TRUE(MakeProgress(When::kNever)(1, 2));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(ProgressDeathTest, ASignalAsksTheWriterToStopAndASecondOneKills) {
  const auto stop_once = [] {
    const auto progress = MakeProgress(When::kNever);
    std::raise(SIGTERM);
    std::_Exit(progress(1, 2) ? 1 : 0);
  };
  const auto stop_twice = [] {
    MakeProgress(When::kNever);
    std::raise(SIGINT);
    std::raise(SIGINT);
  };
  EXPECT_EXIT(stop_once(), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(stop_twice(), testing::KilledBySignal(SIGINT), "");
}

TEST(Json, KeysThatCannotBeShownHaveTheirBytesBeside) {
  Json object;
  AddKey(object, "fc.weight");
  EXPECT_EQ(object.dump(), R"({"key":"fc.weight"})");
  AddKey(object, "a\x01\xff");
  EXPECT_EQ(object.dump(), "{\"key\":\"a\xef\xbf\xbd\xef\xbf\xbd\",\"key_hex\":\"6101ff\"}");
}

}  // namespace
}  // namespace pteedit::cli
