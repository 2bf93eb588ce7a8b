// The view --delegation: which operators run in delegates, as the exporter's print_delegation_info prints it.
#include "pteedit/profile/delegation.h"

#include <sstream>

#include "json.h"
#include "text/fancy_grid.h"
#include "text/format.h"
#include "text/table.h"
#include "views/view.h"

namespace pteedit::cli {
namespace {

constexpr const char* kOpType = "op_type";
constexpr const char* kDelegated = "occurrences_in_delegated_graphs";
constexpr const char* kNonDelegated = "occurrences_in_non_delegated_graphs";

std::string SummaryText(const MethodDelegation& method) {
  return "Total delegated subgraphs: " + std::to_string(method.subgraphs) +
         "\nNumber of delegated nodes: " + std::to_string(method.delegated) +
         "\nNumber of non-delegated nodes: " + std::to_string(method.non_delegated) + "\n";
}

std::string OpTypeText(const OperatorDelegation& row) {
  const std::string undecided = row.undecided == 0 ? "" : " (" + std::to_string(row.undecided) + " undecided)";
  return EscapeControl(row.op_type) + undecided;
}

// The rows of the exporter's data frame.
std::vector<std::vector<std::string>> RowsOf(const MethodDelegation& method) {
  std::vector<std::vector<std::string>> rows;
  for (const OperatorDelegation& row : method.operators) {
    rows.push_back({OpTypeText(row), std::to_string(row.delegated), std::to_string(row.non_delegated)});
  }
  rows.push_back({"Total", std::to_string(method.delegated), std::to_string(method.non_delegated)});
  return rows;
}

std::string GridText(const MethodDelegation& method) {
  std::vector<std::vector<std::string>> rows;
  for (std::vector<std::string>& row : RowsOf(method)) {
    row.insert(row.begin(), std::to_string(rows.size()));
    rows.push_back(std::move(row));
  }
  std::ostringstream text;
  PrintFancyGrid(
      {{"", Align::kRight}, {kOpType}, {kDelegated, Align::kRight}, {kNonDelegated, Align::kRight}}, rows.size(),
      [&](size_t i) { return rows[i]; }, text);
  return std::move(text).str();
}

std::string NotesText(const MethodDelegation& method) {
  if (method.has_record) return {};
  std::string text = "As program and processed blobs call operators; --etrecord tells how the exporter counted them.\n";
  if (method.opaque != 0) {
    text += "Blobs of " + std::to_string(method.opaque) + " of " + std::to_string(method.subgraphs) +
            " delegated subgraphs are opaque, so their nodes are not counted.\n";
  }
  return text;
}

std::string TableText(const std::vector<MethodDelegation>& methods, const Style& style) {
  Table table({{"method"}, {kOpType}, {kDelegated, Align::kRight}, {kNonDelegated, Align::kRight}});
  for (const MethodDelegation& method : methods) {
    for (std::vector<std::string>& row : RowsOf(method)) {
      row.insert(row.begin(), EscapeControl(method.method));
      table.AddRow(row);
    }
  }
  return table.In(style);
}

std::string DelegationText(const Inspection& inspection, const Style& style) {
  const std::vector<MethodDelegation>& methods = inspection.delegation;
  if (style.format != Format::kText) return TableText(methods, style);
  return Join(methods, "\n", [&](const MethodDelegation& method) {
    const std::string title = methods.size() == 1 ? "" : "method: " + EscapeControl(method.method) + "\n";
    return title + SummaryText(method) + "\n" + GridText(method) + NotesText(method);
  });
}

Json RowJson(const OperatorDelegation& row) {
  return {{kOpType, row.op_type},
          {kDelegated, row.delegated},
          {kNonDelegated, row.non_delegated},
          {"undecided", row.undecided}};
}

void PrintDelegation(const Inspection& inspection, JsonPrinter& printer) {
  printer.AddList(inspection.delegation, [](const MethodDelegation& method) {
    Json object;
    object["method"] = method.method;
    object["has_record"] = method.has_record;
    object["delegated_subgraphs"] = method.subgraphs;
    object["opaque_subgraphs"] = method.opaque;
    object["delegated_nodes"] = method.delegated;
    object["non_delegated_nodes"] = method.non_delegated;
    object["rows"] = ListOf(method.operators, RowJson);
    return object;
  });
}

}  // namespace

extern const View kDelegationView;
const View kDelegationView = {
    "--delegation",   "Show how many operators of each type run in delegates, and how many do not",
    "Delegation",     "delegation",
    kNeedsDelegation, DelegationText,
    PrintDelegation};

}  // namespace pteedit::cli
