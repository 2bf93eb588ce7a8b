// The view --graph: nodes as the exporter's print_delegated_graph prints them.
#include "pteedit/profile/graph.h"

#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>

#include "json.h"
#include "text/format.h"
#include "text/table.h"
#include "views/view.h"

namespace pteedit::cli {
namespace {

// "(%x, 1)"; a comma behind one alone, as Python writes tuples.
std::string TupleText(const std::vector<std::string_view>& items) {
  return "(" + EscapedList(items) + (items.size() == 1 ? ",)" : ")");
}

std::string NodeText(const GraphNode& node, bool has_arguments) {
  const std::string op = std::string(node.op) + "[target=" + EscapeControl(node.target) + "]";
  const std::string name = "%" + EscapeControl(node.name);
  if (!has_arguments) return name + " = " + op;
  std::string text = name + " : [num_users=" + std::to_string(node.users) + "] = " + op;
  if (std::string(node.op) != "call_function") return text;
  return text + "(args = " + TupleText(*node.arguments) + ", kwargs = {" + EscapedList(*node.keyword_arguments) + "})";
}

class GraphWriter {
 public:
  explicit GraphWriter(std::ostream& out) : out_(out) {}

  void Add(const MethodGraph& method, bool has_title) {
    if (has_title) out_ << "method: " << EscapeControl(method.method) << '\n';
    out_ << "graph():\n";
    for (const GraphNode& node : method.nodes) {
      AddLine(1, NodeText(node, /*has_arguments=*/true));
      if (node.lowered) AddLowered(method.lowered[*node.lowered]);
    }
    AddLine(1, "return " + TupleText(method.outputs));
  }

 private:
  void AddLine(size_t depth, const std::string& line) {
    while (depth-- > 0) out_ << "  ";
    out_ << line << '\n';
  }

  void AddLowered(const LoweredGraph& lowered) {
    AddLine(2, "backend_id: " + EscapeControl(lowered.backend));
    AddLine(2, "lowered graph():");
    if (!lowered.why_opaque.empty()) AddLine(3, "opaque: " + EscapeControl(lowered.why_opaque));
    for (const GraphNode& node : lowered.nodes) AddLine(3, NodeText(node, lowered.has_arguments));
    if (lowered.has_arguments) AddLine(3, "return [" + EscapedList(lowered.outputs) + "]");
  }

  std::ostream& out_;
};

void PrintTable(const std::vector<MethodGraph>& methods, const Style& style, std::ostream& out) {
  Table table({{"Method"}, {"Delegate"}, {"Name"}, {"Op"}, {"Target"}, {"Arguments"}, {"Users", Align::kRight}});
  const auto add = [&](const MethodGraph& method, std::string_view module, const GraphNode& node) {
    std::vector<std::string_view> arguments = *node.arguments;
    arguments.insert(arguments.end(), node.keyword_arguments->begin(), node.keyword_arguments->end());
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
  table.Print(style, out);
}

void PrintGraphText(const Inspection& inspection, const Style& style, std::ostream& out) {
  const std::vector<MethodGraph>& methods = inspection.graphs;
  if (style.format != Format::kText) return PrintTable(methods, style, out);
  GraphWriter writer(out);
  for (const MethodGraph& method : methods) {
    if (&method != &methods.front()) out << '\n';
    writer.Add(method, methods.size() > 1);
  }
}

void PrintNodes(const std::vector<GraphNode>& nodes, const std::vector<LoweredGraph>& lowered, JsonPrinter& printer);

void PrintLowered(const LoweredGraph& lowered, JsonPrinter& printer) {
  printer.BeginObject();
  printer.AddMember("backend_id", lowered.backend);
  printer.AddMember("why_opaque", TextOrNull(lowered.why_opaque));
  printer.AddMember("has_arguments", lowered.has_arguments);
  printer.Name("nodes");
  PrintNodes(lowered.nodes, {}, printer);
  printer.AddMember("outputs", TextsOf(lowered.outputs));
  printer.EndObject();
}

void PrintNodes(const std::vector<GraphNode>& nodes, const std::vector<LoweredGraph>& lowered, JsonPrinter& printer) {
  printer.AddObjects(nodes, [&](const GraphNode& node) {
    printer.AddMember("name", node.name);
    printer.AddMember("op", node.op);
    printer.AddMember("target", node.target);
    printer.AddMember("args", TextsOf(*node.arguments));
    printer.AddMember("kwargs", TextsOf(*node.keyword_arguments));
    printer.AddMember("users", node.users);
    if (node.lowered) {
      printer.Name("lowered");
      PrintLowered(lowered[*node.lowered], printer);
    }
  });
}

void PrintGraphs(const Inspection& inspection, JsonPrinter& printer) {
  printer.AddObjects(inspection.graphs, [&](const MethodGraph& method) {
    printer.AddMember("method", method.method);
    printer.AddMember("has_record", method.has_record);
    printer.Name("nodes");
    PrintNodes(method.nodes, method.lowered, printer);
    printer.AddMember("outputs", TextsOf(method.outputs));
  });
}

}  // namespace

extern const View kGraphView;
const View kGraphView = {"--graph",   "Show each method as the exporter prints graphs, with what is in its delegates",
                         "Graph",     "graph",
                         kNeedsGraph, nullptr,
                         PrintGraphs, PrintGraphText};

}  // namespace pteedit::cli
