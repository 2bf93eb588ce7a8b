#include "startup.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "pteedit/planned_file.h"

namespace pteedit::cli {
namespace {

constexpr int kEndingSignals[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGPIPE, SIGALRM,
                                  SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU, SIGXFSZ};

// The default action comes back only now: with SA_RESETHAND a second signal might end the process before the first is
// here.
void CleanUpAndEnd(int number) {
  RemoveTemporaryFiles();
  signal(number, SIG_DFL);
  raise(number);  // delivered on return
}

}  // namespace

Status ReserveStandardDescriptors() {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(number, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest free number, which is this one. What was closed still cannot be used: input is not readable, output
    // not writable.
    if (open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY) == number) continue;
    return IoError(std::string("cannot open: ") + std::strerror(errno)).In("/dev/null");
  }
  return {};
}

void CleanUpOnSignals() {
  for (const int signal : kEndingSignals) {
    struct sigaction before {
    }, action{};
    action.sa_handler = CleanUpAndEnd;
    sigemptyset(&action.sa_mask);
    if (sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_DFL) sigaction(signal, &action, nullptr);
  }
}

}  // namespace pteedit::cli
