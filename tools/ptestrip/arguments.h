// The command line of ptestrip, parsed but not yet acted on.
#ifndef PTEEDIT_TOOLS_PTESTRIP_ARGUMENTS_H_
#define PTEEDIT_TOOLS_PTESTRIP_ARGUMENTS_H_

#include <string>
#include <vector>

#include "pteedit/strip.h"
#include "writing_tool.h"

namespace pteedit::cli {

struct StripArguments {
  std::string input, output;
  std::string debug_file;             // where what --debug removes goes; empty: nowhere
  std::vector<std::string> programs;  // that the data file is for
  bool debug = false, unreferenced = false, padding = false, dedupe = false, overlap = false, repack = false;
  bool unwrap = false;
  bool all = false;
  WritingOptions writing;
};

// The options, whose values go to `arguments`.
OptionGroup OptionTable(StripArguments& arguments);

// What is wrong with the options given; empty where nothing is.
std::string Conflict(const GivenOptions& given, StripArguments& arguments);

// What is wrong with options that are no use for a record; empty where nothing is.
std::string RecordConflict(const StripArguments& arguments);

// What to remove: what was asked for, the default of the library where nothing was.
StripOptions OptionsFor(const StripArguments& arguments);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_PTESTRIP_ARGUMENTS_H_
