#include "profile_report.h"

#include <sstream>
#include <utility>

#include "costs.h"
#include "debug_report.h"
#include "folded.h"
#include "gap_report.h"
#include "module_words.h"
#include "pteedit/text.h"
#include "pteedit/try.h"
#include "report.h"
#include "text/file_json.h"
#include "text/sections.h"
#include "text/table.h"

namespace pteedit::cli {
namespace {

class ProfileReport {
 public:
  ProfileReport(const Profiled& profiled, const Request& request) : profiled_(profiled), request_(request) {}

  // What reads tensors comes before anything is printed: it may fail.
  Status PrintText(const Style& style, std::ostream& out) const {
    std::vector<ShownBlock> shown;
    std::string values;
    if (request_.shows_table() && request_.dataframe) {
      PTEEDIT_ASSIGN(shown, ShownBlocks(true));
    } else if (request_.shows_table() && !request_.tsv) {
      PTEEDIT_ASSIGN(values, AllValuesText());
    }
    Sections sections(request_.views() + request_.table, style.format);
    const CostView view{
        scale(), style, request_.top, request_.peak, !request_.program.empty(), !request_.record.empty()};
    if (request_.shows_table()) PrintTable(shown, values, sections.Begin("Events", out));
    if (request_.has_totals()) sections.Add("Modules", TotalsText(), out);
    if (request_.by_type) PrintTypeTable(profiled_.costs, view, sections.Begin("By type", out));
    if (request_.by_operator) PrintOperatorTable(profiled_.costs, view, sections.Begin("By operator", out));
    if (request_.by_module) PrintModuleTable(profiled_.costs, view, sections.Begin("By module", out));
    if (request_.folded) sections.Add("Folded", FoldedText(profiled_.costs, scale()), out);
    if (profiled_.baseline) PrintBaseline(*profiled_.baseline, style, sections.Begin("Baseline", out));
    if (profiled_.gap) sections.Add("Gap", GapText(*profiled_.gap), out);
    return {};
  }

  // With what a page shows.
  Status PrintForPage(JsonPrinter& printer) const {
    PTEEDIT_ASSIGN(const BlockValues values, ValuesOfBlocks());
    printer.BeginObject();
    printer.AddMembers(Head());
    printer.Name("event_blocks");
    // Traces of every operator would be most of the bytes.
    PrintEventBlocks(profiled_.profile.blocks(), profiled_.profile.scales(), values, /*has_traces=*/false, printer);
    printer.Name("by_type");
    PrintTypeCosts(profiled_.costs, scale(), /*is_page=*/true, printer);
    printer.Name("by_operator");
    PrintOperatorCosts(profiled_.costs, scale(), {}, /*is_page=*/true, printer);
    printer.EndObject();
    return {};
  }

  // What reads tensors comes before anything is printed: it may fail.
  Status Print(JsonPrinter& printer) const {
    const bool has_blocks = request_.views() == 0;
    BlockValues values;
    if (has_blocks) {
      PTEEDIT_ASSIGN(values, ValuesOfBlocks());
    } else if (request_.dataframe) {
      PTEEDIT_ASSIGN(values.shown, ShownBlocks(true));
    }
    Json gap;
    if (profiled_.gap) {
      PTEEDIT_ASSIGN(gap, GapJson(*profiled_.gap));
    }
    printer.BeginObject();
    printer.AddMembers(Head());
    if (request_.has_totals()) {
      printer.AddMember("module_totals", TotalsJson());
      printer.AddMember("module_path_totals", PathTotalsJson());
    }
    PrintCosts(printer);
    if (profiled_.baseline) {
      printer.Name("baseline");
      PrintBaseline(*profiled_.baseline, printer);
    }
    if (request_.dataframe) {
      printer.Name("dataframe");
      PrintDataFrame(FrameWith(values.shown), printer);
    }
    if (has_blocks) {
      printer.Name("event_blocks");
      PrintEventBlocks(profiled_.profile.blocks(), profiled_.profile.scales(), values, /*has_traces=*/true, printer);
    }
    if (profiled_.gap) printer.AddMember("gap", gap);
    printer.EndObject();
    return {};
  }

 private:
  void PrintCosts(JsonPrinter& printer) const {
    if (request_.by_type) {
      printer.Name("by_type");
      PrintTypeCosts(profiled_.costs, scale(), /*is_page=*/false, printer);
    }
    if (request_.by_operator) {
      printer.Name("by_operator");
      PrintOperatorCosts(profiled_.costs, scale(), request_.peak, /*is_page=*/false, printer);
    }
    if (request_.by_module) {
      printer.Name("by_module");
      PrintModuleCosts(profiled_.costs, scale(), printer);
    }
  }

  TimeScale scale() const { return profiled_.profile.scales().target; }

  Json Head() const { return FileJson(request_.dump, "etdump", profiled_.profile.files().dump->size()); }

  // Times by the words of the command line.
  Json TotalsJson() const {
    const std::vector<EventBlock>& blocks = profiled_.profile.blocks();
    const ModuleWords words(blocks);
    Json totals = Json::object();
    for (const std::string& word : request_.modules) totals[word] = TotalForModule(blocks, words.Key(word));
    return totals;
  }

