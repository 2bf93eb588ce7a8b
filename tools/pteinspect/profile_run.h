// --etdump: the report of a dump, joined with the exporter's record where there is one.
#ifndef PTEEDIT_TOOLS_PTEINSPECT_PROFILE_RUN_H_
#define PTEEDIT_TOOLS_PTEINSPECT_PROFILE_RUN_H_

#include <string>
#include <vector>

#include "cli.h"
#include "pteedit/event_blocks.h"
#include "views.h"

namespace pteedit::inspect {

struct ProfileOptions {
  std::string etdump;  // empty where no report is asked for
  std::string debug_buffer;
  std::string source_scale = "ns", target_scale = "ms";
  bool dataframe = false, tsv = false, no_units = false, delegate_data = false;
  bool by_type = false, by_operator = false;
  std::string baseline, max_slowdown;  // an earlier dump, and how much slower this one may be
  std::string trace;                   // where to write one; empty where none is asked for
  std::vector<std::string> modules, module_paths;

  bool has_totals() const { return !modules.empty() || !module_paths.empty(); }
  bool has_costs() const { return by_type || by_operator; }
  // How many views are asked for; without any the table is shown.
  int views() const { return dataframe + by_type + by_operator + has_totals() + !baseline.empty(); }
  bool shows_table() const { return dataframe || (views() == 0 && trace.empty()); }
  // Those that are tables in other formats, too.
  bool has_plain_tables() const { return has_costs() || !baseline.empty(); }
  bool has_any() const {
    return views() != 0 || !trace.empty() || !max_slowdown.empty() || !debug_buffer.empty() || tsv || no_units ||
           delegate_data;
  }
};

void DeclareProfileOptions(CLI::App& app, ProfileOptions& options);

// What a dump is joined with; empty where there is none.
struct JoinedFiles {
  std::string program, record;
  std::vector<std::string> data;  // of the program
};

// Prints the report. Returns the exit code.
int ReportProfile(const cli::Tool& tool, const ProfileOptions& options, const JoinedFiles& joined, const Views& views);

}  // namespace pteedit::inspect

#endif  // PTEEDIT_TOOLS_PTEINSPECT_PROFILE_RUN_H_
