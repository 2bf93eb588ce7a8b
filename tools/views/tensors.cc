// The view --tensors.
#include "json.h"
#include "text/format.h"
#include "text/size_tree.h"
#include "text/table.h"
#include "views/view.h"

namespace pteedit::cli {
namespace {

std::string TensorsText(const Inspection& inspection, const Style& style) {
  Table table(
      {{"Name"}, {"Method"}, {"Value", Align::kRight}, {"Type"}, {"Dim Order"}, {"Size", Align::kRight}, {"Store"}});
  for (const TensorDescription& tensor : inspection.description.tensors) {
    const bool has_name = !tensor.name.empty();
    const bool has_method = !tensor.method.empty();
    table.AddRow({has_name ? NameText(tensor.name, tensor.aliases) : "-",
                  has_method ? EscapeControl(tensor.method) : "-", has_method ? std::to_string(tensor.value) : "-",
                  TypeText(tensor.layout), NumbersText(tensor.layout.dim_order),
                  tensor.bytes ? style.Size(*tensor.bytes) : "?", tensor.store});
  }
  return table.In(style);
}

Json TensorJson(const TensorDescription& tensor) {
  Json object = NewRow();
  object["name"] = TextOrNull(tensor.name);
  object["aliases"] = TextsOf(tensor.aliases);
  object["method"] = TextOrNull(tensor.method);
  object["value"] = tensor.method.empty() ? Json() : Json(tensor.value);
  AddLayout(object, tensor.layout);
  object["bytes"] = tensor.bytes ? Json(*tensor.bytes) : Json();
  object["store"] = tensor.store;
  object["key"] = nullptr;
  if (!tensor.key.empty()) object["key"] = tensor.key;
  return object;
}

void PrintTensors(const Inspection& inspection, JsonPrinter& printer) {
  printer.AddList(inspection.description.tensors, TensorJson);
}

}  // namespace

extern const View kTensorsView;
const View kTensorsView = {"--tensors",       "Show tensors: names, types, sizes, where their bytes are",
                           "Tensors",         "tensors",
                           kNeedsDescription, TensorsText,
                           PrintTensors};

}  // namespace pteedit::cli
