// The view --graph: nodes as the exporter's print_delegated_graph prints them.
#include "pteedit/profile/graph.h"

#include "json.h"
#include "text/format.h"
#include "text/table.h"
#include "views/view.h"

namespace pteedit::cli {
namespace {

constexpr const char* kIndent = "  ";

// "(%x, 1)"; a comma behind one alone, as Python writes tuples.
std::string TupleText(const std::vector<std::string>& items) {
  return "(" + EscapedList(items) + (items.size() == 1 ? ",)" : ")");
}

std::string NodeText(const GraphNode& node, bool has_arguments) {
  const std::string op = std::string(node.op) + "[target=" + EscapeControl(node.target) + "]";
  const std::string name = "%" + EscapeControl(node.name);
  if (!has_arguments) return name + " = " + op;
  std::string text = name + " : [num_users=" + std::to_string(node.users) + "] = " + op;
  if (std::string(node.op) != "call_function") return text;
  return text + "(args = " + TupleText(node.arguments) + ", kwargs = {" + EscapedList(node.keyword_arguments) + "})";
}

std::string LoweredText(const LoweredGraph& lowered) {
  const std::string indent = std::string(kIndent) + kIndent;
  std::string text = indent + "backend_id: " + EscapeControl(lowered.backend) + "\n" + indent + "lowered graph():\n";
  if (!lowered.why_opaque.empty()) text += indent + kIndent + "opaque: " + EscapeControl(lowered.why_opaque) + "\n";
  for (const GraphNode& node : lowered.nodes) text += indent + kIndent + NodeText(node, lowered.has_arguments) + "\n";
  if (lowered.has_arguments) text += indent + kIndent + "return [" + EscapedList(lowered.outputs) + "]\n";
  return text;
}

std::string MethodText(const MethodGraph& method) {
  std::string text = "graph():\n";
  for (const GraphNode& node : method.nodes) {
    text += kIndent + NodeText(node, /*has_arguments=*/true) + "\n";
    if (node.lowered) text += LoweredText(method.lowered[*node.lowered]);
  }
  return text + kIndent + "return " + TupleText(method.outputs) + "\n";
}

std::string GraphsTable(const std::vector<MethodGraph>& methods, const Style& style) {
  Table table({{"Method"}, {"Delegate"}, {"Name"}, {"Op"}, {"Target"}, {"Arguments"}, {"Users", Align::kRight}});
  const auto add = [&](const MethodGraph& method, const std::string& module, const GraphNode& node) {
    std::vector<std::string> arguments = node.arguments;
    arguments.insert(arguments.end(), node.keyword_arguments.begin(), node.keyword_arguments.end());
    table.AddRow({EscapeControl(method.method), EscapeControl(module), EscapeControl(node.name), node.op,
                  EscapeControl(node.target), EscapedList(arguments), std::to_string(node.users)});
  };
  for (const MethodGraph& method : methods) {
    for (const GraphNode& node : method.nodes) {
      add(method, "", node);
      if (!node.lowered) continue;
      for (const GraphNode& inner : method.lowered[*node.lowered].nodes) add(method, node.name, inner);
    }
  }
  return table.In(style);
}

std::string GraphText(const Inspection& inspection, const Style& style) {
  const std::vector<MethodGraph>& methods = inspection.graphs;
  if (style.format != Format::kText) return GraphsTable(methods, style);
  return Join(methods, "\n", [&](const MethodGraph& method) {
    return (methods.size() == 1 ? "" : "method: " + EscapeControl(method.method) + "\n") + MethodText(method);
  });
}

Json NodesJson(const std::vector<GraphNode>& nodes, const std::vector<LoweredGraph>& lowered, size_t most);

Json LoweredJson(const LoweredGraph& lowered, size_t most) {
  return {{"backend_id", lowered.backend},
          {"why_opaque", TextOrNull(lowered.why_opaque)},
          {"has_arguments", lowered.has_arguments},
          {"nodes", NodesJson(lowered.nodes, {}, most)},
          {"outputs", TextsOf(lowered.outputs)}};
}

Json NodesJson(const std::vector<GraphNode>& nodes, const std::vector<LoweredGraph>& lowered, size_t most) {
  const auto to_json = [&](const GraphNode& node) {
    Json object = NewRow();
    object["name"] = node.name;
    object["op"] = node.op;
    object["target"] = node.target;
    object["args"] = TextsOf(node.arguments);
    object["kwargs"] = TextsOf(node.keyword_arguments);
    object["users"] = node.users;
    if (node.lowered) object["lowered"] = LoweredJson(lowered[*node.lowered], most);
    return object;
  };
  return ListOf(nodes, to_json, most);
}

ViewJson GraphJson(const Inspection& inspection) {
  return ListOf(inspection.graphs, [&](const MethodGraph& method) {
    Json object;
    object["method"] = method.method;
    object["has_record"] = method.has_record;
    object["nodes"] = NodesJson(method.nodes, method.lowered, inspection.most_rows);
    object["outputs"] = TextsOf(method.outputs);
    return object;
  });
}

}  // namespace

extern const View kGraphView;
const View kGraphView = {"--graph",   "Show each method as the exporter prints graphs, with what is in its delegates",
                         "Graph",     "graph",
                         kNeedsGraph, GraphText,
                         GraphJson};

}  // namespace pteedit::cli