  Json PathTotalsJson() const {
    const std::vector<EventBlock>& blocks = profiled_.profile.blocks();
    const ModuleWords words(blocks);
    Json totals = Json::object();
    for (const std::string& word : request_.module_paths) totals[word] = TotalForModulePath(blocks, words.Path(word));
    return totals;
  }

  std::string TotalsText() const {
    std::ostringstream text;
    const Json by_name = TotalsJson();
    for (const auto& [name, total] : by_name.items())
      text << EscapeControl(name) << ": " << total.dump() << " " << NameOf(scale()) << "\n";
    const Json by_path = PathTotalsJson();
    for (const auto& [path, total] : by_path.items())
      text << EscapeControl(path) << " (path): " << total.dump() << " " << NameOf(scale()) << "\n";
    return text.str();
  }

  DataFrame FrameWith(const std::vector<ShownBlock>& values) const {
    return ToDataFrame(profiled_.profile.blocks(), {scale(), !request_.no_units, request_.delegate_data,
                                                    values.empty() ? nullptr : &values, !request_.dataframe});
  }

  // The Inspector's table, and what it lacks: the values.
  void PrintTable(const std::vector<ShownBlock>& shown, const std::string& values, std::ostream& out) const {
    if (request_.tsv) return PrintTsv(FrameWith(shown), out);
    PrintGrid(FrameWith(shown), out);
    if (!request_.dataframe) out << AllocationsText() << values;
  }

  // Which the Inspector cannot read at all.
  std::string AllocationsText() const {
    Table table({{"Block"}, {"Allocator"}, {"Bytes", Align::kRight}});
    bool has_any = false;
    for (const EventBlock& block : profiled_.profile.blocks()) {
      for (const Allocation& one : block.allocations) {
        has_any = true;
        table.AddRow({EscapeControl(block.name), EscapeControl(one.allocator), std::to_string(one.bytes)});
      }
    }
    return has_any ? "\n" + table.In({Format::kText}) : "";
  }

  // What the debug buffer holds; empty without one.
  Result<std::string> AllValuesText() const {
    if (!profiled_.profile.values()) return std::string();
    PTEEDIT_ASSIGN(const std::string values, ValuesText(profiled_.profile.blocks(), *profiled_.profile.values()));
    std::string text = "\n" + values;
    PTEEDIT_ASSIGN(const std::vector<std::vector<ValueGap>> gaps, OutputGaps());
    for (const std::vector<ValueGap>& rows : gaps) {
      if (!rows.empty()) text += "\nagainst the outputs that the record expects:\n" + OutputGapsText(rows);
    }
    return text;
  }

  // None without a debug buffer.
  Result<std::vector<ShownBlock>> ShownBlocks(bool are_needed) const {
    if (!profiled_.profile.values() || !are_needed) return std::vector<ShownBlock>();
    return ShownValues(*profiled_.profile.values());
  }

  // Of each block that a record expects outputs of.
  Result<std::vector<std::vector<ValueGap>>> OutputGaps() const {
    std::vector<std::vector<ValueGap>> gaps(profiled_.profile.blocks().size());
    for (size_t i = 0; profiled_.profile.values() && profiled_.profile.references() && i < gaps.size(); ++i) {
      if (!(*profiled_.profile.references())[i]) continue;
      Result<std::vector<ValueGap>> rows =
          CompareOutputs(profiled_.profile.blocks()[i], (*profiled_.profile.values())[i].run_output,
                         *(*profiled_.profile.references())[i]);
      if (!rows) return rows.error();
      gaps[i] = *std::move(rows);
    }
    return gaps;
  }

  Result<BlockValues> ValuesOfBlocks() const {
    const size_t blocks = profiled_.profile.blocks().size();
    BlockValues values;
    PTEEDIT_ASSIGN(values.shown, ShownBlocks(true));
    values.references.resize(blocks);
    values.gaps.resize(blocks);
    for (size_t i = 0; profiled_.profile.references() && i < blocks; ++i) {
      const std::optional<std::vector<DebugValue>>& outputs = (*profiled_.profile.references())[i];
      if (!outputs) continue;
      PTEEDIT_ASSIGN(values.references[i], ValuesJson(*outputs));
    }
    PTEEDIT_ASSIGN(const std::vector<std::vector<ValueGap>> gaps, OutputGaps());
    for (size_t i = 0; i < blocks; ++i) {
      if (!gaps[i].empty()) values.gaps[i] = OutputGapsJson(gaps[i]);
    }
    return values;
  }

  const Profiled& profiled_;
  const Request& request_;
};

}  // namespace

Status PrintProfileText(const Profiled& profiled, const Request& request, std::ostream& out) {
  return ProfileReport(profiled, request).PrintText(request.style, out);
}

Status PrintProfileJson(const Profiled& profiled, const Request& request, JsonPrinter& printer) {
  return ProfileReport(profiled, request).Print(printer);
}

Status PrintProfileForPage(const Profiled& profiled, const Request& request, JsonPrinter& printer) {
  return ProfileReport(profiled, request).PrintForPage(printer);
}

}  // namespace pteedit::cli
