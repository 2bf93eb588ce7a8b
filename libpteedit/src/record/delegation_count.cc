#include "record/delegation_count.h"

#include <algorithm>
#include <string_view>

#include "base/text.h"

namespace pteedit {
namespace {

constexpr std::string_view kGetitem = "getitem";
constexpr std::string_view kView = "aten::view_copy";                 // in graphs
constexpr std::string_view kViewKernel = "executorch_prim::et_view";  // what is left of it in programs, if anything
constexpr std::string_view kPrimitive = "executorch_prim";  // arithmetic on sizes, whose nodes call no operator

std::string_view WithoutOverload(std::string_view name) { return name.substr(0, name.find('.')); }

// A node and those that take its outputs one by one.
uint64_t NodesOf(const RecordNode& node) { return 1 + node.getitems.size(); }

class Counts {
 public:
  void Add(const RecordNode& node, bool is_delegated, bool is_undecided = false) {
    Add(OpTypeOf(node.name), 1, is_delegated, is_undecided);
    AddGetitems(node.getitems.size(), is_delegated);
  }
  void AddGetitems(uint64_t count, bool is_delegated) {
    if (count != 0) Add(std::string(kGetitem), count, is_delegated, false);
  }
  OperatorCounts Take() && { return std::move(counts_); }

 private:
  void Add(const std::string& type, uint64_t count, bool is_delegated, bool is_undecided) {
    OperatorDelegation& row = counts_[type];
    row.op_type = type;
    (is_delegated ? row.delegated : row.non_delegated) += count;
    if (is_undecided) row.undecided += count;
  }

  OperatorCounts counts_;
};

// Who has each node of a graph from before the partitioner.
class Division {
 public:
  Division(const RecordGraph& graph, const RecordMaps& maps, const std::vector<InstructionDescription>& instructions)
      : maps_(maps), instructions_(instructions) {
    for (const RecordNode& node : graph.nodes) places_.push_back({&node, Where::kOpen, false});
    for (Place& place : places_) {
      if (place.node->debug_handle) by_handle_[*place.node->debug_handle].push_back(&place);
    }
    for (const InstructionDescription& instruction : instructions) {
      if (instruction.kind != InstructionKind::kDelegate) continue;
      for (const uint64_t handle : HandlesOf(instruction)) ++taken_[handle];
    }
  }

  OperatorCounts Count() && {
    Divide();
    Counts counts;
    for (const Place& place : places_) counts.Add(*place.node, place.where == Where::kDelegate, place.is_undecided);
    for (const auto& [index, outputs] : maps_.delegate_outputs) counts.AddGetitems(outputs, /*is_delegated=*/false);
    return std::move(counts).Take();
  }

  NodeJoin Join() && {
    Divide();
    for (const InstructionDescription& instruction : instructions_) {
      if (instruction.kind != InstructionKind::kDelegate) continue;
      std::vector<const RecordNode*>& nodes = join_.delegates[instruction.index];
      for (const uint64_t handle : HandlesOf(instruction)) {
        const std::vector<Place*>& places = PlacesOf(handle);
        const auto next = std::find_if(places.begin(), places.end(),
                                       [](const Place* place) { return place->where == Where::kDelegate; });
        if (next == places.end()) continue;  // the handle of a node that takes a single output
        (*next)->where = Where::kJoined;
        nodes.push_back((*next)->node);
      }
    }
    return std::move(join_);
  }

 private:
  enum class Where { kOpen, kOutside, kDelegate, kJoined };
  struct Place {
    const RecordNode* node = nullptr;
    Where where = Where::kOpen;
    bool is_undecided = false;
  };

  const std::vector<uint64_t>& HandlesOf(const InstructionDescription& instruction) const {
    static const std::vector<uint64_t> kNone;
    const auto found = maps_.handles.find(instruction.index);
    return found == maps_.handles.end() ? kNone : found->second;
  }

  const std::vector<Place*>& PlacesOf(uint64_t handle) const {
    static const std::vector<Place*> kNone;
    const auto found = by_handle_.find(handle);
    return found == by_handle_.end() ? kNone : found->second;
  }

  static bool IsView(const Place& place) { return WithoutOverload(OperatorOf(*place.node)) == kView; }

  void Divide() {
    for (const InstructionDescription& instruction : instructions_) {
      if (instruction.kind == InstructionKind::kKernel) TakeKernel(instruction);
    }
    TakeOutside();
    for (const auto& [handle, count] : taken_) DivideHandle(handle, count);
    TakeMissingViews();
  }

