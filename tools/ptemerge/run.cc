#include "run.h"

#include <set>

#include "input_files.h"
#include "packages.h"
#include "previous.h"
#include "progress.h"
#include "pteedit/merge.h"
#include "pteedit/planned_file.h"
#include "pteedit/shards.h"
#include "pteedit/text.h"
#include "pteedit/try.h"
#include "sets.h"
#include "shard_index.h"
#include "text/names.h"

namespace pteedit::cli {
namespace {

Result<std::vector<NamedFiles>> ParseSets(const MergeArguments& arguments) {
  std::vector<NamedFiles> sets;
  for (const std::string& text : arguments.sets) {
    PTEEDIT_ASSIGN(NamedFiles set, ParseNamedFiles(text));
    sets.push_back(std::move(set));
  }
  return sets;
}

Result<std::vector<SetFiles>> PlaceSets(const MergeArguments& arguments, std::vector<NamedFiles> named) {
  std::vector<SetFiles> sets;
  for (NamedFiles& set : named) sets.push_back({std::move(set), {}, {}});
  PTEEDIT_TRY(PlaceOutputs(sets, arguments.shared_name, arguments.variant_data == "ptd"));
  return sets;
}

std::vector<std::string> AllInputs(const std::vector<SetFiles>& sets, const std::vector<std::string>& bases) {
  std::vector<std::string> paths;
  for (const SetFiles& set : sets) paths.insert(paths.end(), set.paths.begin(), set.paths.end());
  paths.insert(paths.end(), bases.begin(), bases.end());
  return paths;
}

Result<std::vector<MergeSet>> SetsOf(const MergeArguments& arguments, const std::vector<SetFiles>& names,
                                     const std::vector<Container>& files) {
  std::vector<MergeSet> sets;
  std::set<const Source*> programs;
  auto file = files.begin();
  for (const SetFiles& name : names) {
    const Container& program = *file++;
    if (!programs.insert(program.source().get()).second) {
      return InvalidArgument("is given twice; each SET is a program of its own").In(program.name());
    }
    const auto end = file + static_cast<std::ptrdiff_t>(name.paths.size() - 1);
    sets.push_back(
        {{program, {file, end}}, arguments.output + "/" + name.output, arguments.output + "/" + name.data_output});
    file = end;
  }
  return sets;
}

// Data before the programs, as a program must not stand without its data.
Result<std::vector<Output>> OutputsOf(const MergeArguments& arguments, const std::vector<SetFiles>& names,
                                      const MergeResult& merged, std::vector<ReportedFile>& reported) {
  std::vector<Output> outputs;
  const auto add = [&](const std::string& path, const PlannedFile& file, const char* role) {
    outputs.push_back({path, file});
    reported.push_back({arguments.output + "/" + path, file.size(), role, {}});
  };
  const auto shard_name = [&](size_t i) { return ShardName(arguments.shared_name, i, merged.shared.size()); };
  for (size_t i = 0; i < merged.shared.size(); ++i) add(shard_name(i), merged.shared[i], "shared");
  for (size_t i = 0; i < names.size(); ++i) {
    if (merged.programs[i].data) add(names[i].data_output, *merged.programs[i].data, "variant");
  }
  for (size_t i = 0; i < names.size(); ++i) {
    const MergedProgram& program = merged.programs[i];
    add(names[i].output, program.program, "program");
    std::vector<std::string>& data = reported.back().data.emplace();
    for (const size_t shard : program.shared) data.push_back(arguments.output + "/" + shard_name(shard));
    if (program.data) data.push_back(arguments.output + "/" + names[i].data_output);
  }
  if (merged.shared.size() > 1) {
    PTEEDIT_ASSIGN(const PlannedFile index, PlanShardIndex(arguments.shared_name, merged.shared));
    add(IndexName(arguments.shared_name), index, "index");
  }
  return outputs;
}

void ReportInputs(const std::vector<MergeSet>& sets, const std::vector<Container>& bases,
                  const std::vector<Container>& unused, RewriteOutput& report) {
  std::set<const Source*> seen;
  const auto add = [&](const Container& file, std::vector<ReportedFile>& list) {
    if (seen.insert(file.source().get()).second) list.push_back({file.name(), file.source()->size(), {}, {}});
  };
  for (const Container& file : bases) {
    add(file, report.kept);
    report.bases.push_back(file.name());
  }
  for (const Container& file : unused) add(file, report.kept);
  for (const MergeSet& set : sets) {
    add(set.files.file(), report.inputs);
    for (const Container& file : set.files.data()) add(file, report.inputs);
  }
}

// The last of the files, each once.
std::vector<Container> BasesOf(const MergeArguments& arguments, const std::vector<Container>& files) {
  std::vector<Container> bases;
  std::set<const Source*> seen;
  for (size_t i = files.size() - arguments.bases.size(); i < files.size(); ++i) {
    if (seen.insert(files[i].source().get()).second) bases.push_back(files[i]);
  }
  return bases;
}

MergeOptions OptionsOf(const MergeArguments& arguments, std::vector<Container> bases) {
  MergeOptions options;
  if (arguments.variant_data == "ptd") options.variant_data = VariantData::kDataFile;
  if (arguments.min_bytes) options.min_bytes = *arguments.min_bytes;
  options.max_shard_bytes = arguments.max_bytes;
  options.min_alignment = arguments.writing.Alignment();
  options.threads = arguments.writing.ThreadCount();
  options.shared_name = arguments.output + "/" + arguments.shared_name;
  options.bases = std::move(bases);
  options.bind = arguments.binding.Choice();
  return options;
}

}  // namespace

Status WriteMerged(const MergeArguments& arguments, const std::vector<Output>& outputs,
                   const std::vector<std::string>& inputs, std::vector<ReportedFile>& reported) {
  if (arguments.writing.dry_run)
    return CheckWriteFolder(arguments.output, outputs, PathsOf(inputs), arguments.writing.force);
  const WriteOptions options{arguments.writing.force, arguments.writing.sha256, ShowWritten};
  PTEEDIT_ASSIGN(std::vector<WrittenFile> written, WriteFolder(arguments.output, outputs, PathsOf(inputs), options));
  for (size_t i = 0; i < reported.size(); ++i) reported[i].sha256 = written[i].sha256;
  return {};
}

Result<RewriteOutput> Run(const MergeArguments& given) {
  MergeArguments arguments = given;
  while (arguments.output.size() > 1 && arguments.output.back() == '/') arguments.output.pop_back();
  PTEEDIT_ASSIGN(std::vector<NamedFiles> given_sets, ParseSets(arguments));
  if (IsPackage(given_sets.front())) return RunPackages(arguments, given_sets);
  PTEEDIT_ASSIGN(const std::vector<SetFiles> names, PlaceSets(arguments, std::move(given_sets)));
  const std::vector<std::string> paths = AllInputs(names, arguments.bases);
  std::vector<std::string> inputs = paths;
  inputs.insert(inputs.end(), arguments.writing.names.begin(), arguments.writing.names.end());
  inputs.insert(inputs.end(), arguments.match.begin(), arguments.match.end());
  PTEEDIT_TRY(CheckStandardOutputs(PathsOf(inputs)));
  PTEEDIT_ASSIGN(std::vector<Container> files, OpenEachOnce(paths));
  PTEEDIT_ASSIGN(const NamedInputs named,
                 NameInputs(std::move(files), arguments.writing.names, arguments.writing.ThreadCount()));
  PTEEDIT_ASSIGN(std::vector<MergeSet> sets, SetsOf(arguments, names, named.files));
  const std::vector<Container> bases = BasesOf(arguments, named.files);
  MergeOptions options = OptionsOf(arguments, bases);
  PTEEDIT_ASSIGN(options.match, OpenMatched(arguments.match));
  if (!arguments.previous.empty()) {
    PTEEDIT_ASSIGN(OpenedPrevious previous, OpenPrevious(arguments.previous, arguments.shared_name));
    inputs.insert(inputs.end(), previous.paths.begin(), previous.paths.end());
    options.previous = std::move(previous.release);
  }
  Result<MergeResult> merged = MergePrograms(sets, options);
  if (!merged) {
    Error error = std::move(merged).error();
    for (const MergeSet& set : sets) error = HintedToUnwrap(std::move(error), set.files.file());
    return error;
  }
  RewriteOutput report = BeginReport("ptemerge", arguments.writing);
  report.nothing = !bases.empty()           ? "nothing to refer to: no base has a content of the programs"
                   : !options.match.empty() ? "nothing to share: no content that is worth it is in the files to match"
                   : sets.size() == 1       ? "one program alone has nothing to share"
                                      : "nothing to share: no content is in two of the programs and worth sharing";
  ReportInputs(sets, bases, merged->unused_data, report);
  if (options.previous) report.previous = {arguments.previous, merged->kept};
  PTEEDIT_ASSIGN(const std::vector<Output> outputs, OutputsOf(arguments, names, *merged, report.outputs));
  report.report = std::move(merged->report);
  for (const Container& file : merged->unused_data) {
    report.report.notes.push_back("no program refers to a key of " + EscapeControl(file.name()) +
                                  "; it stays as it is");
  }
  report.report.notes.insert(report.report.notes.end(), named.notes.begin(), named.notes.end());
  PTEEDIT_TRY(WriteMerged(arguments, outputs, inputs, report.outputs));
  return report;
}

}  // namespace pteedit::cli
