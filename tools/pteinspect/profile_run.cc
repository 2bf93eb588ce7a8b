#include "profile_run.h"

#include <iostream>
#include <optional>
#include <set>
#include <sstream>

#include "baseline.h"
#include "debug_report.h"
#include "inspection.h"
#include "profile_costs.h"
#include "profile_report.h"
#include "pteedit/stored_reads.h"
#include "pteedit/text.h"
#include "sections.h"
#include "text_output.h"
#include "trace.h"
#include "views/format.h"

namespace pteedit::inspect {
namespace {

using cli::Json;
using cli::JsonText;

struct Profiled {
  EventScales scales;
  uint64_t bytes = 0;
  std::vector<EventBlock> blocks;
  std::optional<StoredReads> reads;  // of the program that ran, where costs are asked for
  std::optional<Baseline> baseline;  // where one is given
  // With a debug buffer, by block; `shown` for JSON and data frames only.
  std::optional<std::vector<BlockValues>> values;
  std::optional<std::vector<ShownBlock>> shown;

  std::optional<ReferenceOutputs> references;  // with a record

  const std::vector<ShownBlock>* shown_values() const { return shown ? &*shown : nullptr; }
};

Status JoinProgramAt(Profiled& profiled, const ProfileOptions& options, const JoinedFiles& joined) {
  const Result<Container> program = OpenFile(joined.program);
  if (!program) return program.error();
  if (const Status status = JoinProgram(profiled.blocks, *program); !status || !options.has_costs()) return status;
  std::vector<Container> data;
  for (const std::string& file : joined.data) {
    Result<Container> one = OpenFile(file);
    if (!one) return one.error();
    data.push_back(*std::move(one));
  }
  Result<StoredReads> reads = FindStoredReads(*program, data);
  if (!reads) return reads.error();
  profiled.reads = *std::move(reads);
  return {};
}

Result<std::vector<EventBlock>> ReadBlocks(const std::string& dump, const EventScales& scales) {
  const Result<std::shared_ptr<const Source>> source = OpenSource(dump);
  if (!source) return source.error();
  Result<std::vector<EventBlock>> blocks = ReadEventBlocks(*source, scales);
  if (!blocks) return Error(blocks.error()).In(dump);
  return blocks;
}

Result<Baseline> CompareWith(const ProfileOptions& options, const Profiled& profiled) {
  Baseline baseline;
  baseline.file = options.baseline;
  baseline.scale = profiled.scales.target;
  if (!options.max_slowdown.empty()) {
    const Result<double> most = ParseSlowdown(options.max_slowdown);
    if (!most) return most.error();
    baseline.max_slowdown = *most;
  }
  const Result<std::vector<EventBlock>> before = ReadBlocks(options.baseline, profiled.scales);
  if (!before) return before.error();
  baseline.blocks = CompareProfiles(*before, profiled.blocks);
  if (const Status status = CheckComparable(baseline.blocks); !status)
    return Error(status.error()).In(options.baseline);
  return baseline;
}

Status AddValues(const ProfileOptions& options, bool needs_json, Profiled& profiled) {
  const Result<std::shared_ptr<const Source>> buffer = OpenSource(options.debug_buffer);
  if (!buffer) return buffer.error();
  Result<std::vector<BlockValues>> values = ReadDebugValues(profiled.blocks, *buffer);
  if (!values) return Error(values.error()).In(options.etdump);
  profiled.values = *std::move(values);
  if (!needs_json) return {};
  Result<std::vector<ShownBlock>> shown = ShownValues(*profiled.values);
  if (!shown) return shown.error();
  profiled.shown = *std::move(shown);
  return {};
}

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
    if (const Status status = JoinProgramAt(profiled, options, joined); !status) return status.error();
  }
  if (!joined.record.empty()) {
    const Result<std::shared_ptr<const Source>> source = OpenSource(joined.record);
    if (!source) return source.error();
    if (const Status status = JoinRecord(profiled.blocks, *source); !status)
      return Error(status.error()).In(joined.record);
    Result<ReferenceOutputs> references = ReadReferenceOutputs(profiled.blocks, *source);
    if (!references) return Error(references.error()).In(joined.record);
    profiled.references = *std::move(references);
  }
  if (!options.baseline.empty()) {
    Result<Baseline> baseline = CompareWith(options, profiled);
    if (!baseline) return baseline.error();
    profiled.baseline = *std::move(baseline);
  }
  return profiled;
}

