// The command line of pteinspect, parsed but not yet acted on.
#ifndef PTEEDIT_TOOLS_PTEINSPECT_ARGUMENTS_H_
#define PTEEDIT_TOOLS_PTEINSPECT_ARGUMENTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "cli.h"
#include "option_table.h"
#include "pteedit/result.h"
#include "views.h"

namespace pteedit::inspect {

struct Arguments {
  std::vector<std::string> files;
  Views views;

  // What becomes a part of the above in another form.
  std::string hash, max_growth;
  uint64_t at = 0, max_bytes = 0;
  int zstd_level = 0;
  bool csv = false, markdown = false;
  cli::When progress = cli::When::kAuto;
};

// The options, whose values go to `arguments`.
std::vector<cli::OptionGroup> OptionTable(Arguments& arguments);

void Declare(CLI::App& app, Arguments& arguments);

// Which views were asked for, now that `app` is parsed. Fails with kInvalidArgument where options do not go together.
Status SelectViews(const CLI::App& app, Arguments& arguments);

}  // namespace pteedit::inspect

#endif  // PTEEDIT_TOOLS_PTEINSPECT_ARGUMENTS_H_
