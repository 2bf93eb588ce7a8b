// The views --by and --retained: the bytes of a program and its data files by who needs them.
#include <cctype>
#include <optional>
#include <set>

#include "json.h"
#include "sizes_text.h"
#include "text/format.h"
#include "text/table.h"
#include "views/view.h"

namespace pteedit::cli {
namespace {

std::string Titled(std::string name) {
  name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
  return name;
}

std::string GroupsText(const Inspection& inspection, const Style& style) {
  if (inspection.groups.empty()) return "";
  std::vector<Column> columns = {{"Size", Align::kRight}, {"Share", Align::kRight}};
  for (const SizeAxis axis : inspection.axes) columns.push_back({Titled(NameOf(axis))});
  Table table(columns);
  const uint64_t all = inspection.set.bytes();
  const auto add = [&](uint64_t bytes, const std::vector<std::string>& names, bool is_part) {
    const double share = all == 0 ? 1 : static_cast<double>(bytes) / static_cast<double>(all);
    std::vector<std::string> row = {style.Size(bytes), ShareText(share)};
    for (const std::string& name : names) row.push_back(EscapeControl(name));
    row.resize(columns.size());
    table.AddRow(row, is_part ? std::optional(share) : std::nullopt);
  };
  for (const SizeGroup& group : inspection.groups) add(group.bytes, group.names, /*is_part=*/true);
  if (style.format != Format::kCsv) add(all, {"Total Size"}, /*is_part=*/false);
  return table.In(style);
}

void PrintGroups(const Inspection& inspection, JsonPrinter& printer) {
  const auto to_json = [&](const SizeGroup& group) {
    Json row;
    for (size_t i = 0; i < group.names.size(); ++i) row[NameOf(inspection.axes[i])] = group.names[i];
    row["bytes"] = group.bytes;
    return row;
  };
  printer.AddList(inspection.groups, to_json);
}

std::string RetainedText(const Inspection& inspection, const Style& style) {
  if (inspection.retained.empty()) return "";
  std::set<std::string> components;
  for (const RetainedSize& one : inspection.retained) {
    for (const auto& [component, bytes] : one.components) components.insert(component);
  }
  std::vector<Column> columns = {{"Kind"}, {"Name"}, {"Retained", Align::kRight}};
  for (const std::string& component : components) columns.push_back({component, Align::kRight});
  Table table(columns);
  for (const RetainedSize& one : inspection.retained) {
    std::vector<std::string> row = {NameOf(one.kind), EscapeControl(one.name), style.Size(one.bytes)};
    for (const std::string& component : components) {
      const auto found = one.components.find(component);
      row.push_back(style.Size(found == one.components.end() ? 0 : found->second));
    }
    table.AddRow(row);
  }
  return table.In(style);
}

void PrintRetained(const Inspection& inspection, JsonPrinter& printer) {
  const auto to_json = [](const RetainedSize& one) {
    Json row;
    row["kind"] = NameOf(one.kind);
    row["name"] = one.name;
    row["bytes"] = one.bytes;
    row["components"] = Json::object();
    for (const auto& [component, bytes] : one.components) row["components"][component] = bytes;
    return row;
  };
  printer.AddList(inspection.retained, to_json);
}

}  // namespace

const View kByView = {"--by", nullptr, "By", "by", kNeedsGroups, GroupsText, PrintGroups};

extern const View kRetainedView;
const View kRetainedView = {"--retained",   "Show what dropping each method, delegate or operator would save",
                            "Retained",     "retained",
                            kNeedsRetained, RetainedText,
                            PrintRetained};

}  // namespace pteedit::cli
