// ptepack verify: whether a release is whole.
#include <iostream>

#include "cli.h"
#include "commands.h"
#include "progress.h"
#include "pteedit/package/verify_release.h"
#include "text/findings.h"
#include "text/reports.h"

namespace pteedit::cli {
namespace {

const char* const kVerifyExamples = "Examples:\n  ptepack verify release\n  ptepack verify release --json";

struct VerifyArguments {
  std::string release;
  bool json = false;
};

OptionGroup VerifyOptions(VerifyArguments& arguments) {
  return {"",
          {{.name = "RELEASE", .purpose = "Its folder", .target = &arguments.release, .required = true},
           {"--json", "", "What is found as JSON", &arguments.json}}};
}

}  // namespace

int VerifyMain(int argc, const char* const* argv) {
  Tool tool(FactsOf("verify",
                    "Check that every file of a release is what its manifest says, and that each program with "
                    "its data files is what a runtime takes.",
                    kVerifyExamples));
  VerifyArguments arguments;
  tool.Declare({VerifyOptions(arguments)});
  return tool.Run(argc, argv, [&] {
    const Result<Release> release = OpenRelease(arguments.release);
    if (!release) return tool.PrintError(release.error());
    const Result<std::vector<FileFindings>> all = VerifyRelease(*release);
    if (!all) return tool.PrintError(all.error());
    if (arguments.json) {
      std::cout << Printed(ReleaseFindingsJson(*all, release->manifest.release));
    } else {
      for (const FileFindings& found : *all) std::cout << FindingsText(found, tool);
    }
    return ExitCodeOf(*all, /*strict=*/false);
  });
}

}  // namespace pteedit::cli
