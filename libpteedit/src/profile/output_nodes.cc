#include "profile/output_nodes.h"

#include <algorithm>
#include <limits>
#include <set>

namespace pteedit {
namespace {

constexpr size_t kGraph = std::numeric_limits<size_t>::max();  // what uses an output of the graph
constexpr std::string_view kConversion = "quantize_per_";      // of either direction
constexpr std::string_view kQuantized = " quantized";          // behind a source: numbers of another scale
constexpr std::string_view kStaticView = "view_copy";          // no instruction is left of it

std::set<std::string_view> WordsOf(std::string_view name) {
  std::set<std::string_view> words;
  while (!name.empty()) {
    const size_t end = std::min(name.find('_'), name.size());
    if (end != 0) words.insert(name.substr(0, end));
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return words;
}

// "add" of "aten::add.Tensor".
std::string NameIn(const std::string& op) {
  const size_t colons = op.find("::");
  const std::string name = colons == std::string::npos ? op : op.substr(colons + 2);
  return name.substr(0, name.find('.'));
}

// Calls `use` with each name behind a %.
template <class Use>
void ForEachName(std::string_view argument, Use use) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  for (size_t at = argument.find('%'); at != std::string_view::npos; at = argument.find('%', at + 1)) {
    const std::string_view rest = argument.substr(at + 1);
    use(std::string(rest.substr(0, rest.find_first_not_of(kLetters))));
  }
}

}  // namespace

bool IsMadeOf(std::string_view kernel, std::string_view op) {
  const std::set<std::string_view> of_kernel = WordsOf(kernel), of_op = WordsOf(op);
  return !of_op.empty() && (std::ranges::includes(of_kernel, of_op) || std::ranges::includes(of_op, of_kernel));
}

OutputNodes::OutputNodes(const RecordGraph& graph, RecordMaps maps, const HandleSources& sources,
                         const std::map<uint64_t, std::string>& kernels)
    : maps_(std::move(maps)) {
  AddNodes(graph, sources);
  AddUsers(graph);
  FindSources();
  FindKernels(kernels);
  FindDelegates();
  for (const auto& [handle, nodes] : of_handle_) {
    for (const size_t node : nodes) {
      if (!nodes_[node].source.empty() && !nodes_[node].is_conversion) handles_[handle] = nodes_[node].source;
    }
  }
}

std::string OutputNodes::OfKernel(uint64_t instruction) const {
  const auto found = kernels_.find(instruction);
  return found == kernels_.end() ? "" : found->second;
}

std::optional<std::vector<std::string>> OutputNodes::OfCall(uint64_t instruction) const {
  const auto found = calls_.find(instruction);
  return found == calls_.end() ? std::nullopt : std::optional(found->second);
}

std::string OutputNodes::OfHandle(uint64_t handle) const {
  const auto found = handles_.find(handle);
  return found == handles_.end() ? "" : found->second;
}

void OutputNodes::AddNodes(const RecordGraph& graph, const HandleSources& sources) {
  for (const RecordNode& one : graph.nodes) {
    Node node;
    node.weight += one.getitems.size();
    node.op = NameIn(OperatorOf(one));
    node.is_conversion = node.op.find(kConversion) != std::string::npos;
    if (one.debug_handle) {
      of_handle_[*one.debug_handle].push_back(nodes_.size());
      const auto source = sources.find(*one.debug_handle);
      node.source = source != sources.end() ? source->second
                    : sources.empty()       ? std::to_string(*one.debug_handle)
                                            : std::string();
    }
    nodes_.push_back(std::move(node));
  }
}

void OutputNodes::AddUsers(const RecordGraph& graph) {
  std::map<std::string, std::pair<size_t, size_t>> made;  // by name: the node, and which of its outputs
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    made[graph.nodes[i].name] = {i, 0};
    for (const RecordGetitem& item : graph.nodes[i].getitems) made[item.name] = {i, item.index};
  }
  const auto use = [&](const std::string& name, size_t user) {
    const auto found = made.find(name);
    if (found == made.end() || found->second.first == user) return;
    nodes_[found->second.first].users.emplace_back(user, found->second.second);
    if (user != kGraph) nodes_[user].inputs.push_back(found->second.first);
  };
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    for (const auto* list : {&graph.nodes[i].arguments, &graph.nodes[i].keyword_arguments}) {
      for (const std::string& argument : *list) ForEachName(argument, [&](const std::string& name) { use(name, i); });
    }
  }
  for (const std::string& output : graph.outputs) {
    use(output, kGraph);
    ForEachName(output, [&](const std::string& name) { use(name, kGraph); });
  }
}

