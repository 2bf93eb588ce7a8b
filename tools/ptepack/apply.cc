// ptepack apply: a release made of an older one and a delta.
#include <utility>

#include "cli.h"
#include "commands.h"
#include "json.h"
#include "progress.h"
#include "pteedit/package/delta.h"
#include "pteedit/text.h"
#include "sizes_text.h"
#include "text/reports.h"
#include "text/table.h"

namespace pteedit::cli {
namespace {

const char* const kApplyExamples =
    "Examples:\n  ptepack apply v1-to-v2 --from v1 -o v2\n  ptepack apply v1-to-v2 --from app -o app --force";

struct ApplyArguments {
  std::string delta, from, output;
  bool bytes = false;
  WritingOptions writing;
};

OptionGroup ApplyRows(ApplyArguments& arguments) {
  std::vector<OptionRow> rows = {
      {.name = "DELTA", .purpose = "What 'ptepack delta' wrote", .target = &arguments.delta, .required = true},
      {.name = "--from",
       .value = "OLD",
       .purpose = "The release that the delta is for",
       .target = &arguments.from,
       .required = true},
      {.name = "-o,--output",
       .value = "NEW",
       .purpose = "The folder for the release; what is right in it is kept",
       .target = &arguments.output,
       .required = true},
      {.name = "--bytes", .purpose = "Exact bytes", .target = &arguments.bytes, .excludes = {{{"--json"}}}}};
  const std::string force = "Replace the manifest of another release in NEW, which may be OLD";
  for (OptionRow& row : WritingRows(arguments.writing, force)) rows.push_back(std::move(row));
  return {"", std::move(rows)};
}

std::string ApplyText(const ApplyReport& report, bool exact) {
  Table files({{"File"}, {"Bytes", Align::kRight}, {"How"}});
  for (const AppliedFile& file : report.files)
    files.AddRow({file.file, exact ? std::to_string(file.bytes) : HumanSize(file.bytes), ApplyStepName(file.step)});
  return files.In({}) + "\nrelease " + report.to + "\n";
}

}  // namespace

int ApplyMain(int argc, const char* const* argv) {
  Tool tool(FactsOf("apply", "Make a release of an older one and a delta.", kApplyExamples));
  ApplyArguments arguments;
  const OptionGroup rows = ApplyRows(arguments);
  tool.Declare({rows});
  return tool.Run(argc, argv, [&] {
    const ApplyOptions options{arguments.writing.force, arguments.writing.dry_run, ShowWritten};
    return PrintResultOf(
        tool, rows, arguments.writing,
        [&] { return ApplyDelta(arguments.delta, arguments.from, arguments.output, options); }, ApplyJson,
        [&](const ApplyReport& report) { return ApplyText(report, arguments.bytes); });
  });
}

}  // namespace pteedit::cli
