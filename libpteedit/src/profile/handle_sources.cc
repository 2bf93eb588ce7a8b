#include "profile/handle_sources.h"

#include <algorithm>
#include <vector>

#include "pteedit/try.h"
#include "record/record_graph.h"

namespace pteedit {
namespace {

const std::vector<std::string_view> kNoHandles = {
    "tensor_values",     "sym_int_values",  "sym_bool_values", "module_call_graph", "inputs",      "outputs",
    "range_constraints", "source_fn_stack", "torch_fn",        "signature",         "stack_trace", "nn_module_stack"};

}  // namespace

// Each entry holds the history before it, behind its name, and the last of several counts: so does the last name.
std::string_view OldestName(std::string_view from_node) {
  constexpr std::string_view kName = "\"name\"";
  size_t at = from_node.rfind(kName);
  while (at != std::string_view::npos && at != 0 && from_node[at - 1] == '\\') at = from_node.rfind(kName, at - 1);
  if (at == std::string_view::npos) return {};
  std::string_view rest = from_node.substr(at + kName.size());
  rest.remove_prefix(std::min(rest.find_first_not_of(": "), rest.size()));
  if (rest.empty() || rest.front() != '"') return {};
  rest.remove_prefix(1);
  return rest.substr(0, rest.find('"'));
}

Result<HandleSources> ReadHandleSources(const Etrecord& record, std::string_view method) {
  HandleSources sources;
  const std::string entry = record.EdgeProgramEntry(method);
  if (entry.empty()) return sources;
  PTEEDIT_ASSIGN(const JsonValue program, record.ReadJson(entry, kNoHandles));
  const JsonValue* module = program.Find("graph_module");
  const JsonValue* graph = module == nullptr ? nullptr : module->Find("graph");
  const JsonValue* list = graph == nullptr ? nullptr : graph->Find("nodes");
  if (list == nullptr) return sources;
  for (const JsonValue& node : list->items) {
    const auto handle = DebugHandleOf(node);
    if (!handle) continue;
    const std::string_view name = OldestName(node.Find("metadata")->TextOf("from_node"));
    if (!name.empty()) sources.try_emplace(*handle, name);
  }
  return sources;
}

}  // namespace pteedit
