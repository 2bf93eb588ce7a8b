#include "profile/options.h"

namespace pteedit::inspect {
namespace {

void DeclareInputs(CLI::App& app, ProfileOptions& options) {
  const CLI::IsMember scales({"ns", "us", "ms", "s", "cycles"});
  app.add_option("--etdump", options.etdump,
                 "Show what a dump of the runtime measured, as the exporter's Inspector does")
      ->type_name("DUMP");
  app.add_option("--debug-buffer", options.debug_buffer,
                 "The debug buffer of DUMP: show what was logged, with statistics")
      ->type_name("BUFFER");
  app.add_option("--source-time-scale", options.source_scale,
                 "What DUMP counts in: ns (the default), us, ms, s, cycles")
      ->type_name("SCALE")
      ->option_text("SCALE")
      ->check(scales);
  app.add_option("--target-time-scale", options.target_scale,
                 "What times are shown in: ms (the default), ns, us, s, cycles")
      ->type_name("SCALE")
      ->option_text("SCALE")
      ->check(scales);
}

void DeclareTable(CLI::App& app, ProfileOptions& options) {
  app.add_flag("--dataframe", options.dataframe, "All rows and columns of the Inspector's data frame");
  app.add_flag("--tsv", options.tsv, "Separated by tabs");
  app.add_flag("--no-units", options.no_units, "No units in the names of columns");
  app.add_flag("--delegate-debug-data", options.delegate_data, "A column with the metadata of delegates");
}

void DeclareViews(CLI::App& app, ProfileOptions& options) {
  app.add_option("--module", options.modules, "Time of all operators in modules whose key has NAME in it")
      ->type_name("NAME")
      ->allow_extra_args(false);
  app.add_option("--module-path", options.module_paths, "Time of all operators in the module at PATH")
      ->type_name("PATH")
      ->allow_extra_args(false);
  app.add_flag("--by-type", options.by_type, "Time, calls and, with FILE, stored bytes of each type of operator");
  app.add_flag("--by-operator", options.by_operator, "The same of each operator");
  app.add_option("--baseline", options.baseline, "What became slower or faster than in an earlier dump, by the median")
      ->type_name("OLD");
  app.add_option("--max-slowdown", options.max_slowdown,
                 "With --baseline: exit with 1 where a run of a method is slower by more than N%")
      ->type_name("N%");
  app.add_option("--gap", options.gap,
                 "How far logged values are from those of the dump OTHER, which has its own debug buffer and record")
      ->type_name("OTHER,BUFFER[,RECORD]")
      ->option_text("OTHER,BUFFER[,RECORD]");
  app.add_flag(
         "--exported-program{edge_dialect_exported_program}", options.graph,
         "List the program in a record: GRAPH is edge_dialect_exported_program (the default), exported_program, or "
         "another that the record keeps")
      ->type_name("GRAPH")
      ->option_text("[=GRAPH]");
  app.add_option("--trace", options.trace, "Write a trace for Perfetto or chrome://tracing, - for standard output")
      ->type_name("OUT");
}

}  // namespace

void DeclareProfileOptions(CLI::App& app, ProfileOptions& options) {
  DeclareInputs(app, options);
  DeclareTable(app, options);
  DeclareViews(app, options);
}

std::string ProfileConflict(const ProfileOptions& options, Format format) {
  const bool has_plain_tables = options.has_costs() || !options.baseline.empty();
  if (format != Format::kText && !has_plain_tables)
    return "with --etdump, --csv and --markdown need --by-type, --by-operator or --baseline";
  if (format == Format::kCsv && options.views() > 1) return "--csv prints one view";
  if ((options.tsv || options.no_units || options.delegate_data) && !options.shows_table())
    return "--tsv, --no-units and --delegate-debug-data are of the table alone";
  if (!options.max_slowdown.empty() && options.baseline.empty()) return "--max-slowdown needs --baseline";
  if (!options.gap.empty() && options.debug_buffer.empty()) return "--gap needs --debug-buffer";
  return {};
}

}  // namespace pteedit::inspect