std::vector<BlockCosts> CostsOf(const Profiled& profiled) {
  return CostsOf(profiled.blocks, profiled.reads ? &*profiled.reads : nullptr);
}

// Times by name.
template <class TotalOf>
Json TotalsJson(const Profiled& profiled, const std::vector<std::string>& names, TotalOf total_of) {
  Json totals = Json::object();
  for (const std::string& name : names) totals[name] = total_of(profiled.blocks, name);
  return totals;
}

std::string TotalsText(const Profiled& profiled, const ProfileOptions& options) {
  const char* scale = NameOf(profiled.scales.target);
  std::ostringstream text;
  const Json by_name = TotalsJson(profiled, options.modules, TotalForModule);
  for (const auto& [name, total] : by_name.items())
    text << EscapeControl(name) << ": " << total.dump() << " " << scale << "\n";
  const Json by_path = TotalsJson(profiled, options.module_paths, TotalForModulePath);
  for (const auto& [path, total] : by_path.items())
    text << EscapeControl(path) << " (path): " << total.dump() << " " << scale << "\n";
  return text.str();
}

DataFrame FrameOf(const Profiled& profiled, const ProfileOptions& options) {
  return ToDataFrame(profiled.blocks,
                     {profiled.scales.target, !options.no_units, options.delegate_data, profiled.shown_values()});
}

// The Inspector's table, and what it lacks: the values.
Result<std::string> TableText(const Profiled& profiled, const ProfileOptions& options) {
  const DataFrame frame = FrameOf(profiled, options);
  const DataFrame shown = options.dataframe ? frame : ForPrinting(frame);
  const std::string table = options.tsv ? TsvText(shown) : GridText(shown);
  if (!profiled.values || options.tsv || options.dataframe) return table;
  const Result<std::string> values = ValuesText(profiled.blocks, *profiled.values);
  if (!values) return values.error();
  return table + "\n" + *values;
}

Status PrintText(const Profiled& profiled, const ProfileOptions& options, const Style& style) {
  Sections sections(options.views(), style.format);
  if (options.shows_table()) {
    const Result<std::string> table = TableText(profiled, options);
    if (!table) return table.error();
    sections.Add("Events", *table);
  }
  if (options.has_totals()) sections.Add("Modules", TotalsText(profiled, options));
  const std::vector<BlockCosts> costs = CostsOf(profiled);
  const TimeScale scale = profiled.scales.target;
  if (options.by_type) sections.Add("By type", TypeCostsText(costs, scale, style));
  if (options.by_operator) sections.Add("By operator", OperatorCostsText(costs, scale, style));
  if (profiled.baseline) sections.Add("Baseline", BaselineText(*profiled.baseline, style));
  std::cout << std::move(sections).Take();
  return {};
}

Result<Json> BlocksJson(const Profiled& profiled) {
  std::vector<Json> references(profiled.blocks.size());
  for (size_t i = 0; profiled.references && i < references.size(); ++i) {
    const std::optional<std::vector<DebugValue>>& outputs = (*profiled.references)[i];
    if (!outputs) continue;
    Result<Json> shown = ValuesJson(*outputs);
    if (!shown) return shown.error();
    references[i] = *std::move(shown);
  }
  return EventBlocksJson(profiled.blocks, profiled.scales, profiled.shown_values(), &references);
}

Result<Json> ProfileJson(const Profiled& profiled, const ProfileOptions& options) {
  Json object;
  object["schema_version"] = cli::kJsonSchemaVersion;
  object["file"] = JsonText(options.etdump);
  object["kind"] = "etdump";
  object["bytes"] = profiled.bytes;
  if (options.has_totals()) {
    object["module_totals"] = TotalsJson(profiled, options.modules, TotalForModule);
    object["module_path_totals"] = TotalsJson(profiled, options.module_paths, TotalForModulePath);
  }
  const std::vector<BlockCosts> costs = CostsOf(profiled);
  if (options.by_type) object["by_type"] = TypeCostsJson(costs, profiled.scales.target);
  if (options.by_operator) object["by_operator"] = OperatorCostsJson(costs, profiled.scales.target);
  if (profiled.baseline) object["baseline"] = BaselineJson(*profiled.baseline);
  if (options.dataframe) object["dataframe"] = DataFrameJson(FrameOf(profiled, options));
  if (options.views() == 0) {
    Result<Json> blocks = BlocksJson(profiled);
    if (!blocks) return blocks.error();
    object["event_blocks"] = *std::move(blocks);
  }
  return object;
}

