// The shell that all tools share.
#include <gtest/gtest.h>

#include <chrono>
#include <sstream>
#include <thread>

#include "cli.h"
#include "json.h"
#include "progress.h"

namespace pteedit::cli::shell_test {
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
    tool_.Declare({{"",
                    {{"--min-size", "SIZE", "Least size", &min_size_},
                     {"--progress", "WHEN", "When to show progress", &progress_},
                     {"--json", "", "Print JSON", &json_}}}});
  }

  int Run(std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "ptetool");
    testing::internal::CaptureStderr();
    const int code = tool_.Run(static_cast<int>(arguments.size()), arguments.data(), [&] { return body_result_; });
    errors_ = testing::internal::GetCapturedStderr();
    return code;
  }

  Tool tool_;
  std::optional<uint64_t> min_size_;
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
  EXPECT_EQ(errors_, "ptetool: error: unknown option '--jsonn', did you mean '--json'?\nsee 'ptetool --help'\n");
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
  EXPECT_EQ(errors_,
            "ptetool: error: option '--progress': 'often' is not auto, always or never\nsee 'ptetool --help'\n");
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

TEST_F(ToolTest, TakesWhatFollowsTwoDashesAsFiles) {
  std::vector<std::string> files;
  tool_.Declare({{"", {{"FILE", "", "Files", &files}}}});
  EXPECT_EQ(Run({"--json", "--", "--color", "-x"}), 0);
  EXPECT_EQ(files, (std::vector<std::string>{"--color", "-x"}));
  EXPECT_EQ(errors_, "");
  EXPECT_EQ(Run({"a", "--"}), 0);
  EXPECT_EQ(files, std::vector<std::string>{"a"});
}

TEST_F(ToolTest, ColorsWhatItIsToldTo) {
  EXPECT_EQ(tool_.Colored(Tint::kError, "error", 2), "error");  // no terminal
  EXPECT_EQ(Run({"--color", "always"}), 0);
  EXPECT_EQ(tool_.Colored(Tint::kError, "error", 2), "\x1b[1;31merror\x1b[0m");
  testing::internal::CaptureStderr();
  tool_.PrintError(IoError("cannot read"));
  tool_.PrintWarning("a.pte", "is odd");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "ptetool: \x1b[1;31merror:\x1b[0m cannot read\nptetool: \x1b[1;35mwarning:\x1b[0m a.pte: is odd\n");
  EXPECT_EQ(Run({"--color=never"}), 0);
  EXPECT_EQ(tool_.Colored(Tint::kError, "error", 2), "error");
}

TEST(ReadText, HasARate) { EXPECT_EQ(ReadText(1'250'000'000, 4), "1.25 GB read, 312.50 MB/s"); }

TEST(Progress, EndsItsLineWhenAllIsDone) {
  BeginProgress(When::kAlways);
  testing::internal::CaptureStderr();
  EXPECT_TRUE(ShowWritten(0, 1000));
  EXPECT_TRUE(ShowWritten(500, 1000));
  EXPECT_TRUE(ShowWritten(1000, 1000));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "\r500 B of 1.00 KB\r1.00 KB of 1.00 KB\n");
}

TEST(Progress, LetsAMessageBeginALineOfItsOwn) {
  BeginProgress(When::kAlways);
  testing::internal::CaptureStderr();
  EXPECT_TRUE(ShowWritten(1, 1000));
  EndProgressLine();
  EndProgressLine();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "\r1 B of 1.00 KB\n");
}

TEST(Progress, ShowsNothingOfShortWorkOrWhereItIsNotWanted) {
  testing::internal::CaptureStderr();
  for (const When when : {When::kAuto, When::kNever}) {
    BeginProgress(when);
    EXPECT_TRUE(ShowWritten(1, 2));
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Progress, ShowsReadingThatTakesLong) {
  BeginProgress(When::kAlways);
  const auto source = CountingReads(MakeMemorySource("model.pte", std::vector<uint8_t>(2000)));
  EXPECT_EQ(source->name(), "model.pte");
  EXPECT_EQ(source->size(), 2000U);
  testing::internal::CaptureStderr();
  std::vector<uint8_t> bytes(1000);
  EXPECT_TRUE(source->Read(0, {bytes.data(), bytes.size()}));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  std::this_thread::sleep_for(std::chrono::milliseconds(1010));
  testing::internal::CaptureStderr();
  EXPECT_TRUE(source->Read(1000, {bytes.data(), bytes.size()}));
  EndProgressLine();
  const std::string shown = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(shown.starts_with("\r2.00 KB read, ")) << shown;
  EXPECT_TRUE(shown.ends_with("/s\n")) << shown;
}

TEST(Progress, LeavesSourcesAloneThatNobodyWatches) {
  BeginProgress(When::kNever);
  const auto source = MakeMemorySource("model.pte", {1});
  EXPECT_EQ(CountingReads(source), source);
}

TEST(Json, KeysThatCannotBeShownHaveTheirBytesBeside) {
  Json report{{"key", "fc.weight"}};
  MakePrintable(report);
  EXPECT_EQ(report.dump(), R"({"key":"fc.weight"})");
  report = {{"keys", {{{"key", "a\x01\xff"}, {"bytes", 1}}}}};
  MakePrintable(report);
  EXPECT_EQ(report.dump(), "{\"keys\":[{\"key\":\"a\xef\xbf\xbd\xef\xbf\xbd\",\"key_hex\":\"6101ff\",\"bytes\":1}]}");
}

TEST(JsonPrinter, PrintsWhatIsPutTogether) {
  Json report = Json::array({{{"key", "a\x01\xff"}, {"list", {1, -2, 1.5, true, nullptr}}, {"none", Json::array()}},
                             {{"stack_traces", {{"op", "a\n\"\x01"}}}, {"name", "a\nb"}, {"empty", Json::object()}},
                             Json::array({"b\n", Json::array({"c\n"})})});
  const std::string printed = Printed(report);
  MakePrintable(report);
  EXPECT_EQ(printed, report.dump(1) + "\n");
  std::ostringstream out;
  JsonPrinter printer(out);
  printer.BeginList();
  for (const Json& one : report) printer.Add(one);
  printer.EndList();
  printer.Finish();
  EXPECT_EQ(out.str(), printed);
  EXPECT_EQ(Printed(Json::array()), "[]\n");
}

TEST(Json, LinesStayInStackTracesAlone) {
  Json report{{"name", "a\nb"}, {"stack_traces", {{"op", "a\n\x01"}}}};
  MakePrintable(report);
  EXPECT_EQ(report.dump(),
            "{\"name\":\"a\xef\xbf\xbd"
            "b\",\"stack_traces\":{\"op\":\"a\\n\xef\xbf\xbd\"}}");
}

}  // namespace
}  // namespace pteedit::cli::shell_test
