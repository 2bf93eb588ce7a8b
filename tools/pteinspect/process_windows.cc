#include "process.h"

namespace pteedit::cli {

Result<std::string> RunCommand(const std::string&, const std::vector<std::string>&, const Source&,
                               const CommandLimits&) {
  return Unsupported("the decoder command cannot be run: on Windows none can");
}

}  // namespace pteedit::cli
