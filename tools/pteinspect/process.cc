#include "process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "pteedit/text.h"
#include "pteedit/try.h"

extern char** environ;

namespace pteedit::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kPieceBytes = size_t{64} << 10;
constexpr size_t kComplaintBytes = 4096;  // of standard error, its end
constexpr size_t kShownBytes = 200;       // of its last line
// How often to look whether the command has ended while something that it started keeps its output open.
constexpr std::chrono::milliseconds kLook{20};

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() { Close(); }
  void Close() {
    if (number_ >= 0) close(number_);
    number_ = -1;
  }
  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }

 private:
  int number_ = -1;
};

struct Pipe {
  Descriptor read_end, write_end;
};

Error Failed(const std::string& what) { return Unsupported("the decoder command " + what); }

Error CannotRun(int error) { return Failed(std::string("cannot be run: ") + std::strerror(error)); }

// No end is one of the standard descriptors, and none outlives an exec.
Result<Pipe> OpenPipe() {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return CannotRun(errno);
  const Descriptor read_end(ends[0]);
  const Descriptor write_end(ends[1]);
  constexpr int kAfterStandard = 3;
  Pipe moved{Descriptor(fcntl(ends[0], F_DUPFD_CLOEXEC, kAfterStandard)),
             Descriptor(fcntl(ends[1], F_DUPFD_CLOEXEC, kAfterStandard))};
  if (!moved.read_end.is_open() || !moved.write_end.is_open()) return CannotRun(errno);
  return moved;
}

// While it lives, writing to a command that does not read is an error and no signal.
class NoPipeSignal {
 public:
  NoPipeSignal() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  NoPipeSignal(const NoPipeSignal&) = delete;
  NoPipeSignal& operator=(const NoPipeSignal&) = delete;
  ~NoPipeSignal() {
    sigset_t pending;
    sigpending(&pending);
    int taken = 0;
    if (sigismember(&before_, SIGPIPE) == 0 && sigismember(&pending, SIGPIPE) == 1) sigwait(&pipe_, &taken);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t pipe_{}, before_{};
};

// Those of this process, without the ones that `variables` replace.
std::vector<char*> Environment(const std::vector<std::string>& variables) {
  std::vector<char*> all;
  for (char** inherited = environ; *inherited != nullptr; ++inherited) {
    const std::string_view one(*inherited);
    const bool is_replaced = std::any_of(variables.begin(), variables.end(), [&](const std::string& variable) {
      return one.substr(0, one.find('=')) == variable.substr(0, variable.find('='));
    });
    if (!is_replaced) all.push_back(*inherited);
  }
  for (const std::string& variable : variables) all.push_back(const_cast<char*>(variable.c_str()));
  all.push_back(nullptr);
  return all;
}

// What happens in the new process before it becomes the command.
class SpawnSettings {
 public:
  SpawnSettings(int input, int output, int errors) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_adddup2(&actions_, input, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, errors, STDERR_FILENO);
    CloseOthers();
    posix_spawnattr_init(&attributes_);
    sigset_t signals;
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes_, &signals);
    sigaddset(&signals, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes_, &signals);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  const posix_spawn_file_actions_t* actions() const { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  // What whoever started this process left open for it is nothing for the command.
  void CloseOthers() {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 34)
    posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1);
#else
    constexpr int kMaxDescriptors = 4096;
    for (int number = STDERR_FILENO + 1; number < kMaxDescriptors; ++number) {
      if (fcntl(number, F_GETFD) >= 0) posix_spawn_file_actions_addclose(&actions_, number);
    }
#endif
  }

  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

