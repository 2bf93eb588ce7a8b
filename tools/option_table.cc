#include "option_table.h"

#include <algorithm>

namespace pteedit::cli {
namespace {

// "--max-size" of "-m,--max-size".
std::string LastName(const std::string& names) { return names.substr(names.rfind(',') + 1); }

// The sentence with a name in place of {}.
std::string Naming(std::string sentence, const std::string& name) {
  const size_t place = sentence.find("{}");
  return place == std::string::npos ? sentence : sentence.replace(place, 2, name);
}

std::string ConflictOf(const OptionRow& row, const GivenOptions& given) {
  const auto is_given = [&](const std::string& name) { return given.count(name) != 0; };
  for (const OtherOptions& needed : row.needs) {
    if (std::any_of(needed.names.begin(), needed.names.end(), is_given)) continue;
    return needed.sentence.empty() ? LastName(row.name) + " needs " + Alternatives(needed.names) : needed.sentence;
  }
  for (const OtherOptions& excluded : row.excludes) {
    const auto other = std::find_if(excluded.names.begin(), excluded.names.end(), is_given);
    if (other == excluded.names.end()) continue;
    return excluded.sentence.empty() ? LastName(row.name) + " and " + *other + " exclude each other"
                                     : Naming(excluded.sentence, *other);
  }
  return {};
}

}  // namespace

std::string Alternatives(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) text += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + names[i];
  return text;
}

std::string FindConflict(const std::vector<OptionGroup>& groups, const GivenOptions& given) {
  for (const OptionGroup& group : groups) {
    for (const OptionRow& row : group.rows) {
      if (given.count(LastName(row.name)) == 0) continue;
      if (std::string conflict = ConflictOf(row, given); !conflict.empty()) return conflict;
    }
  }
  return {};
}

}  // namespace pteedit::cli
