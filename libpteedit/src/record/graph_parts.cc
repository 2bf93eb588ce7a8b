#include "record/graph_parts.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
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
    visit(argument.substr(at, end - at));
  }
}

// Each once, in the order of the arguments.
template <class Texts>
std::vector<std::string_view> NamesTaken(const Texts& arguments, const Texts& more) {
  std::vector<std::string_view> names;
  std::set<std::string_view> seen;
  for (const auto* list : {&arguments, &more}) {
    for (const std::string_view argument : *list) {
      ForEachName(argument, [&](std::string_view name) {
        if (seen.insert(name).second) names.push_back(name);
      });
    }
  }
  return names;
}

GraphNode Placeholder(std::string_view name, KeptTexts& texts) {
  GraphNode node;
  node.name = node.target = texts.Keep(name);
  node.op = "placeholder";
  return node;
}

std::vector<std::string> NamesOf(const RecordNode& node) {
  std::vector<std::string> names{node.name};
  for (const RecordGetitem& getitem : node.getitems) names.push_back(getitem.name);
  return names;
}

std::vector<std::string_view> Keep(const std::vector<std::string>& list, KeptTexts& texts) {
  std::vector<std::string_view> kept;
  kept.reserve(list.size());
  for (const std::string& text : list) kept.push_back(texts.Keep(text));
  return kept;
}

GraphNode CallOf(const RecordNode& node, KeptTexts& texts) {
  GraphNode call;
  call.name = texts.Keep(node.name);
  call.op = "call_function";
  call.target = texts.Keep(PrintedTarget(node.target));
  if (!node.arguments.empty()) call.arguments.Edit() = Keep(node.arguments, texts);
  if (!node.keyword_arguments.empty()) call.keyword_arguments.Edit() = Keep(node.keyword_arguments, texts);
  return call;
}

void AddCall(const RecordNode& node, KeptTexts& texts, std::vector<GraphNode>& nodes) {
  nodes.push_back(CallOf(node, texts));
  for (const RecordGetitem& one : node.getitems) {
    GraphNode getitem;
    getitem.name = texts.Keep(one.name);
    getitem.op = "call_function";
    getitem.target = "operator.getitem";
    getitem.arguments.Edit() = {texts.Keep("%" + node.name), texts.Keep(std::to_string(one.index))};
    nodes.push_back(std::move(getitem));
  }
}

LoweredGraph LoweredFromModule(const LoweredModule& module, KeptTexts& texts) {
  LoweredGraph lowered;
  lowered.backend = module.backend;
  lowered.has_arguments = true;
  lowered.outputs = Keep(module.graph.outputs, texts);
  for (const std::string& input : module.graph.inputs) lowered.nodes.push_back(Placeholder(input, texts));
  for (const RecordNode& node : module.graph.nodes) AddCall(node, texts, lowered.nodes);
  CountUsers(lowered.nodes, lowered.outputs);
  return lowered;
}

}  // namespace

std::string_view NodeNames::Take(std::string_view name) {
  if (uint32_t* const count = taken_.Find(name); count != nullptr) return texts_.Keep(Text(name, '_', (*count)++));
  return taken_.Add(name, 1);
}

std::string NodeNameOf(std::string_view text) {
  std::string name;
  for (const char letter : text) {
    const bool is_repeat = letter == ':' && !name.empty() && name.back() == '_';  // one for "::"
    if (!is_repeat) name += IsNameLetter(letter) ? letter : '_';
  }
  return name;
}

std::string PrintedTarget(std::string_view target) {
  constexpr std::string_view kPrinted = "executorch.exir.dialects.edge._ops.";
  if (!target.starts_with(kEdgeOperators)) return std::string(target);
  return Text(kPrinted, target.substr(kEdgeOperators.size()));
}

std::vector<std::string_view> NodesTaken(const GraphNode& node) {
  return NamesTaken(*node.arguments, *node.keyword_arguments);
}

