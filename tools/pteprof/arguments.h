// The command line of pteprof: its options, what does not go together, and the request that they make.
#ifndef PTEEDIT_TOOLS_PTEPROF_ARGUMENTS_H_
#define PTEEDIT_TOOLS_PTEPROF_ARGUMENTS_H_

#include <vector>

#include "option_table.h"
#include "pteedit/result.h"
#include "request.h"

namespace pteedit::inspect {

struct Arguments {
  Request request;
  bool csv = false, markdown = false;  // become the style of the request
};

// The options, whose values go to `arguments`.
std::vector<cli::OptionGroup> OptionTable(Arguments& arguments);

// Declares the options and DUMP [PROGRAM [DATA...]].
void Declare(CLI::App& app, Arguments& arguments);

// The request, now that `app` is parsed. Fails with kInvalidArgument where options do not go together.
Result<Request> RequestOf(const CLI::App& app, Arguments arguments);

}  // namespace pteedit::inspect

#endif  // PTEEDIT_TOOLS_PTEPROF_ARGUMENTS_H_
