#include "run.h"

#include <algorithm>
#include <functional>
#include <limits>

#include "input_files.h"
#include "name_matcher.h"
#include "pteedit/planned_file.h"
#include "pteedit/shards.h"
#include "pteedit/split.h"
#include "pteedit/try.h"
#include "shard_index.h"
#include "text/names.h"

namespace pteedit::cli {
namespace {

// From so many bytes on, and where the tables are at most this part of them, it pays to plan twice.
constexpr uint64_t kForetoldBytes = uint64_t{1} << 20, kForetoldTables = 16;

// What both directions have in common once their plan is there.
struct Plan {
  PlannedFile program;
  std::vector<PlannedFile> data;  // or its shards
  std::optional<PlannedFile> index;
  RewriteReport report;
  std::vector<Container> bases;
  bool foretold = false;
};

// A base that the program has already is that very file.
Result<std::vector<Container>> OpenBases(const SplitArguments& arguments, const ProgramSet& set) {
  std::vector<Container> bases;
  for (const std::string& path : arguments.bases) {
    const auto known = std::find(arguments.data.begin(), arguments.data.end(), path);
    if (known != arguments.data.end()) {
      bases.push_back(set.data()[static_cast<size_t>(known - arguments.data.begin())]);
      continue;
    }
    PTEEDIT_ASSIGN(Container opened, OpenContainer(path));
    bases.push_back(std::move(opened));
  }
  return bases;
}

Result<Plan> PlanSplit(const SplitArguments& arguments, const ProgramSet& set, bool foretell) {
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
  PTEEDIT_ASSIGN(selection.name_matches, NameMatcher("--name", arguments.names));
  selection.min_bytes = arguments.min_bytes.value_or(0);
  selection.methods = arguments.methods;
  selection.backends = arguments.backends;
  PTEEDIT_ASSIGN(selection.match, OpenMatched(arguments.match));
  PTEEDIT_ASSIGN(selection.not_match, OpenMatched(arguments.not_match));
  if (arguments.min_bytes) options.max_external_tensors = std::numeric_limits<uint64_t>::max();
  options.min_alignment = arguments.writing.Alignment();
  options.threads = arguments.writing.ThreadCount();
  options.data_name = arguments.data_output;
  options.bind = arguments.binding.Choice();
  options.max_shard_bytes = arguments.max_bytes;
  options.new_data = !arguments.data_output.empty();
  options.foretell = foretell;
  PTEEDIT_ASSIGN(options.bases, OpenBases(arguments, set));
  PTEEDIT_ASSIGN(SplitResult split, SplitProgram(set, options));
  Plan plan{std::move(split.program), std::move(split.data),    {},
            std::move(split.report),  std::move(options.bases), split.foretold};
  if (plan.data.size() > 1) {
    PTEEDIT_ASSIGN(plan.index, PlanShardIndex(arguments.data_output, plan.data));
  }
  return plan;
}

Result<Plan> PlanJoin(const SplitArguments& arguments, const ProgramSet& set, bool foretell) {
  Result<JoinResult> joined =
      JoinProgram(set, {arguments.writing.Alignment(), arguments.output, arguments.writing.ThreadCount(), foretell});
  if (!joined) return std::move(joined).error();
  return Plan{std::move(joined->program), {}, {}, std::move(joined->report), {}, foretell};
}

// Whether hashing takes longer than planning twice, and what is hashed can only turn out as foretold.
bool IsToForetell(const SplitArguments& arguments, const ProgramSet& set) {
  const bool compares = !arguments.join && !(arguments.match.empty() && arguments.not_match.empty() &&
                                             arguments.bases.empty() && arguments.data.empty());
  if (arguments.writing.dry_run || compares) return false;
  uint64_t bytes = 0, tables = 0;
  std::vector<const Container*> files{&set.file()};
  for (const Container& data : set.data()) files.push_back(&data);
  for (const Container* file : files) {
    bytes += file->source()->size();
    const uint64_t base = file->header().segment_base_offset;
    tables += base == 0 ? file->source()->size() : base;
  }
  return bytes >= kForetoldBytes && bytes / kForetoldTables >= tables;
}

// Data before the program, so that no program ever stands there without its data.
std::vector<Output> OutputsOf(const SplitArguments& arguments, const Plan& plan) {
  std::vector<Output> outputs;
  for (size_t i = 0; i < plan.data.size(); ++i)
    outputs.push_back({ShardName(arguments.data_output, i, plan.data.size()), plan.data[i]});
  outputs.push_back({arguments.output, plan.program});
  if (plan.index) outputs.push_back({IndexName(arguments.data_output), *plan.index});
  return outputs;
}

RewriteOutput ReportOf(const SplitArguments& arguments, const ProgramSet& set, Plan& plan) {
  RewriteOutput output = BeginReport("ptesplit", arguments.writing);
  output.inputs.push_back({set.name(), set.file().source()->size(), {}, {}});
  for (const Container& file : set.data()) {
    (arguments.join ? output.inputs : output.kept).push_back({file.name(), file.source()->size(), {}, {}});
  }
  for (const Container& base : plan.bases) {
    const bool is_data = std::any_of(set.data().begin(), set.data().end(),
                                     [&](const Container& file) { return file.source() == base.source(); });
    if (!is_data) output.kept.push_back({base.name(), base.source()->size(), {}, {}});
    output.bases.push_back(base.name());
  }
  output.outputs.push_back({arguments.output, plan.program.size(), "program", {}});
  std::vector<std::string> data;
  for (const ReportedFile& file : output.kept) data.push_back(file.file);
  for (size_t i = 0; i < plan.data.size(); ++i) {
    data.push_back(ShardName(arguments.data_output, i, plan.data.size()));
    output.outputs.push_back({data.back(), plan.data[i].size(), "shared", {}});
  }
  output.outputs.front().data = std::move(data);
  if (plan.index) output.outputs.push_back({IndexName(arguments.data_output), plan.index->size(), "index", {}});
  output.report = std::move(plan.report);
  const PlannedPiece* piece = plan.program.only_piece();
  const bool is_copy = piece != nullptr && piece->source == set.file().source();
  if (!is_copy && output.report.items.empty()) output.nothing = "nothing to move; only what binds the program changes";
  return output;
}

std::vector<std::string> InputsOf(const SplitArguments& arguments) {
  std::vector<std::string> inputs = arguments.data;
  inputs.push_back(arguments.input);
  inputs.insert(inputs.end(), arguments.writing.names.begin(), arguments.writing.names.end());
  inputs.insert(inputs.end(), arguments.bases.begin(), arguments.bases.end());
  inputs.insert(inputs.end(), arguments.match.begin(), arguments.match.end());
  inputs.insert(inputs.end(), arguments.not_match.begin(), arguments.not_match.end());
  return inputs;
}

}  // namespace

Result<RewriteOutput> Run(const SplitArguments& arguments) {
  PTEEDIT_TRY(CheckStandardOutputs(PathsOf(InputsOf(arguments))));
  PTEEDIT_ASSIGN(const ProgramSet opened, OpenSet(arguments.input, arguments.data));
  std::vector<Container> files{opened.file()};
  files.insert(files.end(), opened.data().begin(), opened.data().end());
  PTEEDIT_ASSIGN(const NamedInputs named,
                 NameInputs(std::move(files), arguments.writing.names, arguments.writing.ThreadCount()));
  const ProgramSet set(named.files.front(), {named.files.begin() + 1, named.files.end()});
  RewriteOutput report;
  bool is_foretold = false;
  const auto outputs = [&](bool foretell) -> Result<std::vector<Output>> {
    PTEEDIT_ASSIGN(Plan plan,
                   arguments.join ? PlanJoin(arguments, set, foretell) : PlanSplit(arguments, set, foretell));
    plan.report.notes.insert(plan.report.notes.end(), named.notes.begin(), named.notes.end());
    is_foretold = plan.foretold;
    report = ReportOf(arguments, set, plan);
    return OutputsOf(arguments, plan);
  };
  PTEEDIT_ASSIGN(const std::vector<Output> planned, outputs(IsToForetell(arguments, set)));
  std::function<Result<std::vector<Output>>()> settle;
  if (is_foretold) settle = [&] { return outputs(/*foretell=*/false); };
  PTEEDIT_TRY(WriteOutputs(arguments.writing, planned, InputsOf(arguments), report, settle));
  return report;
}

}  // namespace pteedit::cli
