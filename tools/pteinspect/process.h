// Running a command of the user's that reads bytes and prints text, within limits: it may hang, flood, die or print
// garbage, and costs no more than its time.
#ifndef PTEEDIT_TOOLS_PTEINSPECT_PROCESS_H_
#define PTEEDIT_TOOLS_PTEINSPECT_PROCESS_H_

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "pteedit/result.h"
#include "pteedit/source.h"

namespace pteedit::cli {

struct CommandLimits {
  std::chrono::milliseconds time{30'000};
  size_t output_bytes = size_t{8} << 20;
};

// Runs `command` with /bin/sh -c, in a process group of its own, with `variables` ("NAME=VALUE") added to the
// environment and no open file but the three standard ones: it may read `input`, also only its beginning, on standard
// input. Returns what it printed on standard output. Fails with kUnsupported, and how it ended and its last line on
// standard error in the message, unless it exits with 0 within the limits; then all of its group is killed. Fails with
// kIo where `input` cannot be read. It is always waited for, and ends with this process where a signal ends that.
// Several threads must not run commands at the same time.
Result<std::string> RunCommand(const std::string& command, const std::vector<std::string>& variables,
                               const Source& input, const CommandLimits& limits);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_PTEINSPECT_PROCESS_H_
