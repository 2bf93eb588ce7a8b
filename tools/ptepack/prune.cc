// ptepack prune: removes what was part of a release and is part of none any more.
#include "pteedit/package/prune.h"

#include <cstdint>
#include <string>
#include <vector>

#include "cli.h"
#include "commands.h"
#include "pteedit/text.h"
#include "sizes_text.h"
#include "text/reports.h"

namespace pteedit::cli {
namespace {

const char* const kPruneExamples = "Examples:\n  ptepack prune release --dry-run\n  ptepack prune phone/a phone/b";

struct PruneArguments {
  std::vector<std::string> folders;
  WritingOptions writing;
};

OptionGroup PruneOptions(PruneArguments& arguments) {
  return {"",
          {{.name = "DIR",
            .purpose = "A folder with a manifest; what one manifest names stays in all of them",
            .target = &arguments.folders,
            .required = true},
           {"-n,--dry-run", "", "Report everything, remove nothing", &arguments.writing.dry_run},
           {"--json", "", "The report as JSON", &arguments.writing.json}}};
}

std::string PruneText(const std::vector<PrunedFile>& removed, bool dry_run) {
  std::string text;
  uint64_t bytes = 0;
  for (const PrunedFile& file : removed) {
    text += std::string(dry_run ? "would remove " : "removed ") + EscapeControl(file.path) + ": " +
            HumanSize(file.bytes) + "\n";
    bytes += file.bytes;
  }
  return text + std::to_string(removed.size()) + (removed.size() == 1 ? " file, " : " files, ") + HumanSize(bytes) +
         "\n";
}

}  // namespace

int PruneMain(int argc, const char* const* argv) {
  Tool tool(FactsOf("prune",
                    "Remove files that are called as those of a release are and that no manifest names any more.",
                    kPruneExamples));
  PruneArguments arguments;
  const OptionGroup rows = PruneOptions(arguments);
  tool.Declare({rows});
  return tool.Run(argc, argv, [&] {
    const bool dry_run = arguments.writing.dry_run;
    return PrintResultOf(
        tool, rows, arguments.writing, [&] { return PruneReleases(arguments.folders, dry_run); }, PruneJson,
        [&](const std::vector<PrunedFile>& removed) { return PruneText(removed, dry_run); });
  });
}

}  // namespace pteedit::cli
