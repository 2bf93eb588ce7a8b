#include "profile/run.h"

#include <iostream>
#include <set>
#include <sstream>

#include "file_names.h"
#include "inspection.h"
#include "profile/costs.h"
#include "profile/debug_report.h"
#include "profile/gap_report.h"
#include "profile/report.h"
#include "profile/trace.h"
#include "pteedit/text.h"
#include "render_json.h"
#include "sections.h"
#include "table.h"
#include "text_output.h"
#include "views/format.h"

namespace pteedit::inspect {
namespace {

using cli::Json;
using cli::JsonText;

class ProfileReport {
 public:
  ProfileReport(const Profiled& profiled, const ProfileOptions& options) : profiled_(profiled), options_(options) {}

  Result<std::string> Text(const Style& style) const {
    Sections sections(options_.views(), style.format);
    if (options_.shows_table()) {
      const Result<std::string> table = TableText();
      if (!table) return table.error();
      sections.Add("Events", *table);
    }
    if (options_.has_totals()) sections.Add("Modules", TotalsText());
    if (options_.by_type) sections.Add("By type", TypeCostsText(profiled_.costs, scale(), style));
    if (options_.by_operator) sections.Add("By operator", OperatorCostsText(profiled_.costs, scale(), style));
    if (profiled_.baseline) sections.Add("Baseline", BaselineText(*profiled_.baseline, style));
    if (profiled_.gap) sections.Add("Gap", GapText(*profiled_.gap));
    return std::move(sections).Take();
  }

  // With what a page shows.
  Result<Json> PageObject() const {
    const Result<std::vector<ShownBlock>> shown = ShownBlocks(true);
    if (!shown) return shown.error();
    Json object = Head();
    Result<Json> blocks = BlocksJson(shown->empty() ? nullptr : &*shown);
    if (!blocks) return blocks.error();
    for (Json& block : *blocks) {
      for (Json& event : block["events"]) event.erase("stack_traces");  // of every operator: most of the bytes
    }
    object["event_blocks"] = *std::move(blocks);
    object["by_type"] = TypeCostsJson(profiled_.costs, scale());
    object["by_operator"] = OperatorCostsJson(profiled_.costs, scale());
    return object;
  }

  Result<Json> Object() const {
    Json object = Head();
    if (options_.has_totals()) {
      object["module_totals"] = TotalsJson(options_.modules, TotalForModule);
      object["module_path_totals"] = TotalsJson(options_.module_paths, TotalForModulePath);
    }
    if (options_.by_type) object["by_type"] = TypeCostsJson(profiled_.costs, scale());
    if (options_.by_operator) object["by_operator"] = OperatorCostsJson(profiled_.costs, scale());
    if (profiled_.baseline) object["baseline"] = BaselineJson(*profiled_.baseline);
    const Status added = AddValuesTo(object);
    if (!added) return added.error();
    return object;
  }

 private:
  TimeScale scale() const { return profiled_.scales.target; }

  Json Head() const {
    Json object;
    object["schema_version"] = cli::kJsonSchemaVersion;
    object["file"] = JsonText(options_.etdump);
    object["kind"] = "etdump";
    object["bytes"] = profiled_.bytes;
    return object;
  }

  // Times by name.
  template <class TotalOf>
  Json TotalsJson(const std::vector<std::string>& names, TotalOf total_of) const {
    Json totals = Json::object();
    for (const std::string& name : names) totals[name] = total_of(profiled_.blocks, name);
    return totals;
  }

  std::string TotalsText() const {
    std::ostringstream text;
    const Json by_name = TotalsJson(options_.modules, TotalForModule);
    for (const auto& [name, total] : by_name.items())
      text << EscapeControl(name) << ": " << total.dump() << " " << NameOf(scale()) << "\n";
    const Json by_path = TotalsJson(options_.module_paths, TotalForModulePath);
    for (const auto& [path, total] : by_path.items())
      text << EscapeControl(path) << " (path): " << total.dump() << " " << NameOf(scale()) << "\n";
    return text.str();
  }

  DataFrame FrameWith(const std::vector<ShownBlock>* values) const {
    return ToDataFrame(profiled_.blocks, {scale(), !options_.no_units, options_.delegate_data, values});
  }

