// What --etdump is to show, and beside what.
#ifndef PTEEDIT_TOOLS_PTEINSPECT_PROFILE_OPTIONS_H_
#define PTEEDIT_TOOLS_PTEINSPECT_PROFILE_OPTIONS_H_

#include <string>
#include <vector>

#include "cli.h"
#include "style.h"

namespace pteedit::inspect {

struct ProfileOptions {
  std::string etdump;  // empty where no report is asked for
  std::string debug_buffer;
  std::string gap;  // OTHER.etdp,BUFFER[,RECORD]
  std::string source_scale = "ns", target_scale = "ms";
  bool dataframe = false, tsv = false, no_units = false, delegate_data = false;
  bool by_type = false, by_operator = false;
  std::string baseline, max_slowdown;  // an earlier dump, and how much slower this one may be
  std::string trace;                   // where to write one; empty where none is asked for
  std::vector<std::string> modules, module_paths;
  std::string graph;  // of --exported-program; empty where it is not asked for

  bool has_totals() const { return !modules.empty() || !module_paths.empty(); }
  bool has_costs() const { return by_type || by_operator; }
  // How many views are asked for; without any the table is shown.
  int views() const { return dataframe + by_type + by_operator + has_totals() + !baseline.empty() + !gap.empty(); }
  bool shows_table() const { return dataframe || (views() == 0 && trace.empty()); }
  // Whether anything is asked for that only a dump has.
  bool has_any() const {
    const bool has_files = !trace.empty() || !debug_buffer.empty();
    return views() != 0 || has_files || !max_slowdown.empty() || tsv || no_units || delegate_data;
  }
};

void DeclareProfileOptions(CLI::App& app, ProfileOptions& options);

// What does not go together; empty where all does. `format` is that of the views.
std::string ProfileConflict(const ProfileOptions& options, Format format);

}  // namespace pteedit::inspect

#endif  // PTEEDIT_TOOLS_PTEINSPECT_PROFILE_OPTIONS_H_
