// Two dumps joined by debug handles.
#ifndef PTEEDIT_SRC_PROFILE_HANDLE_JOIN_H_
#define PTEEDIT_SRC_PROFILE_HANDLE_JOIN_H_

#include <optional>
#include <string>
#include <vector>

#include "pteedit/profile/numeric_gap.h"
#include "pteedit/result.h"

namespace pteedit {

// Lists item by item.
std::vector<DebugValue> Flat(const std::vector<DebugValue>& values);

// The only method that the block may be a run of; empty where there are none or several.
std::string MethodOf(const EventBlock& block);

// Whether two blocks ran the same method on the same input, as far as is known.
bool AreAlike(const EventBlock& a, const EventBlock& b);

// The operators, see CompareRuns; nothing where one of the dumps has none with handles and values.
Result<std::optional<NumericGap>> CompareByHandles(const LoggedRun& reference, const LoggedRun& run);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_PROFILE_HANDLE_JOIN_H_
