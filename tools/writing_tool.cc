#include "writing_tool.h"

#include <unistd.h>

#include <iostream>
#include <map>
#include <memory>
#include <utility>

#include "input_files.h"
#include "progress.h"
#include "pteedit/try.h"
#include "threads.h"

namespace pteedit::cli {
namespace {

constexpr const char* kStandardOutput = "-";
constexpr const char* kProgramToOutput = "-o -";  // a fact that rules speak of

bool IsPowerOfTwo(uint64_t value) { return value != 0 && (value & (value - 1)) == 0; }

std::vector<Output> WithDescriptors(std::vector<Output> outputs) {
  for (Output& output : outputs) {
    if (output.path == kStandardOutput) output.descriptor = STDOUT_FILENO;
  }
  return outputs;
}

}  // namespace

unsigned WritingOptions::ThreadCount() const { return threads ? static_cast<unsigned>(*threads) : cli::ThreadCount(); }

OptionGroup WithWriting(std::vector<OptionRow> rows, WritingOptions& options, const WritingWords& words) {
  const std::vector<OptionRow> writing = {
      {"--align", "SIZE", "Align all segments to at least this, a power of two", &options.alignment},
      ThreadsRow(words.threads, options.threads),
      {"-n,--dry-run", "", "Report everything, write nothing", &options.dry_run},
      {"-f,--force", "", words.force, &options.force},
      {"-v,--verbose", "", "Report every item, not only the ten largest", &options.verbose},
      {.name = "--json",
       .purpose = "The report as JSON",
       .target = &options.json,
       .excludes = {{{kProgramToOutput}, "-o - and --json both want standard output"}}},
      {"--sha256", "", "Report the SHA-256 of the outputs", &options.sha256},
      {"--progress", "WHEN", "Show progress on stderr", &options.progress}};
  rows.insert(rows.end(), writing.begin(), writing.end());
  return {"", std::move(rows)};
}

std::vector<OptionRow> BindRows(BindOptions& options) {
  return {{.name = "--bind",
           .purpose = "Have runtimes refuse other data files (default: where keys do not tell contents)",
           .target = &options.bind,
           .excludes = {{{"--no-bind"}}}},
          {"--no-bind", "", "Let them take any that have the keys", &options.no_bind}};
}

std::string WritingConflict(const OptionGroup& table, GivenOptions given, const WritingOptions& options,
                            const std::string& output) {
  const uint64_t alignment = options.Alignment();
  if (!IsPowerOfTwo(alignment) || alignment < options.kMinAlignment || alignment > options.kMaxAlignment)
    return "--align must be a power of two from 16 to 65536";
  if (output == kStandardOutput) given.insert(kProgramToOutput);
  return FindConflict({table}, given);
}

Result<Container> OpenContainer(const std::string& path) {
  PTEEDIT_ASSIGN(std::shared_ptr<const Source> source, OpenPath(path));
  return Container::Open(std::move(source));
}

Result<std::vector<Container>> OpenContainers(const std::vector<std::string>& paths) {
  std::vector<Container> files;
  for (const std::string& path : paths) {
    PTEEDIT_ASSIGN(Container file, OpenContainer(path));
    files.push_back(std::move(file));
  }
  return files;
}

Result<std::vector<Container>> OpenEachOnce(const std::vector<std::string>& paths) {
  PTEEDIT_ASSIGN(const std::vector<std::shared_ptr<const Source>> sources, OpenPaths(paths));
  std::map<const Source*, Container> opened;
  std::vector<Container> files;
  for (const auto& source : sources) {
    auto known = opened.find(source.get());
    if (known == opened.end()) {
      PTEEDIT_ASSIGN(Container file, Container::Open(source));
      known = opened.emplace(source.get(), std::move(file)).first;
    }
    files.push_back(known->second);
  }
  return files;
}

Result<ProgramSet> OpenSet(const std::string& program, const std::vector<std::string>& data) {
  PTEEDIT_ASSIGN(Container opened, OpenContainer(program));
  PTEEDIT_ASSIGN(std::vector<Container> beside, OpenContainers(data));
  return ProgramSet(std::move(opened), std::move(beside));
}

Status WriteOutputs(const WritingOptions& options, const std::vector<Output>& outputs,
                    const std::vector<std::string>& inputs, RewriteOutput& report,
                    const std::function<Result<std::vector<Output>>()>& settle) {
  const std::vector<Output> all = WithDescriptors(outputs);
  const std::vector<std::string> paths = PathsOf(inputs);
  if (options.dry_run) return CheckWriteFiles(all, paths, options.force);
  WriteOptions how{options.force, options.sha256, ShowWritten};
  if (settle) {
    how.settle = [&]() -> Result<std::vector<Output>> {
      PTEEDIT_ASSIGN(std::vector<Output> settled, settle());
      return WithDescriptors(std::move(settled));
    };
  }
  PTEEDIT_ASSIGN(std::vector<WrittenFile> written, WriteFiles(all, paths, how));
  for (const WrittenFile& file : written) {
    for (ReportedFile& reported : report.outputs) {
      if (reported.file == file.path) reported.sha256 = file.sha256;
    }
  }
  return {};
}

RewriteOutput BeginReport(const std::string& tool, const WritingOptions& options) {
  RewriteOutput report;
  report.tool = tool;
  report.dry_run = options.dry_run;
  report.with_sha256 = options.sha256;
  return report;
}

int PrintReport(const Tool& tool, const WritingOptions& options, const std::string& output,
                const std::function<Result<RewriteOutput>()>& work) {
  BeginProgress(options.progress);
  const Result<RewriteOutput> report = work();
  EndProgressLine();
  if (!report) return tool.PrintError(report.error());
  if (options.json) {
    PrintRewriteJson(*report, std::cout);
  } else if (!tool.quiet()) {
    (output == kStandardOutput ? std::cerr : std::cout) << RewriteText(*report, options.verbose);
  }
  return kExitDone;
}

}  // namespace pteedit::cli
