// The view --methods.
#include "json.h"
#include "text/format.h"
#include "text/size_tree.h"
#include "text/table.h"
#include "views/view.h"

namespace pteedit::cli {
namespace {

std::string ValuesText(const std::vector<ValueDescription>& values) {
  return Join(values, ", ", [](const ValueDescription& value) {
    return value.layout != nullptr ? TypeText(*value.layout) : std::string(value.type);
  });
}

std::string MethodsText(const Inspection& inspection, const Style& style) {
  Table table({{"Name"},
               {"Inputs"},
               {"Outputs"},
               {"Instructions", Align::kRight},
               {"Kernel Calls", Align::kRight},
               {"Delegate Calls", Align::kRight},
               {"Planned Memory", Align::kRight}});
  for (const MethodDescription& method : inspection.description.methods) {
    table.AddRow({EscapeControl(method.name), ValuesText(method.inputs), ValuesText(method.outputs),
                  std::to_string(method.instructions), std::to_string(method.kernel_calls),
                  std::to_string(method.delegate_calls), style.Size(method.planned_bytes)});
  }
  return table.In(style);
}

Json ValueJson(const ValueDescription& value) {
  Json object;
  object["value"] = value.value;
  object["type"] = value.type;
  if (value.layout != nullptr) AddLayout(object, *value.layout);
  return object;
}

Json MethodJson(const MethodDescription& method) {
  return {{"name", method.name},
          {"inputs", ListOf(method.inputs, ValueJson)},
          {"outputs", ListOf(method.outputs, ValueJson)},
          {"instructions", method.instructions},
          {"kernel_calls", method.kernel_calls},
          {"delegate_calls", method.delegate_calls},
          {"planned_bytes", method.planned_bytes}};
}

void PrintMethods(const Inspection& inspection, JsonPrinter& printer) {
  printer.AddList(inspection.description.methods, MethodJson);
}

}  // namespace

extern const View kMethodsView;
const View kMethodsView = {"--methods",   "Show methods: inputs, outputs, calls, planned memory",
                           "Methods",     "methods",
                           kNeedsMethods, MethodsText,
                           PrintMethods};

}  // namespace pteedit::cli
