// The command line of ptemerge, parsed but not yet acted on.
#ifndef PTEEDIT_TOOLS_PTEMERGE_ARGUMENTS_H_
#define PTEEDIT_TOOLS_PTEMERGE_ARGUMENTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "cli.h"
#include "writing_tool.h"

namespace pteedit::cli {

struct MergeArguments {
  std::vector<std::string> sets;
  std::string output;
  std::string shared_name = "shared.ptd";
  std::string variant_data = "pte";
  uint64_t min_bytes = 0;
  bool has_min_bytes = false;
  WritingOptions writing;
};

void Declare(CLI::App& app, MergeArguments& arguments);

// What is wrong with the values of options; empty where nothing is.
std::string Conflict(const MergeArguments& arguments);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_PTEMERGE_ARGUMENTS_H_
