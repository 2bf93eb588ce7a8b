#include "startup.h"

#if defined(_WIN32)
#include <fcntl.h>
#include <io.h>
#include <windows.h>
#else
#include <fcntl.h>
#include <unistd.h>
#endif

#include <cerrno>
#include <csignal>
#include <cstring>

#include "pteedit/planned_file.h"

namespace pteedit::cli {
namespace {

#if defined(_WIN32)

void CleanUpAndEnd(int number) {
  RemoveTemporaryFiles();
  signal(number, SIG_DFL);
  raise(number);
}

}  // namespace

// Output is what it is elsewhere, to the byte.
Status ReserveStandardDescriptors() {
  for (const int number : {0, 1, 2}) _setmode(number, _O_BINARY);
  SetConsoleOutputCP(CP_UTF8);
  return {};
}

void CleanUpOnSignals() {
  for (const int number : {SIGINT, SIGTERM, SIGBREAK}) signal(number, CleanUpAndEnd);
}

#else

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

#endif

}  // namespace pteedit::cli
