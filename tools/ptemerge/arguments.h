// The command line of ptemerge, parsed but not yet acted on.
#ifndef PTEEDIT_TOOLS_PTEMERGE_ARGUMENTS_H_
#define PTEEDIT_TOOLS_PTEMERGE_ARGUMENTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "cli.h"

namespace pteedit::cli {

struct MergeArguments {
  std::vector<std::string> sets;
  std::string output;
  std::string shared_name = "shared.ptd";
  std::string variant_data = "pte";
  uint64_t min_bytes = 0;
  bool has_min_bytes = false;
  uint64_t alignment = 16;
  unsigned threads = 0;  // 0: as many as the machine has
  bool dry_run = false, force = false, json = false, sha256 = false;
  When progress = When::kAuto;
};

void Declare(CLI::App& app, MergeArguments& arguments);

// What is wrong with the values of options; empty where nothing is.
std::string Conflict(const MergeArguments& arguments);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_PTEMERGE_ARGUMENTS_H_
