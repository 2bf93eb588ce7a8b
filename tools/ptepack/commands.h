// The commands of ptepack. Each takes its own words, from its name on, as main takes those of a tool, and returns the
// exit code.
#ifndef PTEEDIT_TOOLS_PTEPACK_COMMANDS_H_
#define PTEEDIT_TOOLS_PTEPACK_COMMANDS_H_

#include <iostream>
#include <string>
#include <vector>

#include "cli.h"
#include "command_line.h"
#include "json.h"
#include "option_table.h"
#include "progress.h"
#include "writing_tool.h"

namespace pteedit::cli {

int ApplyMain(int argc, const char* const* argv);
int CreateMain(int argc, const char* const* argv);
int DeltaMain(int argc, const char* const* argv);
int VerifyMain(int argc, const char* const* argv);
int ListMain(int argc, const char* const* argv);
int PruneMain(int argc, const char* const* argv);
int ArchiveMain(int argc, const char* const* argv);

inline constexpr uint64_t kMaxPackThreads = 256;

// --dry-run, --force, --json and --progress of a command that writes; `force` says what it replaces.
inline std::vector<OptionRow> WritingRows(WritingOptions& options, const std::string& force) {
  return {{"-n,--dry-run", "", "Report everything, write nothing", &options.dry_run},
          {"-f,--force", "", force, &options.force},
          {.name = "--json",
           .purpose = "The report as JSON",
           .target = &options.json,
           .excludes = {{{"-o -"}, "-o - and --json both want standard output"}}},
          {"--progress", "WHEN", "Show progress on stderr", &options.progress}};
}

// Of the command with this name.
inline ToolFacts FactsOf(const std::string& command, const std::string& purpose, const std::string& examples) {
  return {.name = "ptepack", .purpose = purpose, .examples = examples, .command = command};
}

// Says which options contradict; else runs work() -> Result<Report> with progress, and prints what to_json(report) or
// to_text(report) makes of it. Returns the exit code.
template <class Work, class ToJson, class ToText>
int PrintResultOf(const Tool& tool, const OptionGroup& rows, const WritingOptions& writing, Work work, ToJson to_json,
                  ToText to_text) {
  const std::string conflict = FindConflict({rows}, tool.given());
  if (!conflict.empty()) return tool.PrintError(InvalidArgument(conflict));
  BeginProgress(writing.progress);
  const auto report = work();
  EndProgressLine();
  if (!report) return tool.PrintError(report.error());
  if (writing.json) {
    std::cout << Printed(to_json(*report, writing.dry_run));
  } else if (!tool.quiet()) {
    std::cout << to_text(*report);
  }
  return kExitDone;
}

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_PTEPACK_COMMANDS_H_
