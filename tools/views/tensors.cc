// The view --tensors.
#include "json.h"
#include "text/format.h"
#include "text/size_tree.h"
#include "text/table.h"
#include "views/view.h"

namespace pteedit::cli {
namespace {

void PrintTensorsText(const Inspection& inspection, const Style& style, std::ostream& out) {
  Table table(
      {{"Name"}, {"Method"}, {"Value", Align::kRight}, {"Type"}, {"Dim Order"}, {"Size", Align::kRight}, {"Store"}});
  const std::vector<TensorDescription>& tensors = inspection.description.tensors;
  table.SetRows(tensors.size(), [&](size_t row) -> std::vector<std::string> {
    const TensorDescription& tensor = tensors[row];
    const bool has_name = !tensor.name.empty();
    const bool has_method = !tensor.method.empty();
    return {has_name ? NameText(tensor.name, *tensor.aliases) : "-",
            has_method ? EscapeControl(tensor.method) : "-",
            has_method ? std::to_string(tensor.value) : "-",
            TypeText(*tensor.layout),
            NumbersText(tensor.layout->dim_order),
            tensor.bytes ? style.Size(*tensor.bytes) : "?",
            tensor.store};
  });
  table.Print(style, out);
}

Json TensorJson(const TensorDescription& tensor) {
  Json object = NewRow();
  object["name"] = TextOrNull(tensor.name);
  object["aliases"] = TextsOf(*tensor.aliases);
  object["method"] = TextOrNull(tensor.method);
  object["value"] = tensor.method.empty() ? Json() : Json(tensor.value);
  AddLayout(object, *tensor.layout);
  object["bytes"] = tensor.bytes ? Json(*tensor.bytes) : Json();
  object["store"] = tensor.store;
  object["key"] = nullptr;
  if (!tensor.key->empty()) object["key"] = *tensor.key;
  return object;
}

void PrintTensors(const Inspection& inspection, JsonPrinter& printer) {
  printer.AddList(inspection.description.tensors, TensorJson);
}

}  // namespace

extern const View kTensorsView;
const View kTensorsView = {"--tensors",   "Show tensors: names, types, sizes, where their bytes are",
                           "Tensors",     "tensors",
                           kNeedsTensors, nullptr,
                           PrintTensors,  PrintTensorsText};

}  // namespace pteedit::cli
