// --etdump: the report of a dump, joined with the exporter's record where there is one.
#ifndef PTEEDIT_TOOLS_PTEINSPECT_PROFILE_RUN_H_
#define PTEEDIT_TOOLS_PTEINSPECT_PROFILE_RUN_H_

#include <string>
#include <vector>

#include "cli.h"
#include "pteedit/event_blocks.h"

namespace pteedit::inspect {

struct ProfileOptions {
  std::string etdump;  // empty where no report is asked for
  std::string source_scale = "ns", target_scale = "ms";
  bool dataframe = false, tsv = false, no_units = false, delegate_data = false;
  std::vector<std::string> modules, module_paths;

  bool has_totals() const { return !modules.empty() || !module_paths.empty(); }
  bool has_any() const { return dataframe || tsv || no_units || delegate_data || has_totals(); }
};

void DeclareProfileOptions(CLI::App& app, ProfileOptions& options);

// What a dump is joined with; empty where there is none.
struct JoinedFiles {
  std::string program, record;
};

// Prints the report. Returns the exit code.
int ReportProfile(const cli::Tool& tool, const ProfileOptions& options, const JoinedFiles& joined, bool json);

}  // namespace pteedit::inspect

#endif  // PTEEDIT_TOOLS_PTEINSPECT_PROFILE_RUN_H_
