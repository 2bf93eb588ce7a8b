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

// The one of `names` that is `wanted`, else the only one that is but for the case of letters; null where none is.
PTEEDIT_API const std::string* FindName(const std::vector<std::string>& names, const std::string& wanted);

// "'forwrd', did you mean 'forward'?", without a question where none of `names` looks like `wanted`; control bytes
// escaped.
PTEEDIT_API std::string DidYouMean(const std::string& wanted, const std::vector<std::string>& names, size_t count);

}  // namespace pteedit

#endif  // PTEEDIT_NEAR_MATCHES_H_
