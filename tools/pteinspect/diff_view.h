// The view --diff, and the gate --max-growth.
#ifndef PTEEDIT_TOOLS_PTEINSPECT_DIFF_VIEW_H_
#define PTEEDIT_TOOLS_PTEINSPECT_DIFF_VIEW_H_

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>

#include "json.h"
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
  uint64_t BytesFor(const FileDiff& diff) const;  // the most by which the file may have grown
};

// "4096", "4K", "1.5%". Fails with kInvalidArgument.
Result<GrowthLimit> ParseGrowth(const std::string& text);

// "fails: 8448 bytes more, at most 8447 allowed".
std::string VerdictText(const FileDiff& diff, const GrowthLimit& limit);

// How much of a diff text and Markdown show.
struct DiffDetail {
  static constexpr uint64_t kTop = 10;
  uint64_t top = kTop;  // rows of each table, the largest
  bool all = false;     // all rows, those that take as many bytes as before too, and whole hashes
};

// At least a line, row by row.
void PrintDiffText(const DiffNames& names, const FileDiff& diff, const std::optional<GrowthLimit>& limit,
                   const DiffDetail& detail, const Style& style, std::ostream& out);

Json VerdictJson(const FileDiff& diff, const GrowthLimit& limit);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_PTEINSPECT_DIFF_VIEW_H_
