#include "views/requirements.h"

#include <algorithm>

#include "json.h"
#include "rewrite_output.h"
#include "text/format.h"
#include "text/reports.h"
#include "text/table.h"
#include "views/view.h"

namespace pteedit::cli {
namespace {

std::string ArgumentText(const TensorArgument& argument) {
  return ScalarTypeName(argument.scalar_type) + "(" +
         Join(argument.dim_order, ",", [](uint8_t dimension) { return std::to_string(dimension); }) + ")";
}

std::string SignatureText(const KernelSignature& signature) {
  if (signature.empty()) return "no tensors";
  return Join(signature, " ", [](const auto& argument) { return ArgumentText(*argument); });
}

std::string KeyText(const KeyRequirement& key, const Style& style) {
  const std::string users = EscapedList(key.users);
  if (key.binds)
    return (key.bytes ? "binds to " + EscapeControl(key.file) : "binds to a file that is not given") + ", for " + users;
  return (key.bytes ? style.Size(*key.bytes) + " in " + EscapeControl(key.file) : "in no file") + ", for " + users;
}

// One row each, for spreadsheets.
std::string RequirementsTable(const Requirements& needs, const Style& style) {
  Table table({{"Need"}, {"Name"}, {"Detail"}});
  table.AddRow({"release", needs.min_runtime, ""});
  for (const RuntimeNeed& need : needs.runtime) table.AddRow({"release for", need.release, need.what});
  for (const std::string& name : needs.foreign_operators)
    table.AddRow({"not in the stock libraries", EscapeControl(name), ""});
  table.AddRow({"data files", std::to_string(needs.data_files), EscapedList(needs.data)});
  for (const OperatorRequirement& op : needs.operators) {
    if (op.calls == 0) table.AddRow({"operator", EscapeControl(op.name), "never called"});
    for (const KernelSignature& signature : op.signatures)
      table.AddRow({"operator", EscapeControl(op.name), SignatureText(signature)});
  }
  for (const BackendRequirement& backend : needs.backends) {
    const std::string name = EscapeControl(backend.backend);
    table.AddRow({"backend", name, EscapedList(backend.delegates)});
    for (const auto& fact : backend.targets) table.AddRow({"target", name, FactText(fact)});
    for (const auto& spec : backend.compile_specs) table.AddRow({"compile spec", name, SpecText(spec)});
  }
  for (const KeyRequirement& key : needs.external_keys)
    table.AddRow({"key", EscapeControl(key.key), KeyText(key, style)});
  return table.In(style);
}

std::string OperatorText(const OperatorRequirement& op) {
  if (op.calls == 0) return " " + EscapeControl(op.name) + ": never called\n";
  const auto line = [](const KernelSignature& signature) { return "  " + SignatureText(signature) + "\n"; };
  return " " + EscapeControl(op.name) + "\n" + Join(op.signatures, "", line);
}

std::string BackendText(const BackendRequirement& backend) {
  std::string text = " " + EscapeControl(backend.backend) + ": " + EscapedList(backend.delegates) + "\n";
  for (const auto& fact : backend.targets) text += "  " + FactText(fact) + "\n";
  const std::string specs = Join(backend.compile_specs, ", ", SpecText);
  return specs.empty() ? text : text + "  Compile specs: " + specs + "\n";
}

template <class Items, class ToText>
std::string ListText(const char* title, const Items& items, ToText to_text) {
  return items.empty() ? "" : std::string(title) + ":\n" + Join(items, "", to_text);
}

std::string RequirementsText(const Inspection& inspection, const Style& style) {
  const Requirements& needs = *inspection.requirements;
  if (style.format != Format::kText) return RequirementsTable(needs, style);
  std::string text = "ExecuTorch: " + needs.min_runtime + " or newer\n";
  for (const RuntimeNeed& need : needs.runtime) text += " " + need.release + ": " + need.what + "\n";
  if (inspection.container.kind() == FileKind::kData) return text;
  if (!needs.foreign_operators.empty())
    text += "Not in the stock libraries: " + EscapedList(needs.foreign_operators) + "\n";
  const char* fewer = LoadersThatTakeFewer(needs.data_files);
  text += "Data files: " + DataFilesText(needs) + (fewer == nullptr ? "" : std::string("; ") + fewer) + "\n";
  text += ListText("Operators", needs.operators, OperatorText);
  text += ListText("Backends", needs.backends, BackendText);
  return text + ListText("Keys in data files", needs.external_keys, [&](const KeyRequirement& key) {
           return " " + EscapeControl(key.key) + ": " + KeyText(key, style) + "\n";
         });
}

void PrintRequirements(const Inspection& inspection, JsonPrinter& printer) {
  printer.Add(RequirementsJson(*inspection.requirements));
}

}  // namespace

std::string DataFilesText(const Requirements& needs) {
  const bool knows_all = std::all_of(needs.external_keys.begin(), needs.external_keys.end(),
                                     [](const KeyRequirement& key) { return key.bytes.has_value(); });
  const std::string names = needs.data.empty() ? "" : ", in this order: " + EscapedList(needs.data);
  return (knows_all ? "" : "at least ") + std::to_string(needs.data_files) + names;
}

const View kRequirementsView = {
    "--requirements",   "Show what running needs: operators with types, backends, keys, oldest release",
    "Requirements",     "requirements",
    kNeedsRequirements, RequirementsText,
    PrintRequirements};

}  // namespace pteedit::cli
