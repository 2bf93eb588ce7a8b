// The view --named-data.
#include "json.h"
#include "text/format.h"
#include "text/size_tree.h"
#include "text/table.h"
#include "views/view.h"

namespace pteedit::cli {
namespace {

std::string NamedDataText(const Inspection& inspection, const Style& style) {
  Table table({{"Key"}, {"Type"}, {"Dim Order"}, {"Size", Align::kRight}, {"Sharers", Align::kRight}});
  for (const NamedDataDescription& entry : inspection.description.named_data) {
    table.AddRow({EscapeControl(entry.key), entry.layout ? TypeText(*entry.layout) : "-",
                  entry.layout ? NumbersText(entry.layout->dim_order) : "-", style.Size(entry.bytes),
                  std::to_string(entry.sharers)});
  }
  return table.In(style);
}

Json NamedDataJson(const NamedDataDescription& entry) {
  Json object;
  object["key"] = entry.key;
  object["bytes"] = entry.bytes;
  if (entry.layout) AddLayout(object, *entry.layout);
  object["sharers"] = entry.sharers;
  return object;
}

Json NamedDataListJson(const Inspection& inspection) {
  return ListOf(inspection.description.named_data, NamedDataJson);
}

}  // namespace

extern const View kNamedDataView;
const View kNamedDataView = {"--named-data",    "Show named data: keys, types, sizes, sharers",
                             "Named Data",      "named_data",
                             kNeedsDescription, NamedDataText,
                             NamedDataListJson};

}  // namespace pteedit::cli
