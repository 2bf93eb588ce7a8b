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

Json BlockJson(const BlockChange& block) {
  Json object;
  object["name"] = block.name;
  object["methods"] = TextsOf(block.methods);
  object["before_runs"] = block.before_runs;
  object["after_runs"] = block.after_runs;
  object["whole"] = ChangeJson(block.whole);
  object["events"] = ListOf(block.events, EventJson);
  return object;
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

std::string BaselineText(const Baseline& baseline, const Style& style) {
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
  std::string text = table.In(style);
  if (style.format == Format::kCsv) return text;
  for (const BlockChange* block : baseline.too_slow()) text += "\n" + SlowText(*block, *baseline.max_slowdown) + "\n";
  return text;
}

Json BaselineJson(const Baseline& baseline) {
  Json object;
  object["file"] = baseline.file;
  object["time_scale"] = NameOf(baseline.scale);
  object["max_slowdown"] = baseline.max_slowdown ? Json(*baseline.max_slowdown) : Json();
  object["is_too_slow"] = !baseline.too_slow().empty();
  object["blocks"] = ListOf(baseline.blocks, BlockJson);
  if (baseline.types) object["by_type"] = ListOf(*baseline.types, BlockJson);
  return object;
}

}  // namespace pteedit::cli
