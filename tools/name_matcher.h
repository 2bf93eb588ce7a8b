// Names chosen by regular expressions, for options that take them.
#ifndef PTEEDIT_TOOLS_NAME_MATCHER_H_
#define PTEEDIT_TOOLS_NAME_MATCHER_H_

#include <functional>
#include <string>
#include <vector>

#include "pteedit/result.h"

namespace pteedit::cli {

// Whether any of the ECMAScript expressions of `option` is found in a name; unset where there are none. Fails with
// kInvalidArgument where one is no such expression.
Result<std::function<bool(const std::string&)>> NameMatcher(const std::string& option,
                                                            const std::vector<std::string>& expressions);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_NAME_MATCHER_H_