// A command that runs. Killed with all that it started, and waited for, by the destructor at the latest.
class Child {
 public:
  explicit Child(pid_t id) : id_(id) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (!is_waited_for_) KillAndWait();
  }

  // Whether it has ended; it can still be waited for then, so its number is no other process's.
  bool HasEnded() const {
    siginfo_t info{};
    return waitid(P_PID, static_cast<id_t>(id_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == id_;
  }

  // How it ended; what it left behind ends too.
  int KillAndWait() {
    kill(-id_, SIGKILL);
    int status = 0;
    while (waitpid(id_, &status, 0) < 0 && errno == EINTR) {
    }
    is_waited_for_ = true;
    return status;
  }

 private:
  pid_t id_;
  bool is_waited_for_ = false;
};

// While it lives, what ends this process from outside, such as Ctrl-C, ends the command's group first, which no
// terminal knows of. Until that group is known, such signals wait.
class EndsWithUs {
 public:
  EndsWithUs() {
    sigset_t held;
    sigemptyset(&held);
    for (const int signal : kSignals) sigaddset(&held, signal);
    pthread_sigmask(SIG_BLOCK, &held, &mask_before_);
    group_ = 0;
    for (size_t i = 0; i < kSignals.size(); ++i) {
      struct sigaction action {};
      action.sa_handler = EndBoth;
      sigemptyset(&action.sa_mask);
      sigaction(kSignals[i], nullptr, &before_[i]);
      if (before_[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);
    }
  }
  EndsWithUs(const EndsWithUs&) = delete;
  EndsWithUs& operator=(const EndsWithUs&) = delete;
  ~EndsWithUs() {
    for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
    pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
  }

  void Watch(pid_t group) {
    group_ = group;
    pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
  }

 private:
  static constexpr std::array<int, 3> kSignals{SIGHUP, SIGINT, SIGTERM};

  static void EndBoth(int signal) {
    kill(-static_cast<pid_t>(group_), SIGKILL);
    for (size_t i = 0; i < kSignals.size(); ++i) {
      if (kSignals[i] == signal) sigaction(signal, &before_[i], nullptr);
    }
    raise(signal);  // delivered on return, to whoever had it before
  }

  sigset_t mask_before_{};
  // There is one command at a time.
  static volatile sig_atomic_t group_;
  static std::array<struct sigaction, kSignals.size()> before_;
};

volatile sig_atomic_t EndsWithUs::group_ = 0;
std::array<struct sigaction, EndsWithUs::kSignals.size()> EndsWithUs::before_{};

Result<pid_t> Spawn(const std::string& command, const std::vector<std::string>& variables,
                    const SpawnSettings& settings) {
  std::array<std::string, 3> words{"sh", "-c", command};
  std::array<char*, 4> arguments{words[0].data(), words[1].data(), words[2].data(), nullptr};
  pid_t id = 0;
  const int error = posix_spawn(&id, "/bin/sh", settings.actions(), settings.attributes(), arguments.data(),
                                Environment(variables).data());
  if (error != 0) return CannotRun(error);
  return id;
}

// Feeds a command and listens to it, never waiting for one of these alone.
class Conversation {
 public:
  Conversation(const Source& input, const CommandLimits& limits, Descriptor to, Descriptor from, Descriptor errors)
      : input_(input), limits_(limits), to_(std::move(to)), from_(std::move(from)), errors_(std::move(errors)) {
    for (const Descriptor* end : {&to_, &from_, &errors_}) fcntl(end->number(), F_SETFL, O_NONBLOCK);
  }

  // Until the command has ended and what it printed is read.
  Status Hold(const Child& child) {
    const Clock::time_point end = Clock::now() + limits_.time;
    for (bool ended = false; !ended;) {
      if (Clock::now() >= end) {
        return Failed("ran longer than " + std::to_string(limits_.time.count()) + " ms");
      }
      Wait();
      ended = child.HasEnded();
      PTEEDIT_TRY(Listen());
      if (ended) break;
      PTEEDIT_TRY(Feed());
    }
    return {};
  }

  std::string TakeText() { return std::move(text_); }

  // ": " and the last line on standard error that is not empty.
  std::string Complaint() const {
    const size_t end = complaint_.find_last_not_of(" \t\r\n");
    if (end == std::string::npos) return "";
    const size_t begin = complaint_.rfind('\n', end) + 1;  // of none: 0
    return ": " + EscapeControl(complaint_.substr(begin, std::min(end + 1 - begin, kShownBytes)));
  }

 private:
  void Wait() const {
    std::vector<pollfd> ends;
    if (to_.is_open()) ends.push_back({to_.number(), POLLOUT, 0});
    if (from_.is_open()) ends.push_back({from_.number(), POLLIN, 0});
    if (errors_.is_open()) ends.push_back({errors_.number(), POLLIN, 0});
    poll(ends.data(), static_cast<nfds_t>(ends.size()), static_cast<int>(kLook.count()));
  }

  Status Feed() {
    if (!to_.is_open()) return {};
    if (sent_ == piece_.size()) {
      PTEEDIT_TRY(ReadPiece());
    }
    if (piece_.empty()) {
      to_.Close();
      return {};
    }
    const ssize_t put = write(to_.number(), piece_.data() + sent_, piece_.size() - sent_);
    if (put >= 0) {
      sent_ += static_cast<size_t>(put);
    } else if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
      to_.Close();  // it reads no further, which is its own affair
    }
    return {};
  }

  Status ReadPiece() {
    piece_.resize(static_cast<size_t>(std::min<uint64_t>(kPieceBytes, input_.size() - offset_)));
    sent_ = 0;
    Status read = piece_.empty() ? Status() : input_.Read(offset_, {piece_.data(), piece_.size()});
    offset_ += piece_.size();
    return read;
  }

  Status Listen() {
    if (!Drain(from_, text_, limits_.output_bytes)) {
      return Failed("printed more than " + std::to_string(limits_.output_bytes) + " bytes");
    }
    constexpr int kMaxPieces = 4;  // more than a pipe holds, and an end to listening
    for (int i = 0; i < kMaxPieces && !Drain(errors_, complaint_, kComplaintBytes); ++i) {
      complaint_.erase(0, complaint_.size() - kComplaintBytes);
    }
    return {};
  }

  // Adds what can be read without waiting. False where `text` gets longer than `most`.
  static bool Drain(Descriptor& from, std::string& text, size_t most) {
    std::array<char, kPieceBytes> piece;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled by what is read
    while (from.is_open()) {
      const ssize_t got = read(from.number(), piece.data(), piece.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return true;
      if (got <= 0) from.Close();
      if (got > 0) text.append(piece.data(), static_cast<size_t>(got));
      if (text.size() > most) return false;
    }
    return true;
  }

  const Source& input_;
  const CommandLimits& limits_;
  Descriptor to_, from_, errors_;
  std::vector<uint8_t> piece_;  // of the input
  size_t sent_ = 0;             // of the piece
  uint64_t offset_ = 0;         // of the next piece
  std::string text_, complaint_;
};

}  // namespace

Result<std::string> RunCommand(const std::string& command, const std::vector<std::string>& variables,
                               const Source& input, const CommandLimits& limits) {
  PTEEDIT_ASSIGN(Pipe to, OpenPipe());
  PTEEDIT_ASSIGN(Pipe from, OpenPipe());
  PTEEDIT_ASSIGN(Pipe errors, OpenPipe());
  const SpawnSettings settings(to.read_end.number(), from.write_end.number(), errors.write_end.number());
  const NoPipeSignal no_pipe_signal;
  EndsWithUs ends_with_us;
  PTEEDIT_ASSIGN(const pid_t id, Spawn(command, variables, settings));
  Child child(id);
  ends_with_us.Watch(id);
  for (Descriptor* theirs : {&to.read_end, &from.write_end, &errors.write_end}) theirs->Close();
  Conversation conversation(input, limits, std::move(to.write_end), std::move(from.read_end),
                            std::move(errors.read_end));
  PTEEDIT_TRY(conversation.Hold(child));
  const int status = child.KillAndWait();
  if (WIFSIGNALED(status)) {
    return Failed("was ended by signal " + std::to_string(WTERMSIG(status)) + conversation.Complaint());
  }
  if (WEXITSTATUS(status) != 0) {
    return Failed("exited with " + std::to_string(WEXITSTATUS(status)) + conversation.Complaint());
  }
  return conversation.TakeText();
}

}  // namespace pteedit::cli
