#include "writing_tool.h"

#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <thread>

#include "progress.h"

namespace pteedit::cli {
namespace {

constexpr uint64_t kMinAlignment = 16;
constexpr uint64_t kMaxAlignment = 1 << 16;
constexpr const char* kStandardOutput = "-";

bool IsPowerOfTwo(uint64_t value) { return value != 0 && (value & (value - 1)) == 0; }

}  // namespace

unsigned WritingOptions::ThreadCount() const {
  return threads != 0 ? threads : std::max(1U, std::thread::hardware_concurrency());
}

void DeclareWriting(CLI::App& app, WritingOptions& options, const WritingWords& words) {
  AddSizeOption(app, "--align", options.alignment, "Align all segments to at least this, a power of two");
  app.add_option("--threads", options.threads, "Threads for " + words.threads + " (default: all cores)")
      ->check(CLI::Range(1U, 1024U))
      ->type_name("N");
  app.add_flag("-n,--dry-run", options.dry_run, "Report everything, write nothing");
  app.add_flag("-f,--force", options.force, words.force);
  app.add_flag("--json", options.json, "The report as JSON");
  app.add_flag("--sha256", options.sha256, "Report the SHA-256 of the outputs");
  AddProgressOption(app, options.progress);
}

std::string WritingConflict(const WritingOptions& options, const std::string& output) {
  if (!IsPowerOfTwo(options.alignment) || options.alignment < kMinAlignment || options.alignment > kMaxAlignment)
    return "--align must be a power of two from 16 to 65536";
  if (output == kStandardOutput && options.json) return "-o - and --json both want standard output";
  return {};
}

Result<Container> OpenContainer(const std::string& path) {
  Result<std::shared_ptr<const Source>> source = OpenFileSource(path);
  if (!source) return std::move(source).error();
  return Container::Open(CountingReads(*std::move(source)));
}

Result<std::vector<Container>> OpenContainers(const std::vector<std::string>& paths) {
  std::vector<Container> files;
  for (const std::string& path : paths) {
    Result<Container> file = OpenContainer(path);
    if (!file) return std::move(file).error();
    files.push_back(*std::move(file));
  }
  return files;
}

Status WriteOutputs(const WritingOptions& options, const std::vector<Output>& outputs,
                    const std::vector<std::string>& inputs, RewriteOutput& report) {
  std::vector<Output> all = outputs;
  for (Output& output : all) {
    if (output.path == kStandardOutput) output.descriptor = STDOUT_FILENO;
  }
  if (options.dry_run) return CheckWriteFiles(all, inputs, options.force);
  Result<std::vector<WrittenFile>> written = WriteFiles(all, inputs, {options.force, options.sha256, ShowWritten});
  if (!written) return std::move(written).error();
  for (const WrittenFile& file : *written) {
    for (ReportedFile& reported : report.outputs) {
      if (reported.file == file.path) reported.sha256 = file.sha256;
    }
  }
  return {};
}

int PrintReport(const Tool& tool, const WritingOptions& options, const std::string& output,
                const std::function<Result<RewriteOutput>()>& work) {
  BeginProgress(options.progress);
  const Result<RewriteOutput> report = work();
  EndProgressLine();
  if (!report) return tool.PrintError(report.error());
  if (options.json) {
    std::cout << Printed(RewriteJson(*report));
  } else if (!tool.quiet()) {
    (output == kStandardOutput ? std::cerr : std::cout) << RewriteText(*report);
  }
  return kExitDone;
}

}  // namespace pteedit::cli
