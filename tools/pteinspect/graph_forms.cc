#include "graph_forms.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "json.h"
#include "pteedit/text.h"
#include "pteedit/try.h"
#include "text/format.h"
#include "text/node_data.h"

namespace pteedit::cli {
namespace {

constexpr char kOutput[] = "(output)";
constexpr char kLabel[] = "pteinspect";

struct Node {
  std::string id, label;
  std::string scope;                                       // the lowered module that it is in; empty outside of all
  std::vector<std::pair<std::string, std::string>> facts;  // "target", "aten::add.out"
  std::vector<std::string> takes;                          // ids
  OperatorWork work;
  std::string type = {};  // of its output, "float32[2,16]", where that is one tensor
};

// By name, in file order.
using Methods = std::map<std::string, size_t>;

Methods MethodsOf(const Container& file) {
  Methods methods;
  for (const MethodDescription& method : Describe(file, kMethodRows).methods)
    methods.emplace(method.name, methods.size());
  return methods;
}

// What the file says of its instructions and methods, found once.
class FileFacts {
 public:
  // Without methods no types are told: those take a list of all instructions.
  FileFacts(const Inspection& inspection, Methods methods)
      : container_(inspection.container), work_(inspection.work), methods_(std::move(methods)) {
    if (!methods_.empty()) instructions_ = DescribeInstructions(container_);
    for (size_t i = 0; i < work_.size(); ++i) first_.emplace(work_[i].method, i);
  }
  FileFacts(const FileFacts&) = delete;
  FileFacts& operator=(const FileFacts&) = delete;

  const InstructionWork* WorkAt(const std::string& method, const GraphNode& node) const {
    const auto first = first_.find(method);
    if (first == first_.end() || !node.chain) return nullptr;
    const auto place = [](const InstructionWork& one) { return std::pair(one.chain, one.index); };
    const std::pair<uint64_t, uint64_t> wanted(*node.chain, node.instruction);
    const auto found =
        std::partition_point(work_.begin() + static_cast<ptrdiff_t>(first->second), work_.end(),
                             [&](const InstructionWork& one) { return one.method == method && place(one) < wanted; });
    return found != work_.end() && found->method == method && place(*found) == wanted ? &*found : nullptr;
  }

  // A kernel ends with what it returns.
  std::string TypeOf(const std::string& method, const GraphNode& node) const {
    const InstructionWork* const work = instructions_.empty() ? nullptr : WorkAt(method, node);
    if (work == nullptr) return "";
    const InstructionDescription& instruction = instructions_[static_cast<size_t>(work - work_.data())];
    if (instruction.kind != InstructionKind::kKernel || instruction.values.empty()) return "";
    const auto value = DescribeValue(container_, methods_.at(method), instruction.values.back());
    return value && value->layout ? TypeText(*value->layout) : "";
  }

 private:
  const Container& container_;
  const std::vector<InstructionWork>& work_;          // methods in file order, instructions by chain and index
  std::vector<InstructionDescription> instructions_;  // as the work
  std::map<std::string_view, size_t> first_;          // of each method in the work
  const Methods methods_;
};

using Visit = std::function<void(Node node)>;

class MethodNodes {
 public:
  MethodNodes(const FileFacts& facts, const MethodGraph& method) : facts_(facts), method_(method) {
    names_.reserve(method.nodes.size());
    for (const GraphNode& node : method.nodes) names_.push_back(node.name);
    std::ranges::sort(names_);
  }

  // One after the other: together they take several times the memory of the graph.
  void ForEach(const Visit& visit) const {
    for (size_t i = 0; i < method_.nodes.size(); ++i) {
      const GraphNode& node = method_.nodes[i];
      const bool has_call = node.lowered && i + 1 < method_.nodes.size();
      if (node.lowered) {
        VisitLowered(node, has_call ? facts_.WorkAt(method_.method, method_.nodes[i + 1]) : nullptr, visit);
      } else {
        VisitNode(node, visit);
      }
    }
    Node output{kOutput, "output", "", {}, {}, {}};
    for (const std::string_view name : method_.outputs) {
      if (HasName(name)) output.takes.emplace_back(name);
    }
    visit(std::move(output));
  }

 private:
  bool HasName(std::string_view name) const { return std::ranges::binary_search(names_, name); }

