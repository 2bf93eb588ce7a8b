// How many threads work is shared among where nobody says.
#ifndef PTEEDIT_TOOLS_THREADS_H_
#define PTEEDIT_TOOLS_THREADS_H_

#include <algorithm>
#include <thread>

namespace pteedit::cli {

// One for each core.
inline unsigned ThreadCount() { return std::max(1U, std::thread::hardware_concurrency()); }

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_THREADS_H_