// Leaves them to the last of each, and to conversions of it.
void OutputNodes::FindSources() {
  std::map<std::string, size_t> last;
  for (size_t i = 0; i < nodes_.size(); ++i) {
    if (!nodes_[i].is_conversion && !nodes_[i].source.empty()) last[nodes_[i].source] = i;
  }
  for (size_t i = 0; i < nodes_.size(); ++i) {
    Node& node = nodes_[i];
    if (node.is_conversion) {
      node.source = node.inputs.empty() ? "" : nodes_[node.inputs.front()].source;
      const bool is_back = node.op.starts_with("de");
      if (is_back && node.source.ends_with(kQuantized)) node.source.resize(node.source.size() - kQuantized.size());
      if (!is_back && !node.source.empty()) node.source += kQuantized;
    } else if (!node.source.empty() && last[node.source] != i) {
      node.source.clear();
    }
  }
}

// Calls of one kernel with the same handles are those of the nodes in their order, where there are as many.
void OutputNodes::FindKernels(const std::map<uint64_t, std::string>& kernels) {
  std::map<std::pair<std::vector<uint64_t>, std::string>, std::vector<uint64_t>> groups;
  for (const auto& [instruction, kernel] : kernels) {
    const auto handles = maps_.handles.find(instruction);
    if (handles != maps_.handles.end()) groups[{handles->second, kernel}].push_back(instruction);
  }
  for (const auto& [key, instructions] : groups) {
    std::vector<size_t> made;
    for (const uint64_t handle : key.first) {
      for (const size_t node : of_handle_[handle]) {
        if (IsMadeOf(key.second, nodes_[node].op)) made.push_back(node);
      }
    }
    if (made.size() != instructions.size()) continue;
    for (size_t i = 0; i < made.size(); ++i) {
      nodes_[made[i]].kernel = instructions[i];
      kernels_[instructions[i]] = nodes_[made[i]].source;
    }
  }
}

void OutputNodes::FindDelegates() {
  std::map<uint64_t, std::map<uint64_t, uint64_t>> counts;  // by handle and instruction
  for (const auto& [instruction, backend] : maps_.backends) {
    const auto handles = maps_.handles.find(instruction);
    if (handles == maps_.handles.end()) continue;
    for (const uint64_t handle : handles->second) ++counts[handle][instruction];
  }
  std::set<uint64_t> unclear;
  for (const auto& [handle, by_instruction] : counts) {
    std::vector<size_t> free, without_views;
    for (const size_t node : of_handle_[handle]) {
      if (nodes_[node].kernel) continue;
      free.push_back(node);
      if (nodes_[node].op != kStaticView) without_views.push_back(node);
    }
    if (Distribute(free, by_instruction) || Distribute(without_views, by_instruction)) continue;
    for (const auto& [instruction, count] : by_instruction) unclear.insert(instruction);
  }
  for (const auto& [instruction, backend] : maps_.backends) {
    if (unclear.count(instruction) == 0) FindOutputs(instruction);
  }
}

bool OutputNodes::Distribute(const std::vector<size_t>& nodes, const std::map<uint64_t, uint64_t>& counts) {
  std::vector<std::pair<size_t, uint64_t>> given;
  auto next = nodes.begin();
  for (const auto& [instruction, count] : counts) {
    uint64_t taken = 0;
    while (taken < count && next != nodes.end()) {
      given.emplace_back(*next, instruction);
      taken += nodes_[*next++].weight;
    }
    if (taken != count) return false;
  }
  if (next != nodes.end()) return false;
  for (const auto& [node, instruction] : given) nodes_[node].delegate = instruction;
  return true;
}

// What others use of the nodes in it, in the order of the graph that the exporter lowered.
void OutputNodes::FindOutputs(uint64_t instruction) {
  std::vector<std::string> outputs;
  for (const size_t index : LoweredOrder(instruction)) {
    const Node& node = nodes_[index];
    std::set<size_t> used;
    for (const auto& [user, output] : node.users) {
      if (user == kGraph || nodes_[user].delegate != instruction) used.insert(output);
    }
    for (const size_t output : used) outputs.push_back(output == 0 ? node.source : "");
  }
  const auto count = maps_.delegate_outputs.find(instruction);
  if (count != maps_.delegate_outputs.end() && count->second == outputs.size()) calls_[instruction] = outputs;
}

// Its nodes, in the order in which the instruction lists their handles: of nodes with one handle that of the graph.
std::vector<size_t> OutputNodes::LoweredOrder(uint64_t instruction) const {
  std::map<uint64_t, std::vector<size_t>> places;  // in the list, by handle
  const std::vector<uint64_t>& handles = maps_.handles.at(instruction);
  for (size_t i = 0; i < handles.size(); ++i) places[handles[i]].push_back(i);
  std::map<size_t, size_t> ordered;  // nodes, by place
  for (const auto& [handle, of_handle] : places) {
    size_t next = 0;
    for (const size_t node : of_handle_.at(handle)) {
      if (nodes_[node].delegate != instruction) continue;
      ordered[of_handle[next]] = node;
      next += nodes_[node].weight;
    }
  }
  std::vector<size_t> nodes;
  for (const auto& [place, node] : ordered) nodes.push_back(node);
  return nodes;
}

}  // namespace pteedit
