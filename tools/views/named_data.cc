// The view --named-data.
#include <algorithm>

#include "json.h"
#include "pteedit/dtypes.h"
#include "text/format.h"
#include "text/size_tree.h"
#include "text/table.h"
#include "views/view.h"

namespace pteedit::cli {
namespace {

const KeyUse& UseOf(const Inspection& inspection, const NamedDataDescription& entry) {
  static const KeyUse kUnused;
  const auto use = inspection.key_uses.find(entry.key);
  return use == inspection.key_uses.end() ? kUnused : use->second;
}

// As the file says, else as the first that reads it does.
std::string TypeOf(const NamedDataDescription& entry, const KeyUse& use) {
  if (entry.layout) return TypeText(*entry.layout);
  return use.read_as->dtype.empty() ? "-"
                                    : EscapeControl(use.read_as->dtype) + "[" + NumbersText(use.read_as->sizes) + "]";
}

void PrintNamedDataText(const Inspection& inspection, const Style& style, std::ostream& out) {
  const auto& entries = inspection.description.named_data;
  const bool has_names =
      std::any_of(entries.begin(), entries.end(), [](const auto& entry) { return !entry.names.empty(); });
  std::vector<Column> columns = {
      {"Key"}, {"Type"}, {"Dim Order"}, {"Size", Align::kRight}, {"Sharers", Align::kRight}, {"Used By"}};
  if (has_names) columns.insert(columns.begin(), {"Name"});
  Table table(columns);
  table.SetRows(entries.size(), [&](size_t number) {
    const NamedDataDescription& entry = entries[number];
    const KeyUse& use = UseOf(inspection, entry);
    std::vector<std::string> row = {EscapeControl(entry.key),
                                    TypeOf(entry, use),
                                    entry.layout ? NumbersText(entry.layout->dim_order) : "-",
                                    style.Size(entry.bytes),
                                    std::to_string(entry.sharers),
                                    EscapedList(use.users)};
    if (has_names) row.insert(row.begin(), EscapedList(entry.names));
    return row;
  });
  table.Print(style, out);
}

Json NamedDataJson(const NamedDataDescription& entry, const KeyUse& use) {
  Json object;
  object["key"] = entry.key;
  if (!entry.names.empty()) object["names"] = TextsOf(entry.names);
  object["bytes"] = entry.bytes;
  if (entry.layout) AddLayout(object, *entry.layout);
  object["sharers"] = entry.sharers;
  object["used_by"] = TextsOf(use.users);
  if (!use.read_as->dtype.empty())
    object["read_as"] = {{"dtype", use.read_as->dtype},
                         {"common_dtype", CommonDtype(use.read_as->dtype)},
                         {"sizes", use.read_as->sizes}};
  return object;
}

void PrintNamedData(const Inspection& inspection, JsonPrinter& printer) {
  const auto to_json = [&](const NamedDataDescription& entry) {
    return NamedDataJson(entry, UseOf(inspection, entry));
  };
  printer.AddList(inspection.description.named_data, to_json);
}

}  // namespace

extern const View kNamedDataView;
const View kNamedDataView = {"--named-data",
                             "Show named data: keys, names, types, sizes, users",
                             "Named Data",
                             "named_data",
                             kNeedsNamedData | kNeedsKeyUses,
                             nullptr,
                             PrintNamedData,
                             PrintNamedDataText};

}  // namespace pteedit::cli
