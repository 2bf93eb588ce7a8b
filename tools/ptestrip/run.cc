#include "run.h"

#include <optional>

#include "input_files.h"
#include "pteedit/profile/profile_kind.h"
#include "pteedit/profile/slim_record.h"
#include "pteedit/text.h"
#include "pteedit/try.h"
#include "text/names.h"

namespace pteedit::cli {
namespace {

// What the library made of the input, whatever its kind.
struct Planned {
  std::string role;
  PlannedFile file;
  bool changed = false;
  RewriteReport report;
  std::optional<PlannedFile> debug = std::nullopt;
};

RewriteOutput ReportOf(const StripArguments& arguments, const Source& input, Planned& planned) {
  RewriteOutput output = BeginReport("ptestrip", arguments.writing);
  output.nothing = "nothing to strip";
  if (!planned.changed)
    output.nothing += ": " + EscapeControl(arguments.output) + " is a copy of " + EscapeControl(input.name());
  output.inputs.push_back({input.name(), input.size(), {}, {}});
  output.outputs.push_back({arguments.output, planned.file.size(), planned.role, {}});
  if (planned.debug) output.outputs.push_back({arguments.debug_file, planned.debug->size(), kDebugRole, {}});
  output.report = std::move(planned.report);
  if (!arguments.debug_file.empty() && !planned.debug)
    output.report.notes.push_back("there are no stack traces, so " + EscapeControl(arguments.debug_file) +
                                  " is not written");
  return output;
}

Result<Planned> PlanRecord(const StripArguments& arguments, const std::shared_ptr<const Source>& record) {
  if (const std::string conflict = RecordConflict(arguments); !conflict.empty())
    return InvalidArgument(conflict).In(record->name());
  PTEEDIT_ASSIGN(SlimmedRecord slimmed, SlimRecord(record, arguments.writing.ThreadCount()));
  return Planned{"record", std::move(slimmed.file), slimmed.changed, std::move(slimmed.report)};
}

Result<Planned> PlanStrip(const StripArguments& arguments, const std::shared_ptr<const Source>& file) {
  const Result<Container> input = Container::Open(file);
  if (!input) return NamingAlso(input.error(), ".etrecord");
  PTEEDIT_ASSIGN(const NamedInputs named,
                 NameInputs({*input}, arguments.writing.names, arguments.writing.ThreadCount()));
  StripOptions options = OptionsFor(arguments);
  PTEEDIT_ASSIGN(options.programs, OpenContainers(arguments.programs));
  PTEEDIT_ASSIGN(StripResult stripped, Strip(named.files.front(), options));
  stripped.report.notes.insert(stripped.report.notes.end(), named.notes.begin(), named.notes.end());
  const char* role = stripped.kind == FileKind::kData ? "shared" : "program";
  return Planned{role, std::move(stripped.file), stripped.changed, std::move(stripped.report),
                 std::move(stripped.debug)};
}

Result<Planned> PlanFor(const StripArguments& arguments, const std::shared_ptr<const Source>& input) {
  PTEEDIT_ASSIGN(const std::optional<ProfileKind> kind, FindProfileKind(input));
  return kind == ProfileKind::kEtrecord ? PlanRecord(arguments, input) : PlanStrip(arguments, input);
}

}  // namespace

Result<RewriteOutput> Run(const StripArguments& arguments) {
  std::vector<std::string> inputs{arguments.input};
  inputs.insert(inputs.end(), arguments.programs.begin(), arguments.programs.end());
  inputs.insert(inputs.end(), arguments.writing.names.begin(), arguments.writing.names.end());
  PTEEDIT_TRY(CheckStandardOutputs(PathsOf(inputs)));
  PTEEDIT_ASSIGN(const std::shared_ptr<const Source> input, OpenPath(arguments.input));
  PTEEDIT_ASSIGN(Planned planned, PlanFor(arguments, input));
  RewriteOutput report = ReportOf(arguments, *input, planned);
  std::vector<Output> outputs;
  if (planned.debug) outputs.push_back({arguments.debug_file, *planned.debug});
  outputs.push_back({arguments.output, planned.file});
  PTEEDIT_TRY(WriteOutputs(arguments.writing, outputs, inputs, report));
  return report;
}

}  // namespace pteedit::cli
