#include "baseline.h"

#include <algorithm>
#include <cstdio>

#include "costs.h"
#include "pteedit/try.h"
#include "sizes_text.h"
#include "text/format.h"
#include "text/python_text.h"
#include "text/table.h"

namespace pteedit::cli {
namespace {

// "+10.0 %"
std::string ChangeText(const EventChange& change) {
  const std::optional<double> slowdown = change.slowdown();
  if (!slowdown) return "";
  char text[32];
  std::snprintf(text, sizeof text, "%+.1f %%", 100 * *slowdown);
  return text;
}

std::string MedianText(const std::optional<PerfData>& perf) { return perf ? PythonGeneral(perf->p50) : ""; }

std::string SpreadText(const std::optional<PerfData>& perf) {
  return perf ? PythonGeneral(perf->p10) + ".." + PythonGeneral(perf->p90) : "";
}

// "(whole run; 5 before and 2 after)"
std::string WholeText(const BlockChange& block) {
  return "(whole run; " + std::to_string(block.before_runs) + " before and " + std::to_string(block.after_runs) +
         " after)";
}

void AddRow(Table& table, const BlockChange& block, const EventChange& change, const std::string& name) {
  table.AddRow({BlockChangeText(block), PlaceText(change.chain, change.instruction), name, MedianText(change.before),
                SpreadText(change.before), MedianText(change.after), SpreadText(change.after), ChangeText(change),
                NameOf(change.verdict())});
}

std::string PercentText(double share) { return PythonGeneral(100 * share) + " %"; }

std::string SlowText(const BlockChange& block, double allowed) {
  return BlockChangeText(block) + " is slower by " + PercentText(*block.whole.slowdown()) + ", at most " +
         PercentText(allowed) + " allowed";
}

Json SideJson(const std::optional<PerfData>& perf) {
  if (!perf) return nullptr;
  return {{"p10", perf->p10}, {"p50", perf->p50}, {"p90", perf->p90}, {"avg", perf->avg}};
}

Json ChangeJson(const EventChange& change) {
  Json object;
  object["before"] = SideJson(change.before);
  object["after"] = SideJson(change.after);
  const std::optional<double> slowdown = change.slowdown();
  object["slowdown"] = slowdown ? Json(*slowdown) : Json();
  object["verdict"] = NameOf(change.verdict());
  return object;
}

Json EventJson(const EventChange& change) {
  Json object;
  object["name"] = change.name;
  object["backend"] = TextOrNull(change.backend);
  object["chain"] = change.chain;
  object["instruction"] = change.instruction;
  object.update(ChangeJson(change));
  return object;
}

void PrintBlocks(const std::vector<BlockChange>& blocks, JsonPrinter& printer) {
  printer.AddObjects(blocks, [&](const BlockChange& block) {
    printer.AddMember("name", block.name);
    printer.AddMember("methods", TextsOf(block.methods));
    printer.AddMember("before_runs", block.before_runs);
    printer.AddMember("after_runs", block.after_runs);
    printer.AddMember("whole", ChangeJson(block.whole));
    printer.Name("events");
    printer.AddList(block.events, EventJson);
  });
}

}  // namespace

std::string BlockChangeText(const BlockChange& block) {
  std::string text = EscapeControl(block.name);
  if (block.methods.size() == 1) text += " of " + EscapeControl(block.methods.front());
  return text;
}

std::vector<const BlockChange*> Baseline::too_slow() const {
  std::vector<const BlockChange*> slow;
  for (const BlockChange& block : blocks) {
    const std::optional<double> slowdown = block.whole.slowdown();
    const bool is_judged = max_slowdown && block.runs_instructions && slowdown;
    if (is_judged && *slowdown > *max_slowdown && block.whole.verdict() == ChangeVerdict::kSlower)
      slow.push_back(&block);
  }
  return slow;
}

size_t Baseline::uncompared() const {
  return static_cast<size_t>(std::count_if(blocks.begin(), blocks.end(), [](const BlockChange& block) {
    return block.runs_instructions && (block.before_runs == 0 || block.after_runs == 0);
  }));
}

size_t Baseline::unjudged() const {
  return static_cast<size_t>(std::count_if(blocks.begin(), blocks.end(), [](const BlockChange& block) {
    return block.runs_instructions && block.whole.verdict() == ChangeVerdict::kTooFewRuns;
  }));
}

std::string SlowestText(const Baseline& baseline) {
  const std::vector<const BlockChange*> slow = baseline.too_slow();
  const auto slowest = std::max_element(slow.begin(), slow.end(), [](const BlockChange* a, const BlockChange* b) {
    return *a->whole.slowdown() < *b->whole.slowdown();
  });
  return slowest == slow.end() ? "" : SlowText(**slowest, *baseline.max_slowdown);
}

Result<double> ParseSlowdown(const std::string& text) {
  PTEEDIT_ASSIGN(const double percent, ParsePercent(text));
  return percent / 100;
}

Status CheckComparable(const std::vector<BlockChange>& blocks) {
  const bool has_any = std::any_of(blocks.begin(), blocks.end(), [](const BlockChange& block) {
    return block.runs_instructions && block.whole.before && block.whole.after;
  });
  if (has_any) return {};
  return Unsupported("no run of instructions can be compared with one of the other profile");
}

void PrintBaseline(const Baseline& baseline, const Style& style, std::ostream& out) {
  const std::string unit = std::string(" (") + NameOf(baseline.scale) + ")";
  Table table({{"Block"},
               {"Instruction", Align::kRight},
               {"Event"},
               {"Before" + unit, Align::kRight},
               {"p10..p90", Align::kRight},
               {"After" + unit, Align::kRight},
               {"p10..p90", Align::kRight},
               {"Change", Align::kRight},
               {"Verdict"}});
  for (const BlockChange& block : baseline.types ? *baseline.types : baseline.blocks) {
    AddRow(table, block, block.whole, WholeText(block));
    for (const EventChange& change : block.events) AddRow(table, block, change, EscapeControl(change.name));
  }
  table.Print(style, out);
  if (style.format == Format::kCsv) return;
  for (const BlockChange* block : baseline.too_slow()) out << "\n" << SlowText(*block, *baseline.max_slowdown) << "\n";
}

void PrintBaseline(const Baseline& baseline, JsonPrinter& printer) {
  printer.BeginObject();
  printer.AddMember("file", baseline.file);
  printer.AddMember("time_scale", NameOf(baseline.scale));
  printer.AddMember("max_slowdown", baseline.max_slowdown ? Json(*baseline.max_slowdown) : Json());
  printer.AddMember("is_too_slow", !baseline.too_slow().empty());
  printer.Name("blocks");
  PrintBlocks(baseline.blocks, printer);
  if (baseline.types) {
    printer.Name("by_type");
    PrintBlocks(*baseline.types, printer);
  }
  printer.EndObject();
}

}  // namespace pteedit::cli
