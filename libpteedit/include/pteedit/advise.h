// What makes a file larger than it need be, and which command mends it.
#ifndef PTEEDIT_ADVISE_H_
#define PTEEDIT_ADVISE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pteedit/container.h"
#include "pteedit/delegates.h"
#include "pteedit/export.h"
#include "pteedit/program_set.h"
#include "pteedit/result.h"

namespace pteedit {

struct Advice {
  // "stack-traces", "unreferenced", "duplicates", "padding", "bundle", "all-of-these" (several of the former at once),
  // "two-stores", "overlap" (of the same bytes), "in-data-file", "float32", "transposed", "inline-constants",
  // "alignment".
  const char* id = "";
  std::string message;
  uint64_t takes = 0;  // bytes that are told of
  // That the command saves, to the byte, when it is run on the file as it is; nothing where no tool mends it.
  std::optional<uint64_t> saves;
  // The tool and its arguments, the files by their names and the outputs as OUT.pte, OUT.ptd; empty where there is
  // none.
  std::vector<std::string> command;
};

// Those that save most first, behind them those without a command that take most. `delegates` is what
// DescribeDelegates() says of the set. Each command is planned, not estimated, which
// reads contents where equal ones are looked for, in pieces. Same result with any number of threads. Fails only where a
// file can no longer be read.
PTEEDIT_API Result<std::vector<Advice>> Advise(const ProgramSet& set, const std::vector<DelegateDescription>& delegates,
                                               unsigned threads = 1);

}  // namespace pteedit

#endif  // PTEEDIT_ADVISE_H_
