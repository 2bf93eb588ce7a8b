// How far a long copy is, on stderr, and stopping it: both happen where the writer asks whether to go on.
#ifndef PTEEDIT_TOOLS_PROGRESS_H_
#define PTEEDIT_TOOLS_PROGRESS_H_

#include <cstdint>
#include <functional>
#include <string>

#include "cli.h"

namespace pteedit::cli {

// For WriteOptions::progress. Shows bytes, rate and time left on one line; `kAuto` only on a terminal and for work
// longer than a second. From now on SIGINT and SIGTERM make the function return false, so that the writer stops and
// leaves nothing behind; a second signal kills as usual.
std::function<bool(uint64_t done, uint64_t total)> MakeProgress(When when);

// Whether one of these signals has come.
bool StopRequested();

// Ends the line that progress has begun, if any, so that a message can follow.
void EndProgressLine();

// "1.25 GB of 4.00 GB, 312.50 MB/s, 9 s left".
std::string ProgressText(uint64_t done, uint64_t total, double seconds);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_PROGRESS_H_
