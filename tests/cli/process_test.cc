// Commands that behave, and those that do not. No shell is left behind, nor anything that one started.
#include "process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <thread>

#include "test_files.h"

namespace pteedit::cli::process_test {
namespace {

using std::chrono::milliseconds;

constexpr CommandLimits kPatient{milliseconds(60'000), 1000};
constexpr CommandLimits kImpatient{milliseconds(200), 1000};

std::vector<uint8_t> Bytes(size_t size) { return std::vector<uint8_t>(size, 'x'); }

Result<std::string> Printed(const std::string& command, size_t input_bytes = 10,
                            const CommandLimits& limits = kPatient) {
  Result<std::string> text = RunCommand(command, {}, *MakeMemorySource("blob", Bytes(input_bytes)), limits);
  EXPECT_TRUE(waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD) << "a process was not waited for";
  return text;
}

std::string WhyNot(const std::string& command, size_t input_bytes = 10, const CommandLimits& limits = kPatient) {
  const Result<std::string> text = Printed(command, input_bytes, limits);
  if (text) return "printed " + *text;
  EXPECT_EQ(text.error().code, ErrorCode::kUnsupported);
  return text.error().message;
}

TEST(RunCommand, GivesWhatIsPrinted) {
  EXPECT_EQ(*Printed("cat"), "xxxxxxxxxx");
  EXPECT_EQ(*Printed("cat", 0), "");
  EXPECT_EQ(*Printed("echo some words >&2; printf ok"), "ok");
  EXPECT_EQ(*Printed("wc -c | tr -d ' '", 5'000'000), "5000000\n");
}

TEST(RunCommand, SetsVariables) {
  setenv("PTEEDIT_TEST_A", "old", 1);
  const auto text = RunCommand("echo $PTEEDIT_TEST_A $PTEEDIT_TEST_B", {"PTEEDIT_TEST_A=new", "PTEEDIT_TEST_B=b=c"},
                               *MakeMemorySource("blob", {}), kPatient);
  EXPECT_EQ(*text, "new b=c\n");
  unsetenv("PTEEDIT_TEST_A");
}

TEST(RunCommand, DoesNotMindACommandThatReadsNothing) {
  EXPECT_EQ(*Printed("echo early", 10'000'000), "early\n");
  EXPECT_EQ(*Printed("exec <&-; sleep 0.1; echo closed", 10'000'000), "closed\n");
  sigset_t mask;
  pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  EXPECT_EQ(sigismember(&mask, SIGPIPE), 0);
  sigpending(&mask);
  EXPECT_EQ(sigismember(&mask, SIGPIPE), 0);
}

TEST(RunCommand, EndsOneThatHangs) {
  EXPECT_EQ(WhyNot("sleep 60", 10, kImpatient), "the decoder command ran longer than 200 ms");
  EXPECT_EQ(WhyNot("trap '' TERM INT HUP; while :; do :; done", 10, kImpatient),
            "the decoder command ran longer than 200 ms");
}

TEST(RunCommand, EndsWhatItStartedToo) {
  const test::TemporaryFolder folder;
  const std::string mark = folder.path() + "/mark";
  const std::string late = "(sleep 0.6; echo late >" + mark + ") & ";
  EXPECT_EQ(WhyNot(late + "sleep 60", 10, kImpatient), "the decoder command ran longer than 200 ms");
  EXPECT_EQ(*Printed(late + "echo done"), "done\n");  // does not wait for what keeps its output open
  std::this_thread::sleep_for(milliseconds(900));
  EXPECT_NE(access(mark.c_str(), F_OK), 0);
}

TEST(RunCommand, EndsItBeforeASignalEndsUs) {
  constexpr int kEndSeconds = 30;  // of 60 that the command would sleep
  const test::TemporaryFolder folder;
  const std::string started = folder.path() + "/started";
  const std::string fifo = folder.path() + "/fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const int end = open(fifo.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  ASSERT_GE(end, 0);
  const pid_t child = fork();
  if (child == 0) {
    const auto text =
        RunCommand("exec 9>" + fifo + "; echo >" + started + "; sleep 60", {}, *MakeMemorySource("blob", {}), kPatient);
    _exit(text ? 0 : 1);
  }
  while (access(started.c_str(), F_OK) != 0) std::this_thread::sleep_for(milliseconds(1));
  kill(child, SIGTERM);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
  pollfd writers{end, 0, 0};
  EXPECT_EQ(poll(&writers, 1, 1000 * kEndSeconds), 1);  // none holds its end any more
  close(end);
}

TEST(RunCommand, EndsOneThatFloods) {
  EXPECT_EQ(WhyNot("yes"), "the decoder command printed more than 1000 bytes");
  EXPECT_EQ(WhyNot("yes >&2", 10, kImpatient).substr(0, 42), "the decoder command ran longer than 200 ms");
  EXPECT_EQ(Printed("head -c 1000 /dev/zero")->size(), 1000U);
  EXPECT_EQ(WhyNot("head -c 1001 /dev/zero"), "the decoder command printed more than 1000 bytes");
  EXPECT_EQ(*Printed("head -c 1000000 /dev/zero >&2; echo ok"), "ok\n");
}

TEST(RunCommand, TellsHowItDied) {
  EXPECT_EQ(WhyNot("exit 3"), "the decoder command exited with 3");
  EXPECT_EQ(WhyNot("kill -9 $$"), "the decoder command was ended by signal 9");
  EXPECT_EQ(WhyNot("echo one >&2; echo; echo two >&2; echo >&2; exit 1"), "the decoder command exited with 1: two");
  EXPECT_EQ(WhyNot("head -c 100000 /dev/zero | tr '\\0' 'y' >&2; echo >&2; printf '\\033[1mz' >&2; exit 1"),
            "the decoder command exited with 1: \\x1b[1mz");
}

TEST(RunCommand, LeavesItNoOpenFiles) {
  const int leaked = open("/dev/null", O_RDONLY);  // no O_CLOEXEC
  ASSERT_GE(leaked, 3);
  EXPECT_EQ(*Printed("for n in 3 4 5 6 7 8 9 " + std::to_string(leaked) +
                     "; do (: <&$n) 2>/dev/null && echo $n is open; done; echo none"),
            "none\n");
  close(leaked);
}

TEST(RunCommand, FailsWhereTheInputCannotBeRead) {
  const auto broken = MakeCallbackSource("blob", 10, [](uint64_t, MutableByteSpan) { return Status(IoError("gone")); });
  const auto text = RunCommand("cat", {}, *broken, kPatient);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, ErrorCode::kIo);
  EXPECT_EQ(text.error().message, "gone");
}

TEST(RunCommand, CannotRunWithTooLargeAnEnvironment) {
  const auto text = RunCommand("true", {"A=" + std::string(10'000'000, 'a')}, *MakeMemorySource("blob", {}), kPatient);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().message, "the decoder command cannot be run: Argument list too long");
}

}  // namespace
}  // namespace pteedit::cli::process_test