void WarnOfMissingKeys(const cli::Tool& tool, const Profiled& profiled, const JoinedFiles& joined) {
  std::set<std::string> missing;
  for (const BlockCosts& block : CostsOf(profiled))
    missing.insert(block.missing_keys.begin(), block.missing_keys.end());
  if (missing.empty()) return;
  tool.PrintWarning(joined.program, "asks data files for " + std::to_string(missing.size()) + " keys, the first '" +
                                        EscapeControl(*missing.begin()) +
                                        "', whose bytes count once --data names the files");
}

Status WriteTrace(const Profiled& profiled, const ProfileOptions& options, const JoinedFiles& joined, bool replace) {
  std::vector<std::string> inputs;
  for (const std::string* file :
       {&options.etdump, &options.baseline, &options.debug_buffer, &joined.program, &joined.record}) {
    if (!file->empty()) inputs.push_back(PathOf(*file));
  }
  const std::string trace = TraceJson(profiled.blocks, profiled.scales, options.etdump).dump();
  return WriteText(trace + "\n", options.trace, inputs, replace);
}

}  // namespace

void DeclareProfileOptions(CLI::App& app, ProfileOptions& options) {
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
  app.add_flag("--dataframe", options.dataframe, "All rows and columns of the Inspector's data frame");
  app.add_flag("--tsv", options.tsv, "Separated by tabs");
  app.add_flag("--no-units", options.no_units, "No units in the names of columns");
  app.add_flag("--delegate-debug-data", options.delegate_data, "A column with the metadata of delegates");
  app.add_flag("--by-type", options.by_type, "Time, calls and, with FILE, stored bytes of each type of operator");
  app.add_flag("--by-operator", options.by_operator, "The same of each operator");
  app.add_option("--baseline", options.baseline, "What became slower or faster than in an earlier dump, by the median")
      ->type_name("OLD");
  app.add_option("--max-slowdown", options.max_slowdown,
                 "With --baseline: exit with 1 where a run of a method is slower by more than N%")
      ->type_name("N%");
  app.add_option("--trace", options.trace, "Write a trace for Perfetto or chrome://tracing, - for standard output")
      ->type_name("OUT");
  app.add_option("--module", options.modules, "Time of all operators in modules whose key has NAME in it")
      ->type_name("NAME")
      ->allow_extra_args(false);
  app.add_option("--module-path", options.module_paths, "Time of all operators in the module at PATH")
      ->type_name("PATH")
      ->allow_extra_args(false);
}

int ReportProfile(const cli::Tool& tool, const ProfileOptions& options, const JoinedFiles& joined, const Views& views) {
  Result<Profiled> profiled = ReadProfile(options, joined);
  if (!profiled) return tool.PrintError(profiled.error());
  if (!options.debug_buffer.empty()) {
    const Status added = AddValues(options, views.json || options.dataframe, *profiled);
    if (!added) return tool.PrintError(added.error());
  }
  for (const EventBlock& block : profiled->blocks) {
    if (block.methods.size() < 2) continue;
    tool.PrintWarning(options.etdump, "block '" + EscapeControl(block.name) + "' may be a run of any of " +
                                          EscapedList(block.methods) + ", so it is not joined");
  }
  if (options.has_costs()) WarnOfMissingKeys(tool, *profiled, joined);
  if (profiled->values) {
    for (const std::string& warning : DifferenceWarnings(profiled->blocks, *profiled->values))
      tool.PrintWarning(options.etdump, warning);
  }
  if (!options.trace.empty()) {
    const Status written = WriteTrace(*profiled, options, joined, views.force);
    if (!written) return tool.PrintError(written.error());
    if (options.views() == 0 && !views.json) return cli::kExitDone;
  }
  if (views.json) {
    Result<Json> object = ProfileJson(*profiled, options);
    if (!object) return tool.PrintError(object.error());
    std::cout << cli::Printed(Json::array({*std::move(object)}));
  } else if (const Status printed = PrintText(*profiled, options, views.style); !printed) {
    return tool.PrintError(printed.error());
  }
  const bool is_too_slow = profiled->baseline && !profiled->baseline->too_slow().empty();
  return is_too_slow ? cli::kExitFindings : cli::kExitDone;
}

}  // namespace pteedit::inspect