  static Node NodeOf(const GraphNode& node) {
    Node made{std::string(node.name), std::string(node.target), "", {{"op", node.op}}, {}, {}};
    if (node.target != node.name) made.facts.emplace_back("target", node.target);
    if (!node.arguments->empty()) made.facts.emplace_back("args", Joined(*node.arguments));
    if (!node.keyword_arguments->empty()) made.facts.emplace_back("kwargs", Joined(*node.keyword_arguments));
    return made;
  }

  static std::string Joined(const std::vector<std::string_view>& texts) {
    return Join(texts, ", ", [](std::string_view text) { return std::string(text); });
  }

  void VisitNode(const GraphNode& node, const Visit& visit) const {
    Node made = NodeOf(node);
    for (const std::string_view name : NodesTaken(node)) {
      if (HasName(name)) made.takes.emplace_back(name);
    }
    if (const InstructionWork* work = facts_.WorkAt(method_.method, node)) made.work = work->work;
    made.type = facts_.TypeOf(method_.method, node);
    visit(std::move(made));
  }

  // The module itself stands for what it gives; the call takes it.
  void VisitLowered(const GraphNode& node, const InstructionWork* call, const Visit& visit) const {
    const LoweredGraph& lowered = method_.lowered[*node.lowered];
    Node module = NodeOf(node);
    module.label = lowered.backend + (lowered.why_opaque.empty() ? "" : " (opaque)");
    module.scope = node.name;
    module.facts.emplace_back("backend_id", lowered.backend);
    if (!lowered.why_opaque.empty()) module.facts.emplace_back("why_opaque", lowered.why_opaque);
    std::set<std::string_view> inner;
    for (const GraphNode& one : lowered.nodes) inner.insert(one.name);
    const auto id_of = [&](std::string_view name) { return module.scope + "/" + std::string(name); };
    for (size_t i = 0; i < lowered.nodes.size(); ++i) {
      const GraphNode& one = lowered.nodes[i];
      Node made = NodeOf(one);
      made.id = id_of(one.name);
      made.scope = node.name;
      for (const std::string_view name : NodesTaken(one)) {
        if (inner.contains(name)) made.takes.push_back(id_of(name));
      }
      const bool is_input = std::string_view(one.op) == "placeholder" && HasName(one.name);
      if (is_input) made.takes.emplace_back(one.name);
      if (!lowered.has_arguments) made.facts.emplace_back("args", "not told by the blob");
      const bool is_told = !lowered.has_arguments && call != nullptr && call->operators != nullptr;
      if (is_told && i < call->operators->size()) made.work = (*call->operators)[i];
      visit(std::move(made));
    }
    for (const std::string_view name : lowered.outputs) {
      if (inner.contains(name)) module.takes.push_back(id_of(name));
    }
    visit(std::move(module));
  }

  const FileFacts& facts_;
  const MethodGraph& method_;
  std::vector<std::string_view> names_;  // sorted
};

// Calls visit(method, its nodes).
template <class VisitMethod>
void ForEachMethod(const Inspection& inspection, const FileFacts& facts, VisitMethod visit) {
  for (const MethodGraph& method : inspection.graphs) visit(method, MethodNodes(facts, method));
}

void AddWorkTo(Node& node) {
  const auto add = [&](const char* name, const std::optional<uint64_t>& amount) {
    if (amount)
      node.facts.emplace_back(name, (node.work.is_upper_bound && *amount != 0 ? "<= " : "") + std::to_string(*amount));
  };
  add("macs", node.work.macs);
  add("moved_bytes", node.work.bytes);
  if (*node.work.why_unknown != '\0') node.facts.emplace_back("why_unknown", node.work.why_unknown);
}

// In the quotes of DOT, which has an escape for the quote and takes a backslash before other letters as one of its own.
std::string DotQuoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char letter : EscapeControl(text))
    quoted += letter == '"' || letter == '\\' ? std::string{'\\', letter} : std::string{letter};
  return quoted + "\"";
}

std::string DotNode(Node node) {
  AddWorkTo(node);
  const std::string tooltip = Join(node.facts, "; ", [](const auto& fact) { return fact.first + ": " + fact.second; });
  return DotQuoted(node.id) + " [label=" + DotQuoted(node.label) + ", tooltip=" + DotQuoted(tooltip) + "];\n";
}

