// How many threads work is shared among where nobody says.
#ifndef PTEEDIT_TOOLS_THREADS_H_
#define PTEEDIT_TOOLS_THREADS_H_

#ifdef __linux__
#include <sched.h>
#endif

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>

#include "option_table.h"

namespace pteedit::cli {

// One for each core that this process may use.
inline unsigned ThreadCount() {
#ifdef __linux__
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof cores, &cores) == 0) return static_cast<unsigned>(CPU_COUNT(&cores));
#endif
  return std::max(1U, std::thread::hardware_concurrency());
}

// --threads, for what `purpose` says.
inline OptionRow ThreadsRow(const std::string& purpose, std::optional<uint64_t>& threads) {
  constexpr uint64_t kMaxThreads = 1024;
  return {"--threads", "N", "Threads for " + purpose + " (default: all cores)", Number{&threads, 1, kMaxThreads}};
}

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_THREADS_H_
