// How far long work is, on one line of stderr: what has been read of the inputs, to compare and to hash it, and then
// what has been written. There is one terminal, so there is one progress.
#ifndef PTEEDIT_TOOLS_PROGRESS_H_
#define PTEEDIT_TOOLS_PROGRESS_H_

#include <cstdint>
#include <memory>
#include <string>

#include "cli.h"
#include "pteedit/source.h"

namespace pteedit::cli {

// The work begins. `kAuto` shows it only on a terminal. Reading, and with `kAuto` also writing, is shown only where it
// takes longer than a second.
void BeginProgress(When when);

// The same source; what is read of it is counted and shown, from any thread.
std::shared_ptr<const Source> CountingReads(std::shared_ptr<const Source> source);

// For WriteOptions::progress: shows bytes, rate and time left. From the first call on reading is not shown any more.
bool ShowWritten(uint64_t done, uint64_t total);

// Ends the line that progress has begun, if any, so that a message can follow.
void EndProgressLine();

// "1.25 GB of 4.00 GB, 312.50 MB/s, 9 s left".
std::string ProgressText(uint64_t done, uint64_t total, double seconds);
// "1.25 GB read, 312.50 MB/s".
std::string ReadText(uint64_t bytes, double seconds);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_PROGRESS_H_
