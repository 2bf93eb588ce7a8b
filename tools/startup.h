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

// From now on large blocks go back to the system when they are freed. By itself the GNU library soon keeps some for
// later, and a tool takes as much memory as all that it ever needed at different times.
void GiveBackLargeBlocks();

// What is free between small blocks goes back now: before something else that takes much.
void GiveBackSmallBlocks();

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_STARTUP_H_
