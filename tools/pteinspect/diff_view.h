// The view --diff, and the gate --max-growth.
#ifndef PTEEDIT_TOOLS_PTEINSPECT_DIFF_VIEW_H_
#define PTEEDIT_TOOLS_PTEINSPECT_DIFF_VIEW_H_

#include <cstdint>
#include <string>

#include "pteedit/diff.h"
#include "pteedit/result.h"
#include "text/reports.h"
#include "text/style.h"

namespace pteedit::cli {

// How much larger a file may be than the old one.
struct GrowthLimit {
  uint64_t bytes = 0;  // where it is no share
  double percent = 0;  // of the old file's size, where it is one
  bool is_share = false;

  bool allows(const FileDiff& diff) const;
};

// "4096", "4K", "1.5%". Fails with kInvalidArgument.
Result<GrowthLimit> ParseGrowth(const std::string& text);

std::string DiffText(const DiffNames& names, const FileDiff& diff, const Style& style);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_PTEINSPECT_DIFF_VIEW_H_