  // The Inspector's table, and what it lacks: the values.
  Result<std::string> TableText() const {
    Result<std::vector<ShownBlock>> shown = ShownBlocks(options_.dataframe);
    if (!shown) return shown.error();
    const DataFrame frame = FrameWith(shown->empty() ? nullptr : &*shown);
    const DataFrame printed = options_.dataframe ? frame : ForPrinting(frame);
    const std::string table = options_.tsv ? TsvText(printed) : GridText(printed);
    if (options_.tsv || options_.dataframe) return table;
    const Result<std::string> values = AllValuesText();
    if (!values) return values.error();
    return table + AllocationsText() + *values;
  }

  // Which the Inspector cannot read at all.
  std::string AllocationsText() const {
    Table table({{"Block"}, {"Allocator"}, {"Bytes", Align::kRight}});
    bool has_any = false;
    for (const EventBlock& block : profiled_.blocks) {
      for (const Allocation& one : block.allocations) {
        has_any = true;
        table.AddRow({EscapeControl(block.name), EscapeControl(one.allocator), std::to_string(one.bytes)});
      }
    }
    return has_any ? "\n" + table.In(Format::kText) : "";
  }

  // What the debug buffer holds; empty without one.
  Result<std::string> AllValuesText() const {
    if (!profiled_.values) return std::string();
    const Result<std::string> values = ValuesText(profiled_.blocks, *profiled_.values);
    if (!values) return values.error();
    std::string text = "\n" + *values;
    const Result<std::vector<std::vector<ValueGap>>> gaps = OutputGaps();
    if (!gaps) return gaps.error();
    for (const std::vector<ValueGap>& rows : *gaps) {
      if (!rows.empty()) text += "\nagainst the outputs that the record expects:\n" + OutputGapsText(rows);
    }
    return text;
  }

  // Data frame, event blocks and gap, which read tensors.
  Status AddValuesTo(Json& object) const {
    const Result<std::vector<ShownBlock>> shown = ShownBlocks(options_.dataframe || options_.views() == 0);
    if (!shown) return shown.error();
    const std::vector<ShownBlock>* values = shown->empty() ? nullptr : &*shown;
    if (options_.dataframe) object["dataframe"] = DataFrameJson(FrameWith(values));
    if (options_.views() == 0) {
      Result<Json> blocks = BlocksJson(values);
      if (!blocks) return blocks.error();
      object["event_blocks"] = *std::move(blocks);
    }
    if (!profiled_.gap) return {};
    Result<Json> gap = GapJson(*profiled_.gap);
    if (!gap) return gap.error();
    object["gap"] = *std::move(gap);
    return {};
  }

  // None without a debug buffer.
  Result<std::vector<ShownBlock>> ShownBlocks(bool are_needed) const {
    if (!profiled_.values || !are_needed) return std::vector<ShownBlock>();
    return ShownValues(*profiled_.values);
  }

  // Of each block that a record expects outputs of.
  Result<std::vector<std::vector<ValueGap>>> OutputGaps() const {
    std::vector<std::vector<ValueGap>> gaps(profiled_.blocks.size());
    for (size_t i = 0; profiled_.values && profiled_.references && i < gaps.size(); ++i) {
      if (!(*profiled_.references)[i]) continue;
      Result<std::vector<ValueGap>> rows =
          CompareOutputs(profiled_.blocks[i], (*profiled_.values)[i].run_output, *(*profiled_.references)[i]);
      if (!rows) return rows.error();
      gaps[i] = *std::move(rows);
    }
    return gaps;
  }

  Result<Json> BlocksJson(const std::vector<ShownBlock>* values) const {
    std::vector<Json> references(profiled_.blocks.size());
    for (size_t i = 0; profiled_.references && i < references.size(); ++i) {
      const std::optional<std::vector<DebugValue>>& outputs = (*profiled_.references)[i];
      if (!outputs) continue;
      Result<Json> shown = ValuesJson(*outputs);
      if (!shown) return shown.error();
      references[i] = *std::move(shown);
    }
    Json blocks = EventBlocksJson(profiled_.blocks, profiled_.scales, values, &references);
    const Result<std::vector<std::vector<ValueGap>>> gaps = OutputGaps();
    if (!gaps) return gaps.error();
    for (size_t i = 0; i < blocks.size(); ++i) {
      if (!(*gaps)[i].empty()) blocks[i]["reference_gap"] = OutputGapsJson((*gaps)[i]);
    }
    return blocks;
  }

