// What is in the flatbuffer of a file: methods, their values, instructions, texts.
#ifndef PTEEDIT_SRC_INSPECT_TABLE_ROWS_H_
#define PTEEDIT_SRC_INSPECT_TABLE_ROWS_H_

#include <string_view>

#include "inspect/claimed_tree.h"
#include "pteedit/container.h"

namespace pteedit {

// What rows of methods are called, with the name behind it.
inline constexpr std::string_view kMethodRow = "method ";

// Claims all bytes of `extent`, the place of the tables of `file`, for rows of `component`, see MeasureSizes(); for
// itself where there are more than 1000 methods. Of parts that several refer to, the first has the bytes.
void ClaimTableRows(const Container& file, Extent extent, ClaimedTree::Owner component, ClaimedTree& tree);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_INSPECT_TABLE_ROWS_H_
