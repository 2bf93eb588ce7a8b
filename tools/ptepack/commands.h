// The commands of ptepack. Each takes its own words, from its name on, as main takes those of a tool, and returns the
// exit code.
#ifndef PTEEDIT_TOOLS_PTEPACK_COMMANDS_H_
#define PTEEDIT_TOOLS_PTEPACK_COMMANDS_H_

#include <string>

#include "command_line.h"

namespace pteedit::cli {

int ListMain(int argc, const char* const* argv);

// Of the command with this name.
inline ToolFacts FactsOf(const std::string& command, const std::string& purpose, const std::string& examples) {
  return {.name = "ptepack", .purpose = purpose, .examples = examples, .command = command};
}

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_PTEPACK_COMMANDS_H_
