#include "name_matcher.h"

#include <algorithm>
#include <cstddef>
#include <regex>

namespace pteedit::cli {
namespace {

constexpr size_t kMaxMatchedName = 1024;  // std::regex recurses with the text; no real name is longer

}  // namespace

Result<std::function<bool(const std::string&)>> NameMatcher(const std::string& option,
                                                            const std::vector<std::string>& expressions) {
  if (expressions.empty()) return std::function<bool(const std::string&)>();
  std::vector<std::regex> compiled;
  for (const std::string& expression : expressions) {
    try {
      compiled.emplace_back(expression, std::regex::ECMAScript | std::regex::optimize);
    } catch (const std::regex_error&) {
      return InvalidArgument(option + " '" + expression + "' is no ECMAScript regular expression");
    }
  }
  return std::function<bool(const std::string&)>([compiled](const std::string& name) {
    return name.size() <= kMaxMatchedName &&
           std::any_of(compiled.begin(), compiled.end(),
                       [&](const std::regex& expression) { return std::regex_search(name, expression); });
  });
}

}  // namespace pteedit::cli
