#include "diff_view.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ostream>
#include <string_view>
#include <utility>
#include <vector>

#include "pteedit/text.h"
#include "pteedit/try.h"
#include "sizes_text.h"
#include "text/format.h"
#include "text/table.h"

namespace pteedit::cli {
namespace {

using Cells = std::vector<std::string>;

int64_t GrowthOf(uint64_t before, uint64_t after) { return static_cast<int64_t>(after - before); }

int64_t GrowthOf(const SizeChange& change) { return GrowthOf(change.old_bytes, change.new_bytes); }

// "+8.45 KB", "-48 B", "0 B".
std::string GrowthText(int64_t growth, const Style& style) {
  if (growth < 0) return "-" + style.Size(static_cast<uint64_t>(-growth));
  return (growth > 0 ? "+" : "") + style.Size(static_cast<uint64_t>(growth));
}

std::string Tenths(double number) {
  const int64_t tenths = std::llround(number * 10);
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " %";
}

// "+14.9 %", "new" of what was nothing.
std::string PercentText(uint64_t before, uint64_t after) {
  if (before == 0) return after == 0 ? "0.0 %" : "new";
  const uint64_t difference = after < before ? before - after : after - before;
  const char* sign = after < before ? "-" : after > before ? "+" : "";
  return sign + Tenths(static_cast<double>(difference) * 100 / static_cast<double>(before));
}

bool IsHexDigit(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

// With a hash cut to its first digits.
std::string ShortName(const std::string& name) {
  constexpr size_t kHash = 40, kShown = 12;
  std::string shown;
  for (size_t i = 0; i < name.size();) {
    size_t end = i;
    while (end < name.size() && IsHexDigit(name[end])) ++end;
    if (end - i >= kHash) {
      shown += name.substr(i, kShown) + "...";
    } else {
      end = std::max(end, i + 1);
      shown += name.substr(i, end - i);
    }
    i = end;
  }
  return shown;
}

class DiffPrinter {
 public:
  DiffPrinter(const FileDiff& diff, const DiffDetail& detail, const Style& style, std::ostream& out)
      : diff_(diff), detail_(detail), style_(style), out_(out) {}

  // Whether there are any.
  bool PrintTables() {
    PrintComponents();
    PrintSizes("Grew", 1);
    PrintSizes("Shrank", -1);
    PrintKept();
    PrintWeights();
    PrintMethods();
    PrintOperators();
    PrintMeaning();
    PrintCalls();
    return has_tables_;
  }

  // "weights: 31 the same, 8 added; delegates: 2 changed".
  std::string Summary() const {
    uint64_t moved = 0;
    for (const SizeChange& change : diff_.sizes) {
      const std::string kind = change.change;
      moved += change.is_weight && (kind == "moved" || kind == "renamed");
    }
    const std::string weights = CountsText("weights", diff_.weights, moved);
    const std::string delegates = CountsText("delegates", diff_.delegates, 0);
    return weights + (weights.empty() || delegates.empty() ? "" : "; ") + delegates;
  }

  void PrintAllSizes() {
    Table table({{"Change"},
                 {"Component"},
                 {"Name"},
                 {"Before", Align::kRight},
                 {"After", Align::kRight},
                 {"Growth", Align::kRight}});
    table.SetRows(diff_.sizes.size(), [&](size_t i) { return SizeCells(diff_.sizes[i]); });
    table.Print(style_, out_);
  }

 private:
  static std::string CountsText(const std::string& what, const MatchCounts& counts, uint64_t moved) {
    std::string text;
    const auto add = [&](uint64_t count, const char* words) {
      if (count != 0) text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + words;
    };
    add(counts.same, "the same");
    if (moved != 0) text += " (" + std::to_string(moved) + " elsewhere or under another name)";
    add(counts.alike, "with the same operators and keys");
    add(counts.changed, "changed");
    add(counts.added, "added");
    add(counts.removed, "removed");
    return text.empty() ? text : what + ": " + text;
  }

  std::string NameText(const std::string& name) const {
    return EscapeControl(detail_.all || style_.format == Format::kCsv ? name : ShortName(name));
  }

  std::string ChangedNameText(const SizeChange& change) const {
    const std::string name = NameText(change.name);
    if (change.old_name->empty()) return name;
    if (*change.old_name == change.name) return name + " (was in " + EscapeControl(change.old_what) + ")";
    const std::string where = change.old_what == change.what ? "" : EscapeControl(change.old_what) + " ";
    return name + " (was " + where + NameText(*change.old_name) + ")";
  }

  Cells SizeCells(const SizeChange& change) const {
    return {change.change,
            EscapeControl(change.what),
            ChangedNameText(change),
            style_.Size(change.old_bytes),
            style_.Size(change.new_bytes),
            GrowthText(GrowthOf(change), style_)};
  }

  void Print(const Table& table) {
    has_tables_ = true;
    out_ << '\n';
    table.Print(style_, out_);
  }

  // The first changes, as rows; `left_out` is what stands for the others. There may be far more than are shown.
  template <class Changes, class ToCells, class LeftOut>
  void PrintLimited(Table table, const Changes& changes, ToCells to_cells, LeftOut left_out) {
    const size_t count = changes.size();
    if (count == 0) return;
    const size_t shown = detail_.all ? count : static_cast<size_t>(std::min<uint64_t>(detail_.top, count));
    table.SetRows(shown, [&](size_t i) { return to_cells(changes[i]); });
    Print(table);
    if (shown == count) return;
    if (style_.format == Format::kMarkdown) out_ << '\n';
    out_ << "and " << std::to_string(count - shown) << " more" << left_out(shown) << '\n';
  }

  template <class Changes, class ToCells>
  void PrintLimited(Table table, const Changes& changes, ToCells to_cells) {
    PrintLimited(std::move(table), changes, to_cells, [](size_t) { return std::string(); });
  }

  void PrintComponents() {
    Table table({{"Component"},
                 {"Before", Align::kRight},
                 {"After", Align::kRight},
                 {"Growth", Align::kRight},
                 {"%", Align::kRight},
                 {"Share", Align::kRight}});
    const auto add = [&](const std::string& what, uint64_t before, uint64_t after) {
      table.AddRow(
          {what, style_.Size(before), style_.Size(after), GrowthText(GrowthOf(before, after), style_),
           PercentText(before, after),
           ShareText(diff_.new_bytes == 0 ? 0 : static_cast<double>(after) / static_cast<double>(diff_.new_bytes))});
    };
    bool has_rows = false;
    for (const ComponentChange& component : diff_.components) {
      const bool is_shown =
          component.old_bytes != component.new_bytes || (detail_.all && !diff_.is_same() && component.new_bytes != 0);
      if (is_shown) add(component.what, component.old_bytes, component.new_bytes);
      has_rows = has_rows || is_shown;
    }
    if (!has_rows) return;
    add("Total", diff_.old_bytes, diff_.new_bytes);
    Print(table);
  }

  // Those that grew, or with sign -1 those that shrank, the most first.
  void PrintSizes(const char* title, int sign) {
    std::vector<const SizeChange*> changes;
    for (const SizeChange& change : diff_.sizes) {
      if (GrowthOf(change) * sign > 0) changes.push_back(&change);
    }
    std::stable_sort(changes.begin(), changes.end(), [&](const SizeChange* a, const SizeChange* b) {
      return GrowthOf(*a) * sign > GrowthOf(*b) * sign;
    });
    PrintSizeRows(title, changes);
  }

  void PrintKept() {
    std::vector<const SizeChange*> changes;
    for (const SizeChange& change : diff_.sizes) {
      if (detail_.all && change.old_bytes == change.new_bytes) changes.push_back(&change);
    }
    PrintSizeRows("As large", changes);
  }

  void PrintSizeRows(const char* title, const std::vector<const SizeChange*>& changes) {
    Table table({{title},
                 {"Component"},
                 {"Name"},
                 {"Before", Align::kRight},
                 {"After", Align::kRight},
                 {"Growth", Align::kRight}});
    const auto to_cells = [&](const SizeChange* change) { return SizeCells(*change); };
    PrintLimited(std::move(table), changes, to_cells, [&](size_t shown) {
      int64_t growth = 0;
      for (size_t i = shown; i < changes.size(); ++i) growth += GrowthOf(*changes[i]);
      return ", " + GrowthText(growth, style_);
    });
  }

  // Those of both files whose contents, types or given names are others.
  void PrintWeights() {
    std::vector<const SizeChange*> changes;
    for (const SizeChange& change : diff_.sizes) {
      const std::string_view kind = change.change;
      const bool says_else =
          (kind == "changed" && (!change.same_content || change.old_type != change.new_type)) || kind == "renamed";
      if (change.is_weight && says_else) changes.push_back(&change);
    }
    PrintLimited(Table({{"Weight"},
                        {"Name"},
                        {"Type"},
                        {"Differ", Align::kRight},
                        {"At Most", Align::kRight},
                        {"Mean", Align::kRight},
                        {"Used By"}}),
                 changes, [&](const SizeChange* change) { return WeightCells(*change); });
  }

  Cells WeightCells(const SizeChange& change) const {
    const std::string &then = change.old_type, &now = change.new_type;
    const std::string type = then == now || then.empty() ? now : now.empty() ? then : then + " > " + now;
    Cells cells{change.change, ChangedNameText(change), type, "-", "-", "-", UsesText(change)};
    if (change.elements) AddElements(*change.elements, cells);
    return cells;
  }

  static std::string UsesText(const SizeChange& change) {
    if (change.used_by->empty()) return "-";
    const std::string more = change.uses == 1 ? "" : " and " + std::to_string(change.uses - 1) + " more";
    return EscapeControl(change.used_by->front()) + more;
  }

  static void AddElements(const ElementChange& elements, Cells& cells) {
    cells[3] = std::to_string(elements.differing) + " of " + std::to_string(elements.elements) +
               (elements.are_bytes ? " bytes" : "");
    const auto& [largest, mean, first] = *elements.numbers;
    if (largest) cells[4] = ShortNumber(*largest);
    if (mean) cells[5] = ShortNumber(*mean);
    if (!elements.are_bytes && !largest) cells[4] = "not finite";
  }

  static std::string ShortNumber(double number) {
    char text[32];
    std::snprintf(text, sizeof(text), "%.6g", number);
    return text;
  }

  void PrintMethods() {
    const auto arenas = [&](const std::vector<uint64_t>& sizes) {
      return sizes.empty() ? style_.Size(0) : Join(sizes, " + ", [&](uint64_t size) { return style_.Size(size); });
    };
    const auto pair = [](uint64_t before, uint64_t after) {
      return std::to_string(before) + " > " + std::to_string(after);
    };
    const auto to_cells = [&](const MethodChange& change) {
      return Cells{change.change, EscapeControl(change.name), pair(change.old_instructions, change.new_instructions),
                   pair(change.old_values, change.new_values),
                   arenas(change.old_arenas) + " > " + arenas(change.new_arenas)};
    };
    PrintLimited(Table({{"Change"},
                        {"Method"},
                        {"Instructions", Align::kRight},
                        {"Values", Align::kRight},
                        {"Planned Memory", Align::kRight}}),
                 diff_.methods, to_cells);
  }

  void PrintOperators() {
    std::vector<OperatorChange> changes = diff_.operators;
    std::stable_sort(changes.begin(), changes.end(), [](const OperatorChange& a, const OperatorChange& b) {
      const auto amount = [](const OperatorChange& one) { return std::abs(GrowthOf(one.old_calls, one.new_calls)); };
      return amount(a) > amount(b);
    });
    PrintLimited(Table({{"Operator"}, {"In"}, {"Calls", Align::kRight}}), changes, [](const OperatorChange& change) {
      return Cells{EscapeControl(change.name), change.backend.empty() ? "-" : EscapeControl(change.backend),
                   std::to_string(change.old_calls) + " > " + std::to_string(change.new_calls)};
    });
  }

  static std::string Words(const std::string& words) { return words.empty() ? "-" : EscapeControl(words); }

  std::vector<const MeaningChange*> MeaningChanges(bool calls) const {
    std::vector<const MeaningChange*> changes;
    for (const MeaningChange& change : diff_.meaning) {
      if ((std::string_view(change.what) == "call") == calls) changes.push_back(&change);
    }
    return changes;
  }

  void PrintMeaning() {
    PrintLimited(Table({{"What"}, {"Of"}, {"Before"}, {"After"}}), MeaningChanges(false),
                 [](const MeaningChange* change) {
                   return Cells{change->what, Words(change->name), Words(change->before), Words(change->after)};
                 });
  }

  void PrintCalls() {
    PrintLimited(
        Table({{"Call"}, {"Times", Align::kRight}, {"Before"}, {"After"}}), MeaningChanges(true),
        [](const MeaningChange* change) {
          return Cells{Words(change->name), std::to_string(change->times), Words(change->before), Words(change->after)};
        });
  }

  const FileDiff& diff_;
  const DiffDetail& detail_;
  const Style& style_;
  std::ostream& out_;
  bool has_tables_ = false;
};

std::string FilesText(const std::vector<std::string>& files, bool is_markdown) {
  const std::string text = Join(files, " + ", [](const std::string& file) { return EscapeControl(file); });
  return is_markdown ? MarkdownCell(text) : text;
}

}  // namespace

bool GrowthLimit::allows(const FileDiff& diff) const {
  return diff.new_bytes <= diff.old_bytes || diff.new_bytes - diff.old_bytes <= BytesFor(diff);
}

uint64_t GrowthLimit::BytesFor(const FileDiff& diff) const {
  if (!is_share) return bytes;
  constexpr double kMost = 9e18;  // fits a number of bytes
  return static_cast<uint64_t>(std::min(percent * static_cast<double>(diff.old_bytes) / 100, kMost));
}

Result<GrowthLimit> ParseGrowth(const std::string& text) {
  if (text.empty() || text.back() != '%') {
    PTEEDIT_ASSIGN(const uint64_t size, ParseSize(text));
    return GrowthLimit{size, 0, false};
  }
  PTEEDIT_ASSIGN(const double percent, ParsePercent(text));
  return GrowthLimit{0, percent, true};
}

std::string VerdictText(const FileDiff& diff, const GrowthLimit& limit) {
  const int64_t growth = GrowthOf(diff.old_bytes, diff.new_bytes);
  const std::string amount = std::to_string(std::abs(growth)) + (growth < 0 ? " bytes less" : " bytes more");
  return std::string(limit.allows(diff) ? "passes" : "fails") + ": " + amount + ", at most " +
         std::to_string(limit.BytesFor(diff)) + " allowed";
}

Json VerdictJson(const FileDiff& diff, const GrowthLimit& limit) {
  return {{"growth_bytes", GrowthOf(diff.old_bytes, diff.new_bytes)},
          {"limit_bytes", limit.BytesFor(diff)},
          {"pass", limit.allows(diff)},
          {"verdict", VerdictText(diff, limit)}};
}

void PrintDiffText(const DiffNames& names, const FileDiff& diff, const std::optional<GrowthLimit>& limit,
                   const DiffDetail& detail, const Style& style, std::ostream& out) {
  DiffPrinter printer(diff, detail, style, out);
  if (style.format == Format::kCsv) return printer.PrintAllSizes();
  const bool is_markdown = style.format == Format::kMarkdown;
  const char* line_end = is_markdown ? "  \n" : "\n";  // in Markdown a line of its own in one paragraph
  const int64_t growth = GrowthOf(diff.old_bytes, diff.new_bytes);
  out << FilesText(names.old, is_markdown) << " to " << FilesText(names.now, is_markdown) << ": "
      << style.Size(diff.old_bytes) << " to " << style.Size(diff.new_bytes) << " (" << GrowthText(growth, style)
      << (growth == 0 ? "" : ", " + PercentText(diff.old_bytes, diff.new_bytes)) << ")"
      << (diff.is_same() ? ", no difference but padding" : "");
  const std::string summary = printer.Summary();
  if (!summary.empty() && !diff.is_same()) out << line_end << summary;
  if (limit) out << line_end << VerdictText(diff, *limit);
  out << '\n';
  if (!printer.PrintTables() && !diff.is_same()) out << "\nall that differs is as large as before: --all shows it\n";
}

}  // namespace pteedit::cli
