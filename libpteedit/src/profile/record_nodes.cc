#include "profile/record_nodes.h"

#include "base/text.h"
#include "pteedit/try.h"
#include "record/record_graph.h"

namespace pteedit {
namespace {

const std::vector<std::string_view> kNoNodes = {
    "tensor_values",     "sym_int_values", "sym_bool_values", "module_call_graph", "inputs",
    "range_constraints", "from_node",      "source_fn_stack", "torch_fn",          "signature"};

// The name of the one tensor that it gives, else its own.
std::string NameOf(const JsonValue& node) {
  const JsonValue* outputs = node.Find("outputs");
  if (outputs != nullptr && outputs->items.size() == 1) {
    const JsonValue* tensor = outputs->items.front().Find("as_tensor");
    if (tensor != nullptr) return std::string(tensor->TextOf("name"));
  }
  return std::string(node.TextOf("name"));
}

SourceNode NodeFrom(const JsonValue& json, const JsonValue& metadata) {
  SourceNode node;
  node.name = NameOf(json) + "_";
  node.op_type = InspectorTypeOf(json.TextOf("target"));
  if (const JsonValue* trace = metadata.Find("stack_trace")) node.stack_trace = trace->text;
  if (const JsonValue* modules = metadata.Find("nn_module_stack")) node.modules = ParseModules(modules->text);
  return node;
}

}  // namespace

std::optional<std::vector<ModuleLevel>> ParseModules(std::string_view text) {
  std::vector<ModuleLevel> levels;
  std::vector<std::string> parts(1);
  const auto end_level = [&] {
    if (parts.size() != 3) return false;
    levels.push_back({std::move(parts[0]), std::move(parts[1]), std::move(parts[2])});
    parts.assign(1, {});
    return true;
  };
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
    if (c == ';') {
      if (!end_level()) return std::nullopt;
    } else if (c == ',' && depth == 0) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  if (!text.empty() && !end_level()) return std::nullopt;
  return levels;
}

Result<SourceNodes> ReadSourceNodes(const Etrecord& record, const std::string& entry) {
  SourceNodes nodes;
  if (entry.empty()) return nodes;
  PTEEDIT_ASSIGN(const JsonValue program, record.ReadJson(entry, kNoNodes));
  const JsonValue* module = program.Find("graph_module");
  const JsonValue* graph = module == nullptr ? nullptr : module->Find("graph");
  const JsonValue* list = graph == nullptr ? nullptr : graph->Find("nodes");
  if (list == nullptr) return Unsupported(Text("entry ", Quoted(entry), " has no graph"));
  for (const JsonValue& json : list->items) {
    if (const auto handle = DebugHandleOf(json)) nodes[*handle].push_back(NodeFrom(json, *json.Find("metadata")));
  }
  return nodes;
}

}  // namespace pteedit
