// Targets as options name them, and what they lack in words.
#ifndef PTEEDIT_TOOLS_TARGETS_H_
#define PTEEDIT_TOOLS_TARGETS_H_

#include <string>
#include <vector>

#include "pteedit/result.h"
#include "pteedit/target.h"

namespace pteedit::cli {

// `option` is what the offers were given with.
Result<std::vector<Target>> FindTargets(const char* option, const std::vector<std::string>& offers);

// "named data: since 0.6".
std::string WordsOf(const MissingNeed& need);

// "executorch-0.5 lacks 3 of what it needs".
std::string VerdictOf(const Target& target, const std::vector<MissingNeed>& missing);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_TARGETS_H_
