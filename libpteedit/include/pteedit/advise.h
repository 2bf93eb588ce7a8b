// What makes a file larger than it need be, and which rewrite mends it.
#ifndef PTEEDIT_ADVISE_H_
#define PTEEDIT_ADVISE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "pteedit/copy.h"
#include "pteedit/delegates.h"
#include "pteedit/export.h"
#include "pteedit/program_set.h"
#include "pteedit/result.h"
#include "pteedit/split.h"
#include "pteedit/strip.h"

namespace pteedit {

struct Advice {
  // "stack-traces", "unreferenced", "duplicates", "padding", "repeated-tables", "bundle", "all-of-these" (several of
  // the former at once), "two-stores", "overlap" (of the same bytes), "in-data-file", "float32", "unfolded" (quantized
  // at run time), "transposed", "inline-constants", "alignment", and of memory in a run "planned-memory" and
  // "computed-again".
  const char* id = "";
  std::string message;
  uint64_t takes = 0;  // bytes that are told of
  // The rewrite that mends it, of the set as it is: Strip(), SplitProgram() or Copy() with these options; nothing where
  // none does.
  std::variant<std::monostate, StripOptions, SplitOptions, CopyOptions> remedy;
  std::optional<uint64_t> saves;  // what that saves, to the byte; nothing where it mends without saving
};

// Those that save most first, behind them those without a remedy that take most. `delegates` tells what
// DescribeDelegates() says of the set; it is asked at most once, behind what takes most memory, and what it tells is
// looked at until the end. Each remedy is planned, not estimated, which reads contents where equal ones are
// looked for, in pieces. Same result with any number of threads. Fails only where a file can no longer be
// read, or as `delegates` does.
using DelegatesFunction = std::function<Result<const std::vector<DelegateDescription>*>()>;
PTEEDIT_API Result<std::vector<Advice>> Advise(const ProgramSet& set, const DelegatesFunction& delegates,
                                               unsigned threads = 1);

}  // namespace pteedit

#endif  // PTEEDIT_ADVISE_H_
