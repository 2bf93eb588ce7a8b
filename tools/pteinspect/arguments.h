// The command line of pteinspect, parsed but not yet acted on.
#ifndef PTEEDIT_TOOLS_PTEINSPECT_ARGUMENTS_H_
#define PTEEDIT_TOOLS_PTEINSPECT_ARGUMENTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli.h"
#include "option_table.h"
#include "pteedit/result.h"
#include "request.h"

namespace pteedit::cli {

struct Arguments {
  std::vector<std::string> files;
  std::vector<Input> inputs;  // what these are, known from SelectViews on
  Request request;

  // What becomes a part of the above in another form.
  std::string hash, same_as, diff, max_growth, runtime;
  std::vector<std::string> by;
  std::vector<std::string> targets;
  std::string emitted_target;
  std::optional<uint64_t> zstd_level, top, threads;
  bool csv = false, markdown = false, assembly = false;
  When progress = When::kAuto;
};

// The options and FILE..., whose values go to `arguments`.
std::vector<OptionGroup> OptionTable(Arguments& arguments);

// Finds the inputs, and which views were asked for, now that options were `given`. Fails with kInvalidArgument where
// they do not go together, and as FindInputs does.
Status SelectViews(const GivenOptions& given, Arguments& arguments);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_PTEINSPECT_ARGUMENTS_H_
