// The view --operators.
#include "json.h"
#include "text/format.h"
#include "text/table.h"
#include "views/view.h"

namespace pteedit::cli {
namespace {

std::string OperatorsText(const Inspection& inspection, const Style& style) {
  Table table({{"Name"}, {"Calls", Align::kRight}, {"Methods"}});
  for (const OperatorDescription& op : inspection.description.operators) {
    table.AddRow({EscapeControl(op.name), std::to_string(op.calls), EscapedList(op.methods)});
  }
  return table.In(style);
}

Json OperatorJson(const OperatorDescription& op) {
  return {{"name", op.name}, {"calls", op.calls}, {"methods", TextsOf(op.methods)}};
}

void PrintOperators(const Inspection& inspection, JsonPrinter& printer) {
  printer.AddList(inspection.description.operators, OperatorJson);
}

}  // namespace

extern const View kOperatorsView;
const View kOperatorsView = {"--operators", "Show operators: calls, methods that call them",
                             "Operators",   "operators",
                             kNeedsMethods, OperatorsText,
                             PrintOperators};

}  // namespace pteedit::cli
