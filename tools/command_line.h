// A command line, read by a table of options. The one place that knows how that is done (CLI11): its headers are slow
// to compile.
#ifndef PTEEDIT_TOOLS_COMMAND_LINE_H_
#define PTEEDIT_TOOLS_COMMAND_LINE_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "option_table.h"
#include "pteedit/result.h"

namespace pteedit::cli {

struct ToolFacts {
  std::string name;      // "pteinspect"
  std::string purpose;   // the first line of --help
  std::string examples;  // the last lines of --help
  std::string help_flag = "-h,--help";
  std::string command = {};  // of a tool that has several: "list"

  // As it is called: "ptepack list".
  std::string FullName() const { return command.empty() ? name : name + " " + command; }
};

class CommandLine {
 public:
  // --help and --version are there already.
  explicit CommandLine(const ToolFacts& facts);
  ~CommandLine();

  // The targets must outlive it.
  void Declare(const std::vector<OptionGroup>& groups);

  // Puts values where the rows say. The exit code where nothing else is wanted: --help and --version are printed. Fails
  // with kInvalidArgument.
  Result<std::optional<int>> Parse(int argc, const char* const* argv);

  // What was given, once it is parsed.
  GivenOptions given() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_COMMAND_LINE_H_