  // The first node that fits best, once.
  void TakeKernel(const InstructionDescription& kernel) {
    if (WithoutOverload(kernel.target) == kViewKernel) {
      ++views_;
      return;
    }
    const std::vector<uint64_t>& handles = HandlesOf(kernel);
    Place* best = nullptr;
    int best_fit = 0;
    for (const uint64_t handle : handles) {
      for (Place* place : PlacesOf(handle)) {
        const int fit = place->where == Where::kOpen ? Fit(kernel.target, *place->node) : 0;
        if (fit > best_fit) best = place;
        best_fit = std::max(fit, best_fit);
      }
    }
    if (best == nullptr) return;
    best->where = Where::kOutside;
    join_.kernels[kernel.index] = best->node;
  }

  // Nodes that no delegate can have.
  void TakeOutside() {
    for (Place& place : places_) {
      const bool may_be_inside = place.node->debug_handle && taken_.count(*place.node->debug_handle) != 0;
      if (place.where == Where::kOpen && !may_be_inside) place.where = Where::kOutside;
    }
  }

  // The open nodes of a handle, of which delegates have taken `count`. What is more must be views.
  void DivideHandle(uint64_t handle, uint64_t count) {
    std::vector<Place*> open;
    uint64_t nodes = 0, views = 0;
    for (Place* place : PlacesOf(handle)) {
      if (place->where != Where::kOpen) continue;
      open.push_back(place);
      nodes += NodesOf(*place->node);
      views += IsView(*place) ? 1 : 0;
    }
    const auto fits = [&](uint64_t all) { return all >= count && all - count <= views; };
    // Nodes that take single outputs have the handle too, or not.
    const bool is_decided = fits(nodes) || fits(open.size());
    const uint64_t all = fits(nodes) || !is_decided ? nodes : open.size();
    uint64_t outside = std::min(views, all - std::min(all, count));
    for (Place* place : open) {
      const bool leaves = outside != 0 && IsView(*place);
      place->where = leaves ? Where::kOutside : Where::kDelegate;
      place->is_undecided = !is_decided;
      if (leaves) --outside;
    }
  }

  // Instructions for views, which must have come from some, if not from those outside.
  void TakeMissingViews() {
    for (const Place& place : places_) {
      if (IsView(place) && place.where == Where::kOutside && views_ != 0) --views_;
    }
    for (Place& place : places_) {
      if (views_ == 0) return;
      if (!IsView(place) || place.where != Where::kDelegate) continue;
      place.where = Where::kOutside;
      --views_;
    }
  }

  const RecordMaps& maps_;
  const std::vector<InstructionDescription>& instructions_;
  std::vector<Place> places_;
  std::map<uint64_t, std::vector<Place*>> by_handle_;
  std::map<uint64_t, uint64_t> taken_;  // how many nodes of a handle are in delegates
  uint64_t views_ = 0;
  NodeJoin join_;
};

}  // namespace

int Fit(std::string_view kernel, const RecordNode& node) {
  const std::string op = OperatorOf(node);
  const std::string_view name = WithoutOverload(kernel);
  const bool is_operator = op.find("::") != std::string::npos;
  const bool is_same = name == WithoutOverload(op) ||
                       (!is_operator && name.starts_with(kPrimitive) && name.substr(name.find("::") + 2) == op);
  if (!is_same) return 0;
  const size_t kernel_dot = kernel.find('.'), op_dot = op.find('.');
  if (!is_operator || kernel_dot == std::string_view::npos || op_dot == std::string::npos) return 1;
  const std::string_view overload = std::string_view(op).substr(op_dot + 1);
  const std::string_view out = kernel.substr(kernel_dot + 1);
  return out == overload || out == Text(overload, "_out") || out == "out" ? 2 : 1;
}

OperatorCounts CountLowered(const RecordGraph& graph) {
  Counts counts;
  for (const RecordNode& node : graph.nodes) {
    if (!node.lowered) {
      counts.Add(node, /*is_delegated=*/false);
      continue;
    }
    counts.AddGetitems(node.getitems.size(), /*is_delegated=*/false);
    for (const RecordNode& inner : graph.lowered[*node.lowered].graph.nodes) counts.Add(inner, /*is_delegated=*/true);
  }
  return std::move(counts).Take();
}

OperatorCounts CountUnlowered(const RecordGraph& graph, const RecordMaps& maps,
                              const std::vector<InstructionDescription>& instructions) {
  return Division(graph, maps, instructions).Count();
}

NodeJoin JoinNodes(const RecordGraph& graph, const RecordMaps& maps,
                   const std::vector<InstructionDescription>& instructions) {
  return Division(graph, maps, instructions).Join();
}

}  // namespace pteedit
