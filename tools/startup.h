// What a tool arranges with the system before it does anything else.
#ifndef PTEEDIT_TOOLS_STARTUP_H_
#define PTEEDIT_TOOLS_STARTUP_H_

#include "pteedit/result.h"

namespace pteedit::cli {

// Takes the numbers of standard input, output and error where they are closed, so that no file that is opened later
// gets them, and with it what is printed. Reading or writing them fails as before. Fails with kIo.
Status ReserveStandardDescriptors();

// From now on signals that end the process remove its temporary files first; then it ends by that signal, as whoever
// started it will see. Signals that are ignored stay ignored.
void CleanUpOnSignals();

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_STARTUP_H_
