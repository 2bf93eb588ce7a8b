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

Result<Profiled> ReadProfile(const ProfileOptions& options, const std::string& record) {
  Profiled profiled;
  profiled.scales = {*TimeScaleCalled(options.source_scale), *TimeScaleCalled(options.target_scale)};
  const Result<std::shared_ptr<const Source>> dump = OpenSource(options.etdump);
  if (!dump) return dump.error();
  profiled.bytes = (*dump)->size();
  Result<std::vector<EventBlock>> blocks = ReadEventBlocks(*dump, profiled.scales);
  if (!blocks) return Error(blocks.error()).In(options.etdump);
  profiled.blocks = *std::move(blocks);
  if (record.empty()) return profiled;
  const Result<std::shared_ptr<const Source>> source = OpenSource(record);
  if (!source) return source.error();
  if (const Status joined = JoinRecord(profiled.blocks, *source); !joined) return Error(joined.error()).In(record);
  return profiled;
}

// Totals by module name, as text and as JSON.
std::vector<std::pair<std::string, double>> TotalsOf(const Profiled& profiled, const ProfileOptions& options) {
  std::vector<std::pair<std::string, double>> totals;
  for (const std::string& name : options.modules) totals.emplace_back(name, TotalForModule(profiled.blocks, name));
  for (const std::string& path : options.module_paths)
    totals.emplace_back(path, TotalForModulePath(profiled.blocks, path));
  return totals;
}

void PrintText(const Profiled& profiled, const ProfileOptions& options) {
  if (!options.modules.empty() || !options.module_paths.empty()) {
    for (const auto& [name, total] : TotalsOf(profiled, options)) {
      std::cout << EscapeControl(name) << ": " << Json(total).dump() << " " << options.target_scale << "\n";
    }
    return;
  }
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
  if (!options.modules.empty() || !options.module_paths.empty()) {
    object["module_totals"] = Json::object();
    for (const auto& [name, total] : TotalsOf(profiled, options)) object["module_totals"][name] = total;
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

int ReportProfile(const cli::Tool& tool, const ProfileOptions& options, const std::string& record, bool json) {
  const Result<Profiled> profiled = ReadProfile(options, record);
  if (!profiled) return tool.PrintError(profiled.error());
  for (const EventBlock& block : profiled->blocks) {
    if (block.methods.size() < 2) continue;
    tool.PrintWarning(options.etdump, "block '" + EscapeControl(block.name) + "' may be a run of any of " +
                                          EscapedList(block.methods) + ", so it is not joined with the record");
  }
  if (json) {
    PrintJson(*profiled, options);
  } else {
    PrintText(*profiled, options);
  }
  return cli::kExitDone;
}

}  // namespace pteedit::inspect
