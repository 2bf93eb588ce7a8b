// ptepack delta: what changed between two releases.
#include "pteedit/package/delta.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "cli.h"
#include "commands.h"
#include "json.h"
#include "progress.h"
#include "pteedit/package/manifest.h"
#include "pteedit/text.h"
#include "sizes_text.h"
#include "text/reports.h"
#include "text/table.h"

namespace pteedit::cli {
namespace {

const char* const kDeltaExamples =
    "Examples:\n  ptepack delta v1 v2 -o v1-to-v2\n  ptepack delta v1 v2 -o v1-to-v2 --level 19 --json";

struct DeltaArguments {
  std::string from, to, output;
  std::optional<uint64_t> level;
  bool bytes = false;
  WritingOptions writing;
};

OptionGroup DeltaRows(DeltaArguments& arguments) {
  std::vector<OptionRow> rows = {
      {.name = "OLD", .purpose = "The release that is there", .target = &arguments.from, .required = true},
      {.name = "NEW", .purpose = "The release that is wanted", .target = &arguments.to, .required = true},
      {.name = "-o,--output",
       .value = "DELTA",
       .purpose = "The folder that gets the delta",
       .target = &arguments.output,
       .required = true},
      {"--level", "N", "How hard zstd tries, 1 to 22 (default: 9)",
       Number{&arguments.level, kMinPackLevel, kMaxPackLevel}},
      {"--threads", "N", "Threads for packing (default: all cores)",
       Number{&arguments.writing.threads, 1, kMaxPackThreads}},
      {.name = "--bytes", .purpose = "Exact bytes", .target = &arguments.bytes, .excludes = {{{"--json"}}}}};
  for (OptionRow& row : WritingRows(arguments.writing, "Replace an existing delta")) rows.push_back(std::move(row));
  return {"", std::move(rows)};
}

std::string DeltaText(const DeltaReport& report, bool exact) {
  const auto size = [&](uint64_t bytes) { return exact ? std::to_string(bytes) : HumanSize(bytes); };
  Table files({{"File"}, {"Bytes", Align::kRight}, {"From the old", Align::kRight}, {"In the delta", Align::kRight}});
  for (const DeltaFileReport& file : report.files)
    files.AddRow({file.file, size(file.bytes), size(file.copied_bytes), size(file.delta_bytes)});
  const std::string rows = report.files.empty() ? "" : files.In({}) + "\n";
  const double whole = static_cast<double>(std::max<uint64_t>(1, report.release_bytes));
  return rows + "delta: " + size(report.delta_bytes) + " for a release of " + size(report.release_bytes) + " (" +
         ShareText(static_cast<double>(report.delta_bytes) / whole) + ")\n";
}

}  // namespace

int DeltaMain(int argc, const char* const* argv) {
  Tool tool(FactsOf("delta", "Write what changed between two releases.", kDeltaExamples));
  DeltaArguments arguments;
  const OptionGroup rows = DeltaRows(arguments);
  tool.Declare({rows});
  return tool.Run(argc, argv, [&] {
    DeltaOptions options;
    options.level = static_cast<int>(arguments.level.value_or(kDefaultDeltaLevel));
    options.threads = arguments.writing.ThreadCount();
    options.replace = arguments.writing.force;
    options.dry_run = arguments.writing.dry_run;
    options.progress = ShowWritten;
    return PrintResultOf(
        tool, rows, arguments.writing,
        [&] { return CreateDelta(arguments.from, arguments.to, arguments.output, options); }, DeltaJson,
        [&](const DeltaReport& report) { return DeltaText(report, arguments.bytes); });
  });
}

}  // namespace pteedit::cli
