// The command line of pteprof: its options, what does not go together, and the request that they make.
#ifndef PTEEDIT_TOOLS_PTEPROF_ARGUMENTS_H_
#define PTEEDIT_TOOLS_PTEPROF_ARGUMENTS_H_

#include <vector>

#include "option_table.h"
#include "pteedit/result.h"
#include "request.h"

namespace pteedit::cli {

struct Arguments {
  Request request;
  bool csv = false, markdown = false;  // become the style of the request
};

// The options and DUMP [PROGRAM [DATA...]], whose values go to `arguments`.
std::vector<OptionGroup> OptionTable(Arguments& arguments);

// The request, now that its options were `given`. Fails with kInvalidArgument where they do not go together.
Result<Request> RequestOf(GivenOptions given, Arguments arguments);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_PTEPROF_ARGUMENTS_H_
