// The view --instructions.
#include "json.h"
#include "pteedit/execution.h"
#include "text/format.h"
#include "text/table.h"
#include "views/view.h"

namespace pteedit::cli {
namespace {

std::string WhatText(const InstructionDescription& row) {
  const std::string target = row.jumps ? "to " + std::to_string(*row.jumps) + " unless" : EscapeControl(row.target);
  return NameOf(row.kind) + (target.empty() ? "" : " " + target);
}

std::string InstructionsText(const Inspection& inspection, const Style& style) {
  Table table({{"Method"}, {"Chain", Align::kRight}, {"Index", Align::kRight}, {"Instruction"}, {"Values"}});
  for (const InstructionDescription& row : DescribeInstructions(inspection.container)) {
    table.AddRow({EscapeControl(row.method), std::to_string(row.chain), std::to_string(row.index), WhatText(row),
                  NumbersText(row.values)});
  }
  return table.In(style);
}

Json InstructionsJson(const Inspection& inspection) {
  const auto to_json = [](const InstructionDescription& row) {
    Json object = NewRow();
    object["method"] = row.method;
    object["chain"] = row.chain;
    object["index"] = row.index;
    object["kind"] = NameOf(row.kind);
    object["target"] = TextOrNull(row.target);
    object["values"] = row.values;
    if (row.jumps) object["jumps"] = *row.jumps;
    return object;
  };
  return ListOf(DescribeInstructions(inspection.container), to_json, inspection.most_rows);
}

}  // namespace

extern const View kInstructionsView;
const View kInstructionsView = {"--instructions", "Show instructions: calls of operators and delegates, in order",
                                "Instructions",   "instructions",
                                kNeedsNothing,    InstructionsText,
                                InstructionsJson};

}  // namespace pteedit::cli
