#include "run.h"

#include <unistd.h>

#include <algorithm>
#include <limits>
#include <thread>

#include "progress.h"
#include "pteedit/planned_file.h"
#include "pteedit/split.h"

namespace pteedit::cli {
namespace {

Result<Container> Open(const std::string& path) {
  Result<std::shared_ptr<const Source>> source = OpenFileSource(path);
  if (!source) return std::move(source).error();
  return Container::Open(*source);
}

Result<std::vector<Container>> OpenAll(const std::vector<std::string>& paths) {
  std::vector<Container> files;
  for (const std::string& path : paths) {
    Result<Container> file = Open(path);
    if (!file) return std::move(file).error();
    files.push_back(*std::move(file));
  }
  return files;
}

// What both directions have in common once their plan is there.
struct Plan {
  PlannedFile program;
  std::optional<PlannedFile> data;
  RewriteReport report;
};

Result<Plan> PlanSplit(const SplitArguments& arguments, const Container& program, const std::vector<Container>& data) {
  SplitOptions options;
  SplitSelection& selection = options.selection;
  const auto wants = [&](const char* kind) {
    return std::find(arguments.kinds.begin(), arguments.kinds.end(), kind) != arguments.kinds.end();
  };
  if (!arguments.kinds.empty()) {
    selection.constants = wants("constant");
    selection.named_data = wants("named-data");
    selection.mutables = wants("mutable");
  }
  auto matcher = NameMatcher(arguments.names);
  if (!matcher) return std::move(matcher).error();
  selection.name_matches = *std::move(matcher);
  selection.min_bytes = arguments.min_bytes;
  selection.methods = arguments.methods;
  selection.backends = arguments.backends;
  for (auto [paths, files] :
       {std::pair(&arguments.match, &selection.match), {&arguments.not_match, &selection.not_match}}) {
    Result<std::vector<Container>> opened = OpenAll(*paths);
    if (!opened) return std::move(opened).error();
    *files = *std::move(opened);
  }
  if (arguments.has_min_bytes) options.max_external_tensors = std::numeric_limits<uint64_t>::max();
  options.min_alignment = arguments.alignment;
  options.threads = arguments.threads != 0 ? arguments.threads : std::max(1U, std::thread::hardware_concurrency());
  options.data_name = arguments.data_output;
  Result<SplitResult> split = SplitProgram(program, data, options);
  if (!split) return std::move(split).error();
  return Plan{std::move(split->program), std::move(split->data), std::move(split->report)};
}

Result<Plan> PlanJoin(const SplitArguments& arguments, const Container& program, const std::vector<Container>& data) {
  Result<JoinResult> joined = JoinProgram(program, data, {arguments.alignment, arguments.output});
  if (!joined) return std::move(joined).error();
  return Plan{std::move(joined->program), std::nullopt, std::move(joined->report)};
}

// Data before the program, so that no program ever stands there without its data.
std::vector<Output> OutputsOf(const SplitArguments& arguments, const Plan& plan) {
  std::vector<Output> outputs;
  if (plan.data) outputs.push_back({arguments.data_output, *plan.data});
  if (!arguments.to_standard_output()) outputs.push_back({arguments.output, plan.program});
  return outputs;
}

RewriteOutput ReportOf(const SplitArguments& arguments, const Container& program, const std::vector<Container>& data,
                       Plan& plan) {
  RewriteOutput output;
  output.tool = "ptesplit";
  output.dry_run = arguments.dry_run;
  output.with_sha256 = arguments.sha256;
  output.inputs.push_back({program.name(), program.source()->size(), {}, {}});
  for (const Container& file : data) {
    (arguments.join ? output.inputs : output.kept).push_back({file.name(), file.source()->size(), {}, {}});
  }
  output.outputs.push_back({arguments.output, plan.program.size(), "program", {}});
  if (plan.data) output.outputs.push_back({arguments.data_output, plan.data->size(), "shared", {}});
  output.report = std::move(plan.report);
  return output;
}

Status Write(const SplitArguments& arguments, const std::vector<Output>& outputs, const PlannedFile& program,
             RewriteOutput& report) {
  std::vector<std::string> inputs = arguments.data;
  inputs.push_back(arguments.input);
  inputs.insert(inputs.end(), arguments.match.begin(), arguments.match.end());
  inputs.insert(inputs.end(), arguments.not_match.begin(), arguments.not_match.end());
  if (arguments.dry_run) {
    std::vector<std::string> paths;
    for (const Output& output : outputs) paths.push_back(output.path);
    return CheckOutputs(paths, inputs, arguments.force);
  }
  const WriteOptions options{arguments.force, arguments.sha256, MakeProgress(arguments.progress)};
  Result<std::vector<WrittenFile>> written = WriteFiles(outputs, inputs, options);
  if (!written) return std::move(written).error();
  for (const WrittenFile& file : *written) {
    for (ReportedFile& reported : report.outputs) {
      if (reported.file == file.path) reported.sha256 = file.sha256;
    }
  }
  return arguments.to_standard_output() ? WriteStream(program, STDOUT_FILENO) : Status();
}

}  // namespace

Result<RewriteOutput> Run(const SplitArguments& arguments) {
  Result<Container> program = Open(arguments.input);
  if (!program) return std::move(program).error();
  Result<std::vector<Container>> data = OpenAll(arguments.data);
  if (!data) return std::move(data).error();
  Result<Plan> plan = arguments.join ? PlanJoin(arguments, *program, *data) : PlanSplit(arguments, *program, *data);
  if (!plan) return std::move(plan).error();
  RewriteOutput report = ReportOf(arguments, *program, *data, *plan);
  Status written = Write(arguments, OutputsOf(arguments, *plan), plan->program, report);
  if (!written) return std::move(written).error();
  return report;
}

}  // namespace pteedit::cli