void PrintDigraph(const MethodGraph& method, const MethodNodes& nodes, std::ostream& out) {
  out << "digraph " << DotQuoted(method.method) << " {\n  node [shape=box];\n";
  std::string scope;
  const auto begin_scope = [&](const std::string& next) {
    if (next == scope) return;
    if (!scope.empty()) out << "  }\n";
    scope = next;
    if (!scope.empty())
      out << "  subgraph " << DotQuoted("cluster_" + scope) << " {\n    label=" << DotQuoted(scope) << ";\n";
  };
  nodes.ForEach([&](Node node) {
    begin_scope(node.scope);
    out << (scope.empty() ? "  " : "    ") << DotNode(std::move(node));
  });
  begin_scope("");
  nodes.ForEach([&](const Node& node) {  // outside of clusters, which would take in the nodes that they name
    for (const std::string& taken : node.takes)
      out << "  " << DotQuoted(taken) << " -> " << DotQuoted(node.id) << ";\n";
  });
  out << "}\n";
}

Json FactsJson(const std::vector<std::pair<std::string, std::string>>& facts) {
  return ListOf(facts, [](const auto& fact) { return Json({{"key", fact.first}, {"value", fact.second}}); });
}

Json NodeJson(Node node) {
  AddWorkTo(node);
  Json object;
  object["id"] = node.id;
  object["label"] = node.label;
  object["namespace"] = node.scope;
  object["attrs"] = FactsJson(node.facts);
  object["incomingEdges"] = Json::array();
  for (size_t i = 0; i < node.takes.size(); ++i)
    object["incomingEdges"].push_back(
        {{"sourceNodeId", node.takes[i]}, {"sourceNodeOutputId", "0"}, {"targetNodeInputId", std::to_string(i)}});
  object["outputsMetadata"] = Json::array();
  if (!node.type.empty())
    object["outputsMetadata"].push_back({{"id", "0"}, {"attrs", FactsJson({{"tensor_shape", node.type}})}});
  return object;
}

void PrintDot(const Inspection& inspection, const FileFacts& facts, std::ostream& out) {
  ForEachMethod(inspection, facts, [&](const MethodGraph& method, const MethodNodes& nodes) {
    if (&method != &inspection.graphs.front()) out << '\n';
    PrintDigraph(method, nodes, out);
  });
}

void PrintModelExplorer(const Inspection& inspection, const FileFacts& facts, std::ostream& out) {
  JsonPrinter printer(out);
  printer.BeginObject();
  printer.AddMember("label", kLabel);
  printer.Name("graphs");
  printer.BeginList();
  ForEachMethod(inspection, facts, [&](const MethodGraph& method, const MethodNodes& nodes) {
    printer.BeginObject();
    printer.AddMember("id", method.method);
    printer.Name("nodes");
    printer.BeginList();
    nodes.ForEach([&](Node node) { printer.Add(NodeJson(std::move(node))); });
    printer.EndList();
    printer.EndObject();
  });
  printer.EndList();
  printer.EndObject();
  printer.Finish();
}

void PrintNodeData(const Inspection& inspection, const FileFacts& facts, const std::string& figure, std::ostream& out) {
  NodeDataPrinter printer(out);
  ForEachMethod(inspection, facts, [&](const MethodGraph& method, const MethodNodes& nodes) {
    printer.BeginGraph(method.method);
    nodes.ForEach([&](const Node& node) {
      const std::optional<uint64_t>& amount = figure == "macs" ? node.work.macs : node.work.bytes;
      if (amount) printer.Add(node.id, *amount);
    });
    printer.EndGraph();
  });
  printer.Finish();
}

}  // namespace

Status PrintGraphForm(Inspection inspection, const Request& request, std::ostream& out) {
  PTEEDIT_TRY(FindAll(inspection));
  const FileFacts facts(inspection, request.model_explorer ? MethodsOf(inspection.container) : Methods());
  if (request.dot) {
    PrintDot(inspection, facts, out);
  } else if (request.model_explorer) {
    PrintModelExplorer(inspection, facts, out);
  } else {
    PrintNodeData(inspection, facts, request.node_data, out);
  }
  return {};
}

}  // namespace pteedit::cli
