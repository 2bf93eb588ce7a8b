#include "profile_run.h"

#include <iostream>

#include "inspection.h"
#include "profile_report.h"
#include "pteedit/text.h"
#include "views/format.h"

namespace pteedit::inspect {
namespace {

using cli::Json;
using cli::JsonText;

struct Profiled {
  EventScales scales;
  uint64_t bytes = 0;
  std::vector<EventBlock> blocks;
};

Result<Profiled> ReadProfile(const ProfileOptions& options, const JoinedFiles& joined) {
  Profiled profiled;
  profiled.scales = {*TimeScaleCalled(options.source_scale), *TimeScaleCalled(options.target_scale)};
  const Result<std::shared_ptr<const Source>> dump = OpenSource(options.etdump);
  if (!dump) return dump.error();
  profiled.bytes = (*dump)->size();
  Result<std::vector<EventBlock>> blocks = ReadEventBlocks(*dump, profiled.scales);
  if (!blocks) return Error(blocks.error()).In(options.etdump);
  profiled.blocks = *std::move(blocks);
  if (!joined.program.empty()) {
    const Result<Container> program = OpenFile(joined.program);
    if (!program) return program.error();
    if (const Status status = JoinProgram(profiled.blocks, *program); !status) return status.error();
  }
  if (!joined.record.empty()) {
    const Result<std::shared_ptr<const Source>> source = OpenSource(joined.record);
    if (!source) return source.error();
    if (const Status status = JoinRecord(profiled.blocks, *source); !status)
      return Error(status.error()).In(joined.record);
  }
  return profiled;
}

// Times by name.
template <class TotalOf>
Json TotalsJson(const Profiled& profiled, const std::vector<std::string>& names, TotalOf total_of) {
  Json totals = Json::object();
  for (const std::string& name : names) totals[name] = total_of(profiled.blocks, name);
  return totals;
}

void PrintText(const Profiled& profiled, const ProfileOptions& options) {
  const char* scale = NameOf(profiled.scales.target);
  const Json by_name = TotalsJson(profiled, options.modules, TotalForModule);
  for (const auto& [name, total] : by_name.items())
    std::cout << EscapeControl(name) << ": " << total.dump() << " " << scale << "\n";
  const Json by_path = TotalsJson(profiled, options.module_paths, TotalForModulePath);
  for (const auto& [path, total] : by_path.items())
    std::cout << EscapeControl(path) << " (path): " << total.dump() << " " << scale << "\n";
  if (options.has_totals()) return;
  const DataFrame frame =
      ToDataFrame(profiled.blocks, {profiled.scales.target, !options.no_units, options.delegate_data});
  const DataFrame shown = options.dataframe ? frame : ForPrinting(frame);
  std::cout << (options.tsv ? TsvText(shown) : GridText(shown));
}

void PrintJson(const Profiled& profiled, const ProfileOptions& options) {
  Json object;
  object["schema_version"] = cli::kJsonSchemaVersion;
  object["file"] = JsonText(options.etdump);
  object["kind"] = "etdump";
  object["bytes"] = profiled.bytes;
  if (options.has_totals()) {
    object["module_totals"] = TotalsJson(profiled, options.modules, TotalForModule);
    object["module_path_totals"] = TotalsJson(profiled, options.module_paths, TotalForModulePath);
  } else if (options.dataframe) {
    object["dataframe"] =
        DataFrameJson(ToDataFrame(profiled.blocks, {profiled.scales.target, !options.no_units, options.delegate_data}));
  } else {
    object["event_blocks"] = EventBlocksJson(profiled.blocks, profiled.scales);
  }
  std::cout << cli::Printed(Json::array({std::move(object)}));
}

}  // namespace

void DeclareProfileOptions(CLI::App& app, ProfileOptions& options) {
  const CLI::IsMember scales({"ns", "us", "ms", "s", "cycles"});
  app.add_option("--etdump", options.etdump,
                 "Show what a dump of the runtime measured, as the exporter's Inspector does")
      ->type_name("DUMP");
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
  app.add_flag("--dataframe", options.dataframe, "All rows and columns of the Inspector's data frame");
  app.add_flag("--tsv", options.tsv, "Separated by tabs");
  app.add_flag("--no-units", options.no_units, "No units in the names of columns");
  app.add_flag("--delegate-debug-data", options.delegate_data, "A column with the metadata of delegates");
  app.add_option("--module", options.modules, "Time of all operators in modules whose key has NAME in it")
      ->type_name("NAME")
      ->allow_extra_args(false);
  app.add_option("--module-path", options.module_paths, "Time of all operators in the module at PATH")
      ->type_name("PATH")
      ->allow_extra_args(false);
}

int ReportProfile(const cli::Tool& tool, const ProfileOptions& options, const JoinedFiles& joined, bool json) {
  const Result<Profiled> profiled = ReadProfile(options, joined);
  if (!profiled) return tool.PrintError(profiled.error());
  for (const EventBlock& block : profiled->blocks) {
    if (block.methods.size() < 2) continue;
    tool.PrintWarning(options.etdump, "block '" + EscapeControl(block.name) + "' may be a run of any of " +
                                          EscapedList(block.methods) + ", so it is not joined");
  }
  if (json) {
    PrintJson(*profiled, options);
  } else {
    PrintText(*profiled, options);
  }
  return cli::kExitDone;
}

}  // namespace pteedit::inspect
