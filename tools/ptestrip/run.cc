#include "run.h"

#include "pteedit/text.h"

namespace pteedit::cli {
namespace {

RewriteOutput ReportOf(const StripArguments& arguments, const Container& input, StripResult& stripped) {
  RewriteOutput output;
  output.tool = "ptestrip";
  output.dry_run = arguments.writing.dry_run;
  output.with_sha256 = arguments.writing.sha256;
  output.nothing = "nothing to strip";
  if (!stripped.changed)
    output.nothing += ": " + EscapeControl(arguments.output) + " is a copy of " + EscapeControl(input.name());
  output.inputs.push_back({input.name(), input.source()->size(), {}, {}});
  const char* role = stripped.kind == FileKind::kData ? "shared" : "program";
  output.outputs.push_back({arguments.output, stripped.file.size(), role, {}});
  output.report = std::move(stripped.report);
  return output;
}

}  // namespace

Result<RewriteOutput> Run(const StripArguments& arguments) {
  const Result<Container> input = OpenContainer(arguments.input);
  if (!input) return input.error();
  Result<StripResult> stripped = Strip(*input, OptionsFor(arguments));
  if (!stripped) return std::move(stripped).error();
  RewriteOutput report = ReportOf(arguments, *input, *stripped);
  Status written = WriteOutputs(arguments.writing, {{arguments.output, stripped->file}}, {arguments.input}, report);
  if (!written) return std::move(written).error();
  return report;
}

}  // namespace pteedit::cli
