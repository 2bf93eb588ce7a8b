// The command line of ptemerge, parsed but not yet acted on.
#ifndef PTEEDIT_TOOLS_PTEMERGE_ARGUMENTS_H_
#define PTEEDIT_TOOLS_PTEMERGE_ARGUMENTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "writing_tool.h"

namespace pteedit::cli {

struct MergeArguments {
  std::vector<std::string> sets;
  std::vector<std::string> bases, match;
  std::string output;
  std::string previous;  // empty: there is none
  std::string shared_name = "shared.ptd";
  std::string variant_data = "pte";
  std::optional<uint64_t> min_bytes, max_bytes;
  BindOptions binding;
  WritingOptions writing;
};

// The options, whose values go to `arguments`.
OptionGroup OptionTable(MergeArguments& arguments);

// What is wrong with the options given and their values; empty where nothing is.
std::string Conflict(const GivenOptions& given, MergeArguments& arguments);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_PTEMERGE_ARGUMENTS_H_
