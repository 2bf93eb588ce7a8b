// The shell that all tools share: one door for errors, one meaning of exit codes and common options. A tool declares
// its options, runs one operation of the library and prints; messages and exit codes leave through here.
#ifndef PTEEDIT_TOOLS_CLI_H_
#define PTEEDIT_TOOLS_CLI_H_

#include <functional>
#include <string>
#include <vector>

#include "command_line.h"
#include "option_table.h"
#include "pteedit/container.h"
#include "pteedit/result.h"

namespace pteedit::cli {

// The same in all tools. With several files the highest counts.
enum ExitCode : int {
  kExitDone = 0,
  kExitFindings = 1,  // findings, differences, over a gate
  kExitUsage = 2,
  kExitInput = 3,  // malformed, unsupported or cannot be merged
  kExitIo = 4,
};

ExitCode ExitCodeFor(ErrorCode code);

// The error that a file is of no kind which the library opens, for a tool that takes others too: ".etdp or .etrecord".
// Any other error as it is.
Error NamingAlso(Error error, const std::string& other_kinds);

// An error about a bundle where a program was expected, with what makes one of it. Any other error as it is.
Error HintedToUnwrap(Error error, const Container& program);

enum class Tint { kError, kWarning };

class Tool {
 public:
  explicit Tool(const ToolFacts& facts);

  // --help, --version, -q,--quiet and --color are there already. The targets must outlive it.
  void Declare(const std::vector<OptionGroup>& groups) { command_line_.Declare(groups); }
  // Which of them were given, for the body.
  GivenOptions given() const { return command_line_.given(); }

  // Parses the command line and runs `body`, whose result is the exit code unless the output could not be written.
  int Run(int argc, const char* const* argv, const std::function<int()>& body);

  // Prints "tool: error: FILE: message" to stderr. Returns the exit code that belongs to the error.
  int PrintError(const Error& error) const;
  // The same with a hint at --help; returns kExitUsage.
  int PrintUsageError(const Error& error) const;
  // Prints "tool: warning: FILE: message" to stderr, unless --quiet.
  void PrintWarning(const std::string& file, const std::string& message) const;

  bool quiet() const { return quiet_; }
  // Whether --color wants colors on the open descriptor.
  bool Colors(int descriptor) const;
  // `word` in the color of what it says, where Colors() are wanted.
  std::string Colored(Tint tint, const std::string& word, int descriptor) const;

 private:
  std::string name_, full_name_;
  CommandLine command_line_;
  bool quiet_ = false;
  When color_ = When::kAuto;
};

// That nothing is printed into an input, as with `tool in.pte >>in.pte`. Fails with kInvalidArgument.
Status CheckStandardOutputs(const std::vector<std::string>& inputs);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_CLI_H_