  const Profiled& profiled_;
  const ProfileOptions& options_;
};

void Warn(const cli::Tool& tool, const Profiled& profiled, const ProfileOptions& options, const JoinedFiles& joined) {
  for (const EventBlock& block : profiled.blocks) {
    if (block.methods.size() < 2) continue;
    tool.PrintWarning(options.etdump, "block '" + EscapeControl(block.name) + "' may be a run of any of " +
                                          EscapedList(block.methods) + ", so it is not joined");
  }
  std::set<std::string> missing;
  for (const BlockCosts& block : profiled.costs) missing.insert(block.missing_keys.begin(), block.missing_keys.end());
  if (!missing.empty()) {
    tool.PrintWarning(joined.program, "asks data files for " + std::to_string(missing.size()) + " keys, the first '" +
                                          EscapeControl(*missing.begin()) +
                                          "', whose bytes count once --data names the files");
  }
  if (profiled.baseline && profiled.baseline->max_slowdown && profiled.baseline->uncompared() != 0) {
    tool.PrintWarning(options.etdump, "blocks in one profile only, which --max-slowdown does not judge: " +
                                          std::to_string(profiled.baseline->uncompared()));
  }
  if (!profiled.values) return;
  for (const std::string& warning : DifferenceWarnings(profiled.blocks, *profiled.values))
    tool.PrintWarning(options.etdump, warning);
}

std::optional<TextOutput> TraceOf(const Profiled& profiled, const ProfileOptions& options) {
  if (options.trace.empty()) return std::nullopt;
  return TextOutput{options.trace, TraceJson(profiled.blocks, profiled.scales, options.etdump).dump() + "\n"};
}

Status Print(const Profiled& profiled, const ProfileOptions& options, const Views& views) {
  const ProfileReport report(profiled, options);
  if (views.json) {
    Result<Json> object = report.Object();
    if (!object) return object.error();
    std::cout << cli::Printed(Json::array({*std::move(object)}));
    return {};
  }
  const Result<std::string> text = report.Text(views.style);
  if (!text) return text.error();
  std::cout << *text;
  return {};
}

}  // namespace

int ReportProfile(const cli::Tool& tool, const ProfileOptions& options, const JoinedFiles& joined, const Views& views) {
  const Result<Profiled> profiled = ReadProfile(options, joined);
  if (!profiled) {
    if (views.json) std::cout << cli::Printed(Json::array({RenderJsonError(options.etdump, profiled.error())}));
    return tool.PrintError(profiled.error());
  }
  Warn(tool, *profiled, options, joined);
  if (const std::optional<TextOutput> trace = TraceOf(*profiled, options)) {
    const Status written = WriteTexts({*trace}, InputsOf(options, joined), views.force);
    if (!written) return tool.PrintError(written.error());
  }
  if (const Status printed = Print(*profiled, options, views); !printed) return tool.PrintError(printed.error());
  if (!profiled->baseline || profiled->baseline->too_slow().empty()) return cli::kExitDone;
  if (views.style.format == Format::kCsv && !views.json)
    tool.PrintWarning(options.etdump, SlowestText(*profiled->baseline));
  return cli::kExitFindings;
}

Result<PageProfile> ProfileForPage(const cli::Tool& tool, const ProfileOptions& options, const JoinedFiles& joined) {
  ProfileOptions all = options;
  all.by_type = all.by_operator = true;
  const Result<Profiled> profiled = ReadProfile(all, joined);
  if (!profiled) return profiled.error();
  Warn(tool, *profiled, options, joined);
  Result<Json> object = ProfileReport(*profiled, all).PageObject();
  if (!object) return object.error();
  return PageProfile{*std::move(object), TraceOf(*profiled, options)};
}

std::vector<std::string> InputsOf(const ProfileOptions& options, const JoinedFiles& joined) {
  std::vector<std::string> files = {options.etdump, options.baseline, options.debug_buffer, joined.program,
                                    joined.record};
  files.insert(files.end(), joined.data.begin(), joined.data.end());
  if (const Result<std::vector<std::string>> gap = cli::SplitFileNames(options.gap); gap && !options.gap.empty())
    files.insert(files.end(), gap->begin(), gap->end());
  std::vector<std::string> inputs;
  for (const std::string& file : files) {
    if (!file.empty()) inputs.push_back(PathOf(file));
  }
  return inputs;
}

}  // namespace pteedit::inspect
