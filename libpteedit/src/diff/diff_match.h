// Which row of the old file is which of the new one.
#ifndef PTEEDIT_SRC_DIFF_DIFF_MATCH_H_
#define PTEEDIT_SRC_DIFF_DIFF_MATCH_H_

#include <cstdint>
#include <vector>

#include "diff/diff_rows.h"

namespace pteedit {

struct RowMatches {
  std::vector<uint32_t> old_of;  // by new row; DiffRow::kNone where it is matched to none
  std::vector<bool> is_taken;    // by old row
};

// As DiffFiles() tells. The other way round it gives the same pairs.
RowMatches MatchRows(const DiffSide& before, const DiffSide& after);

// Whether two delegates have the same operators, keys and types of constants, which all have keys.
bool AreAlike(const DiffDelegate& a, const DiffDelegate& b);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_DIFF_DIFF_MATCH_H_
