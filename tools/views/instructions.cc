// The view --instructions.
#include <map>
#include <string_view>
#include <vector>

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

std::string BoundText(const OperatorWork& work, uint64_t amount) {
  return work.is_upper_bound && amount != 0 ? "<= " : "";
}

// "4096", "<= 4096", "?"; nothing of what computes nothing.
std::string MacsText(const InstructionDescription& row, const OperatorWork& work) {
  if (row.kind != InstructionKind::kKernel && row.kind != InstructionKind::kDelegate) return "";
  return !work.macs ? "?" : BoundText(work, *work.macs) + std::to_string(*work.macs);
}

std::string MovedText(const InstructionDescription& row, const OperatorWork& work, const Style& style) {
  if (row.kind != InstructionKind::kKernel && row.kind != InstructionKind::kDelegate) return "";
  return !work.bytes ? "?" : BoundText(work, *work.bytes) + style.Size(*work.bytes);
}

// "?: its blob is opaque, in 2 instructions".
std::string UnknownText(const std::vector<InstructionWork>& work) {
  std::map<std::string_view, size_t> reasons;
  for (const InstructionWork& one : work) {
    if (*one.work.why_unknown != '\0') ++reasons[one.work.why_unknown];
  }
  return Join(reasons, "", [](const auto& reason) {
    return "?: " + std::string(reason.first) + ", in " + std::to_string(reason.second) +
           (reason.second == 1 ? " instruction\n" : " instructions\n");
  });
}

std::string InstructionsText(const Inspection& inspection, const Style& style) {
  Table table({{"Method"},
               {"Chain", Align::kRight},
               {"Index", Align::kRight},
               {"Instruction"},
               {"MACs", Align::kRight},
               {"Moved", Align::kRight},
               {"Values"}});
  size_t index = 0;
  for (const InstructionDescription& row : DescribeInstructions(inspection.container)) {
    const OperatorWork& work = inspection.work[index++].work;
    table.AddRow({EscapeControl(row.method), std::to_string(row.chain), std::to_string(row.index), WhatText(row),
                  MacsText(row, work), MovedText(row, work, style), NumbersText(row.values)});
  }
  return table.In(style) + (style.format == Format::kText ? UnknownText(inspection.work) : "");
}

void AddWorkTo(Json& object, const OperatorWork& work) {
  object["macs"] = work.macs ? Json(*work.macs) : Json();
  object["moved_bytes"] = work.bytes ? Json(*work.bytes) : Json();
  if (work.is_upper_bound) object["is_upper_bound"] = true;
  if (*work.why_unknown != '\0') object["why_unknown"] = work.why_unknown;
}

Json InstructionJson(const InstructionDescription& row, const OperatorWork& work) {
  Json object = NewRow();
  object["method"] = row.method;
  object["chain"] = row.chain;
  object["index"] = row.index;
  object["kind"] = NameOf(row.kind);
  object["target"] = TextOrNull(row.target);
  object["values"] = row.values;
  if (row.jumps) object["jumps"] = *row.jumps;
  AddWorkTo(object, work);
  return object;
}

void PrintInstructions(const Inspection& inspection, JsonPrinter& printer) {
  const std::vector<InstructionDescription> rows = DescribeInstructions(inspection.container);
  printer.AddRows(rows.size(), [&](size_t i) { printer.Add(InstructionJson(rows[i], inspection.work[i].work)); });
}

}  // namespace

extern const View kInstructionsView;
const View kInstructionsView = {
    "--instructions", "Show instructions in order: calls of operators and delegates, with MACs and bytes that move",
    "Instructions",   "instructions",
    kNeedsWork,       InstructionsText,
    PrintInstructions};

}  // namespace pteedit::cli
