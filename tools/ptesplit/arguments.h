// The command line of ptesplit, parsed but not yet acted on.
#ifndef PTEEDIT_TOOLS_PTESPLIT_ARGUMENTS_H_
#define PTEEDIT_TOOLS_PTESPLIT_ARGUMENTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "writing_tool.h"

namespace pteedit::cli {

struct SplitArguments {
  std::string input, output, data_output;
  bool join = false;
  std::vector<std::string> data;  // data files that the program has, or that are joined to it
  std::vector<std::string> kinds, names, methods, backends, match, not_match, bases;
  std::optional<uint64_t> min_bytes, max_bytes;
  BindOptions binding;
  WritingOptions writing;
};

// The options, whose values go to `arguments`.
OptionGroup OptionTable(SplitArguments& arguments);

// What is wrong with the options given; empty where nothing is. Adds data files that are in an archive.
std::string Conflict(GivenOptions given, SplitArguments& arguments);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_PTESPLIT_ARGUMENTS_H_
