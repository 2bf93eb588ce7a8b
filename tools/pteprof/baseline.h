// --baseline: how much slower or faster a dump is than an earlier one, and the gate --max-slowdown.
#ifndef PTEEDIT_TOOLS_PTEPROF_BASELINE_H_
#define PTEEDIT_TOOLS_PTEPROF_BASELINE_H_

#include <cstddef>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "json.h"
#include "pteedit/profile/profile_changes.h"
#include "pteedit/result.h"
#include "text/style.h"

namespace pteedit::cli {

struct Baseline {
  std::string file;
  TimeScale scale = TimeScale::kMs;
  std::optional<double> max_slowdown;  // 0.1 for a tenth
  std::vector<BlockChange> blocks;
  std::optional<std::vector<BlockChange>> types;  // with --by-type: shown in their place

  // Blocks in which instructions ran whose verdict is slower, by more than allowed.
  std::vector<const BlockChange*> too_slow() const;
  // How many blocks in which instructions ran have too few runs for a verdict.
  size_t unjudged() const;
  // How many blocks in which instructions ran only one of the profiles has.
  size_t uncompared() const;
};

// What the slowest of too_slow() is, without the end of a line; empty where there is none.
std::string SlowestText(const Baseline& baseline);

// 0.1 of "10%". Fails with kInvalidArgument.
Result<double> ParseSlowdown(const std::string& text);

// Fails with kUnsupported where no block that ran instructions is in both profiles.
Status CheckComparable(const std::vector<BlockChange>& blocks);

// "Execute of forward".
std::string BlockChangeText(const BlockChange& block);

void PrintBaseline(const Baseline& baseline, const Style& style, std::ostream& out);
void PrintBaseline(const Baseline& baseline, JsonPrinter& printer);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_PTEPROF_BASELINE_H_
