#include "record/graph_parts.h"

#include <algorithm>
#include <set>

#include "base/text.h"

namespace pteedit {
namespace {

bool IsNameLetter(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9') ||
         letter == '_';
}

// Calls visit with each name behind a '%'.
template <class Visit>
void ForEachName(std::string_view argument, Visit visit) {
  for (size_t at = argument.find('%'); at != std::string_view::npos; at = argument.find('%', at)) {
    size_t end = ++at;
    while (end < argument.size() && IsNameLetter(argument[end])) ++end;
    visit(std::string(argument.substr(at, end - at)));
  }
}

// Each once, in the order of the arguments.
std::vector<std::string> NamesTaken(const std::vector<std::string>& arguments, const std::vector<std::string>& more) {
  std::vector<std::string> names;
  std::set<std::string> seen;
  for (const auto* list : {&arguments, &more}) {
    for (const std::string& argument : *list) {
      ForEachName(argument, [&](const std::string& name) {
        if (seen.insert(name).second) names.push_back(name);
      });
    }
  }
  return names;
}

GraphNode Placeholder(const std::string& name) {
  GraphNode node;
  node.name = name;
  node.op = "placeholder";
  node.target = name;
  return node;
}

std::vector<std::string> NamesOf(const RecordNode& node) {
  std::vector<std::string> names{node.name};
  for (const RecordGetitem& getitem : node.getitems) names.push_back(getitem.name);
  return names;
}

void AddCall(const RecordNode& node, std::vector<GraphNode>& nodes) {
  nodes.push_back(CallOf(node));
  for (GraphNode& getitem : GetitemsOf(node.getitems, node.name)) nodes.push_back(std::move(getitem));
}

}  // namespace

std::string NodeNames::Take(const std::string& name) {
  if (uint32_t* const count = taken_.Find(name); count != nullptr) return Text(name, '_', (*count)++);
  taken_.Add(name, 1);
  return name;
}

std::string NodeNameOf(std::string_view text) {
  std::string name;
  for (const char letter : text) {
    const bool is_repeat = letter == ':' && !name.empty() && name.back() == '_';  // one for "::"
    if (!is_repeat) name += IsNameLetter(letter) ? letter : '_';
  }
  return name;
}

std::string PrintedTarget(const std::string& target) {
  constexpr std::string_view kPrinted = "executorch.exir.dialects.edge._ops.";
  return target.starts_with(kEdgeOperators) ? Text(kPrinted, std::string_view(target).substr(kEdgeOperators.size()))
                                            : target;
}

std::vector<std::string> NodesTaken(const GraphNode& node) {
  return NamesTaken(node.arguments, *node.keyword_arguments);
}

void CountUsers(std::vector<GraphNode>& nodes, const std::vector<std::string>& outputs) {
  std::vector<std::pair<std::string_view, uint64_t>> users;  // by name
  users.reserve(nodes.size());
  for (const GraphNode& node : nodes) users.emplace_back(node.name, 0);
  std::ranges::sort(users);
  const auto first_of = [&](std::string_view name) {
    return std::ranges::lower_bound(users, std::pair(name, uint64_t{0}));
  };
  const auto add = [&](const std::string& name) {
    const auto found = first_of(name);
    if (found != users.end() && found->first == name) ++found->second;
  };
  for (const GraphNode& node : nodes) {
    for (const std::string& name : NodesTaken(node)) add(name);
  }
  for (const std::string& name : std::set<std::string>(outputs.begin(), outputs.end())) add(name);
  for (GraphNode& node : nodes) node.users = first_of(node.name)->second;
}

GraphNode CallOf(const RecordNode& node) {
  GraphNode call;
  call.name = node.name;
  call.op = "call_function";
  call.target = PrintedTarget(node.target);
  call.arguments = node.arguments;
  if (!node.keyword_arguments.empty()) call.keyword_arguments.Edit() = node.keyword_arguments;
  return call;
}

std::vector<GraphNode> GetitemsOf(const std::vector<RecordGetitem>& getitems, const std::string& name) {
  std::vector<GraphNode> nodes;
  for (const RecordGetitem& getitem : getitems) {
    GraphNode node;
    node.name = getitem.name;
    node.op = "call_function";
    node.target = "operator.getitem";
    node.arguments = {"%" + name, std::to_string(getitem.index)};
    nodes.push_back(std::move(node));
  }
  return nodes;
}

RecordedNames::RecordedNames(const RecordGraph& whole, NodeJoin join, std::map<uint64_t, uint64_t> outputs)
    : graph(&whole), nodes(std::move(join)), delegate_outputs(std::move(outputs)) {
  for (const RecordNode& node : whole.nodes) {
    for (const std::string& name : NamesTaken(node.arguments, node.keyword_arguments)) takers[name].push_back(&node);
  }
  for (const std::string& output : whole.outputs) takers[output].push_back(nullptr);
}

LoweredGraph LoweredFromNodes(const std::string& backend, const std::vector<const RecordNode*>& nodes,
                              const RecordedNames& recorded) {
  LoweredGraph lowered;
  lowered.backend = backend;
  lowered.has_arguments = true;
  const std::set<const RecordNode*> members(nodes.begin(), nodes.end());
  std::set<std::string> inside, inputs;
  for (const RecordNode* node : nodes) {
    for (std::string& name : NamesOf(*node)) inside.insert(std::move(name));
  }
  std::vector<GraphNode> calls;
  for (const RecordNode* node : nodes) {
    for (const std::string& name : NamesTaken(node->arguments, node->keyword_arguments)) {
      if (inside.count(name) == 0 && inputs.insert(name).second) lowered.nodes.push_back(Placeholder(name));
    }
    AddCall(*node, calls);
  }
  for (const GraphNode& call : calls) {
    const auto takers = recorded.takers.find(call.name);
    if (takers == recorded.takers.end()) continue;
    const bool leaves = std::any_of(takers->second.begin(), takers->second.end(),
                                    [&](const RecordNode* taker) { return members.count(taker) == 0; });
    if (leaves) lowered.outputs.push_back(call.name);
  }
  std::move(calls.begin(), calls.end(), std::back_inserter(lowered.nodes));
  CountUsers(lowered.nodes, lowered.outputs);
  return lowered;
}

LoweredGraph LoweredFromModule(const LoweredModule& module) {
  LoweredGraph lowered;
  lowered.backend = module.backend;
  lowered.has_arguments = true;
  lowered.outputs = module.graph.outputs;
  for (const std::string& input : module.graph.inputs) lowered.nodes.push_back(Placeholder(input));
  for (const RecordNode& node : module.graph.nodes) AddCall(node, lowered.nodes);
  CountUsers(lowered.nodes, lowered.outputs);
  return lowered;
}

LoweredGraph LoweredFromBlob(const DelegateDescription& delegate) {
  LoweredGraph lowered;
  lowered.backend = delegate.backend;
  if (!delegate.decoded) {
    lowered.why_opaque = delegate.why_opaque.empty() ? "its backend is not known" : delegate.why_opaque;
    return lowered;
  }
  if (delegate.operators.empty()) lowered.why_opaque = "its blob does not tell operators";
  NodeNames names;
  for (const std::string& op : delegate.operators) {
    GraphNode node;
    node.name = names.Take(NodeNameOf(op));
    node.op = "call_function";
    node.target = op;
    lowered.nodes.push_back(std::move(node));
  }
  return lowered;
}

MethodGraph ListRecord(const std::string& method, const RecordGraph& graph) {
  MethodGraph listing;
  listing.method = method;
  listing.has_record = true;
  listing.outputs = graph.outputs;
  for (const std::string& input : graph.inputs) listing.nodes.push_back(Placeholder(input));
  for (const RecordNode& node : graph.nodes) {
    if (node.lowered) {
      GraphNode module = Placeholder(graph.lowered[*node.lowered].name);
      module.op = "get_attr";
      module.lowered = static_cast<uint32_t>(listing.lowered.size());
      listing.nodes.push_back(std::move(module));
      listing.lowered.push_back(LoweredFromModule(graph.lowered[*node.lowered]));
    }
    AddCall(node, listing.nodes);
  }
  CountUsers(listing.nodes, listing.outputs);
  return listing;
}

}  // namespace pteedit
