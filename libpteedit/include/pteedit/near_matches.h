// What a misspelt name was to be.
#ifndef PTEEDIT_NEAR_MATCHES_H_
#define PTEEDIT_NEAR_MATCHES_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "pteedit/export.h"

namespace pteedit {

// `text` with 'a' to 'z' for 'A' to 'Z'.
PTEEDIT_API std::string FoldCase(std::string_view text);

// Those of `names` that look like `wanted`, best first, at most `count`; the case of letters does not count.
PTEEDIT_API std::vector<std::string> NearMatches(const std::vector<std::string>& names, const std::string& wanted,
                                                 size_t count);

}  // namespace pteedit

#endif  // PTEEDIT_NEAR_MATCHES_H_
