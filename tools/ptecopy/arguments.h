// The command line of ptecopy, parsed but not yet acted on.
#ifndef PTEEDIT_TOOLS_PTECOPY_ARGUMENTS_H_
#define PTEEDIT_TOOLS_PTECOPY_ARGUMENTS_H_

#include <string>
#include <vector>

#include "writing_tool.h"

namespace pteedit::cli {

struct CopyArguments {
  std::string input, output;
  bool upgrade = false;
  std::vector<std::string> keep_methods, remove_methods, rename_methods, add_methods, set_methods;
  std::vector<std::string> set_metadata, remove_metadata;
  std::vector<std::string> add_data, remove_data, rename_keys;
  std::vector<std::string> replace, refit;
  std::string splat;
  WritingOptions writing;
};

// The options, whose values go to `arguments`.
OptionGroup OptionTable(CopyArguments& arguments);

// What is wrong with the options given; empty where nothing is.
std::string Conflict(const GivenOptions& given, CopyArguments& arguments);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_PTECOPY_ARGUMENTS_H_
