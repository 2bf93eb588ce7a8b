// What the tools that write files have in common: their options, opening inputs, writing outputs.
#ifndef PTEEDIT_TOOLS_WRITING_TOOL_H_
#define PTEEDIT_TOOLS_WRITING_TOOL_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli.h"
#include "pteedit/binding.h"
#include "pteedit/container.h"
#include "pteedit/planned_file.h"
#include "pteedit/program_set.h"
#include "rewrite_output.h"

namespace pteedit::cli {

struct WritingOptions {
  std::optional<uint64_t> alignment;  // of all segments; 16 where nothing was said
  std::optional<uint64_t> threads;    // nothing: as many as the machine has
  std::vector<std::string> names;     // files that know what contents are called
  bool dry_run = false, force = false, verbose = false, json = false, sha256 = false;
  When progress = When::kAuto;

  uint64_t Alignment() const { return alignment.value_or(kMinAlignment); }
  unsigned ThreadCount() const;

  static constexpr uint64_t kMinAlignment = 16, kMaxAlignment = 1 << 16;
};

struct WritingWords {
  std::string threads;  // what they are for: "hashing"
  std::string force = "Replace existing outputs";
};

// --align, --threads, --dry-run, --force, --verbose, --json, --sha256, --progress, behind `rows`.
OptionGroup WithWriting(std::vector<OptionRow> rows, WritingOptions& options, const WritingWords& words);

// Whether programs are bound to data files: --bind, --no-bind, or neither.
struct BindOptions {
  bool bind = false, no_bind = false;
  Bind Choice() const { return bind ? Bind::kAlways : no_bind ? Bind::kNever : Bind::kWhereNames; }
};
std::vector<OptionRow> BindRows(BindOptions& options);

// What is wrong with options that go together or do not; empty where nothing is. The program goes to `output`: the fact
// "-o -" is there where that is standard output.
std::string WritingConflict(const OptionGroup& table, GivenOptions given, const WritingOptions& options,
                            const std::string& output);

// As OpenPath opens what is named.
Result<Container> OpenContainer(const std::string& path);
Result<std::vector<Container>> OpenContainers(const std::vector<std::string>& paths);
// A file that is named several times is opened once.
Result<std::vector<Container>> OpenEachOnce(const std::vector<std::string>& paths);
Result<ProgramSet> OpenSet(const std::string& program, const std::vector<std::string>& data);

// Writes the outputs, those whose path is - to standard output. In a dry run only checks that they could be written.
// Puts the SHA-256 of what was written into `report`, where it was asked for. `settle` is as in WriteOptions.
Status WriteOutputs(const WritingOptions& options, const std::vector<Output>& outputs,
                    const std::vector<std::string>& inputs, RewriteOutput& report,
                    const std::function<Result<std::vector<Output>>()>& settle = {});

// A report of `tool`, with what the options say of it.
RewriteOutput BeginReport(const std::string& tool, const WritingOptions& options);

// Runs `work` and prints its report, not onto standard output where that is an output, or its error. Returns the exit
// code.
int PrintReport(const Tool& tool, const WritingOptions& options, const std::string& output,
                const std::function<Result<RewriteOutput>()>& work);

// The whole of a tool's main. `Arguments` have `output` and `writing`; beside them stand OptionTable(), Conflict() and
// Run().
template <class Arguments>
int RunWritingTool(const ToolFacts& facts, int argc, char** argv) {
  Tool tool(facts);
  Arguments arguments;
  tool.Declare({OptionTable(arguments)});
  return tool.Run(argc, argv, [&] {
    const std::string conflict = Conflict(tool.given(), arguments);
    if (!conflict.empty()) return tool.PrintError(InvalidArgument(conflict));
    return PrintReport(tool, arguments.writing, arguments.output, [&] { return Run(arguments); });
  });
}

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_WRITING_TOOL_H_
