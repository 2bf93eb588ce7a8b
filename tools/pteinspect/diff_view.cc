#include "diff_view.h"

#include "pteedit/text.h"
#include "pteedit/try.h"
#include "sizes_text.h"
#include "text/format.h"
#include "text/table.h"

namespace pteedit::cli {
namespace {

// "+8.45 KB", "-48 B", "0 B".
std::string GrowthText(uint64_t before, uint64_t after, const Style& style) {
  if (after < before) return "-" + style.Size(before - after);
  return (after > before ? "+" : "") + style.Size(after - before);
}

std::string ChangedNameText(const SizeChange& change) {
  const std::string name = EscapeControl(change.name);
  if (change.old_name.empty()) return name;
  if (change.old_name == change.name) return name + " (was in " + EscapeControl(change.old_what) + ")";
  const std::string where = change.old_what == change.what ? "" : EscapeControl(change.old_what) + " ";
  return name + " (was " + where + EscapeControl(change.old_name) + ")";
}

std::string SizesTable(const FileDiff& diff, const Style& style) {
  Table table({{"Change"},
               {"Component"},
               {"Name"},
               {"Before", Align::kRight},
               {"After", Align::kRight},
               {"Growth", Align::kRight}});
  for (const SizeChange& change : diff.sizes) {
    table.AddRow({change.change, EscapeControl(change.what), ChangedNameText(change), style.Size(change.old_bytes),
                  style.Size(change.new_bytes), GrowthText(change.old_bytes, change.new_bytes, style)});
  }
  return table.In(style);
}

std::string MethodsTable(const FileDiff& diff, const Style& style) {
  Table table({{"Change"}, {"Method"}, {"Instructions", Align::kRight}, {"Planned Memory", Align::kRight}});
  for (const MethodChange& change : diff.methods) {
    table.AddRow({change.change, EscapeControl(change.name),
                  std::to_string(change.old_instructions) + " > " + std::to_string(change.new_instructions),
                  style.Size(change.old_planned_bytes) + " > " + style.Size(change.new_planned_bytes)});
  }
  return table.In(style);
}

std::string OperatorsTable(const FileDiff& diff, const Style& style) {
  Table table({{"Operator"}, {"In"}, {"Calls", Align::kRight}});
  for (const OperatorChange& change : diff.operators) {
    table.AddRow({EscapeControl(change.name), change.delegate.empty() ? "-" : EscapeControl(change.delegate),
                  std::to_string(change.old_calls) + " > " + std::to_string(change.new_calls)});
  }
  return table.In(style);
}

}  // namespace

bool GrowthLimit::allows(const FileDiff& diff) const {
  if (diff.new_bytes <= diff.old_bytes) return true;
  const uint64_t growth = diff.new_bytes - diff.old_bytes;
  if (!is_share) return growth <= bytes;
  return static_cast<double>(growth) * 100 <= percent * static_cast<double>(diff.old_bytes);
}

Result<GrowthLimit> ParseGrowth(const std::string& text) {
  if (text.empty() || text.back() != '%') {
    PTEEDIT_ASSIGN(const uint64_t size, ParseSize(text));
    return GrowthLimit{size, 0, false};
  }
  PTEEDIT_ASSIGN(const double percent, ParsePercent(text));
  return GrowthLimit{0, percent, true};
}

std::string DiffText(const DiffNames& names, const FileDiff& diff, const Style& style) {
  if (style.format == Format::kCsv) return SizesTable(diff, style);
  const bool is_markdown = style.format == Format::kMarkdown;
  const auto list = [&](const std::vector<std::string>& files) {
    std::string text;
    for (const std::string& file : files) text += (text.empty() ? "" : " + ") + EscapeControl(file);
    return is_markdown ? MarkdownCell(text) : text;
  };
  std::string text = list(names.old) + " to " + list(names.now) + ": " + style.Size(diff.old_bytes) + " to " +
                     style.Size(diff.new_bytes) + " (" + GrowthText(diff.old_bytes, diff.new_bytes, style) + ")" +
                     (diff.is_same() ? ", no difference but padding" : "") + "\n";
  if (!diff.sizes.empty()) text += "\n" + SizesTable(diff, style);
  if (!diff.methods.empty()) text += "\n" + MethodsTable(diff, style);
  if (!diff.operators.empty()) text += "\n" + OperatorsTable(diff, style);
  return text;
}

}  // namespace pteedit::cli