void CountUsers(std::vector<GraphNode>& nodes, const std::vector<std::string_view>& outputs) {
  std::vector<uint32_t> by_name(nodes.size());
  std::iota(by_name.begin(), by_name.end(), 0);
  const auto name_of = [&](uint32_t node) { return nodes[node].name; };
  std::ranges::sort(by_name, {}, name_of);
  const auto add = [&](std::string_view name) {
    const auto found = std::ranges::lower_bound(by_name, name, {}, name_of);
    if (found != by_name.end() && name_of(*found) == name) ++nodes[*found].users;
  };
  for (const GraphNode& node : nodes) {
    for (const std::string_view name : NodesTaken(node)) add(name);
  }
  for (const std::string_view name : std::set<std::string_view>(outputs.begin(), outputs.end())) add(name);
  for (size_t i = 1; i < by_name.size(); ++i) {  // nodes of one name are one
    if (name_of(by_name[i]) == name_of(by_name[i - 1])) nodes[by_name[i]].users = nodes[by_name[i - 1]].users;
  }
}

RecordedNames::RecordedNames(const RecordGraph& whole, NodeJoin join, std::map<uint64_t, uint64_t> outputs)
    : graph(&whole), nodes(std::move(join)), delegate_outputs(std::move(outputs)) {
  for (const RecordNode& node : whole.nodes) {
    for (const std::string_view name : NamesTaken(node.arguments, node.keyword_arguments))
      takers[std::string(name)].push_back(&node);
  }
  for (const std::string& output : whole.outputs) takers[output].push_back(nullptr);
}

LoweredGraph LoweredFromNodes(const std::string& backend, const std::vector<const RecordNode*>& nodes,
                              const RecordedNames& recorded, KeptTexts& texts) {
  LoweredGraph lowered;
  lowered.backend = backend;
  lowered.has_arguments = true;
  const std::set<const RecordNode*> members(nodes.begin(), nodes.end());
  std::set<std::string, std::less<>> inside;
  std::set<std::string_view> inputs;
  for (const RecordNode* node : nodes) {
    for (std::string& name : NamesOf(*node)) inside.insert(std::move(name));
  }
  std::vector<GraphNode> calls;
  for (const RecordNode* node : nodes) {
    for (const std::string_view name : NamesTaken(node->arguments, node->keyword_arguments)) {
      if (!inside.contains(name) && inputs.insert(name).second) lowered.nodes.push_back(Placeholder(name, texts));
    }
    AddCall(*node, texts, calls);
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

LoweredGraph LoweredFromBlob(const DelegateDescription& delegate, KeptTexts& texts) {
  LoweredGraph lowered;
  lowered.backend = delegate.backend;
  if (!delegate.decoded) {
    lowered.why_opaque = delegate.why_opaque->empty() ? "its backend is not known" : *delegate.why_opaque;
    return lowered;
  }
  if (delegate.contents->operators.empty()) lowered.why_opaque = "its blob does not tell operators";
  NodeNames names(texts);
  for (const std::string& op : delegate.contents->operators) {
    GraphNode node;
    node.name = names.Take(NodeNameOf(op));
    node.op = "call_function";
    node.target = texts.Keep(op);
    lowered.nodes.push_back(std::move(node));
  }
  return lowered;
}

MethodGraph ListRecord(const std::string& method, const RecordGraph& graph, const std::shared_ptr<KeptTexts>& texts) {
  MethodGraph listing;
  listing.texts = texts;
  listing.method = method;
  listing.has_record = true;
  listing.outputs = Keep(graph.outputs, *texts);
  for (const std::string& input : graph.inputs) listing.nodes.push_back(Placeholder(input, *texts));
  for (const RecordNode& node : graph.nodes) {
    if (node.lowered) {
      GraphNode module = Placeholder(graph.lowered[*node.lowered].name, *texts);
      module.op = "get_attr";
      module.lowered = static_cast<uint32_t>(listing.lowered.size());
      listing.nodes.push_back(std::move(module));
      listing.lowered.push_back(LoweredFromModule(graph.lowered[*node.lowered], *texts));
    }
    AddCall(node, *texts, listing.nodes);
  }
  CountUsers(listing.nodes, listing.outputs);
  return listing;
}

}  // namespace pteedit
