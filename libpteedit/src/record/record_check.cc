#include "record/record_check.h"

#include <algorithm>
#include <string_view>

#include "base/text.h"
#include "delegates/xnnpack.h"
#include "pteedit/try.h"
#include "record/delegation_count.h"

namespace pteedit {
namespace {

constexpr std::string_view kPrimitives = "executorch_prim::";  // their nodes need no handles
constexpr std::string_view kXnnpackQuantize = "XNNConvert";    // the only node that quantizes while it runs
constexpr std::string_view kQuantize = "quantize";             // in names of the exporter's operators
constexpr std::string_view kQuantizeWhileRunning = "choose_qparams";

template <class... Parts>
Error OfAnother(const Parts&... parts) {
  return Unsupported(Text("is of another program: ", parts...));
}

class RecordCheck {
 public:
  RecordCheck(const RecordMaps& maps, const RecordGraph& graph, const DelegatesByName& delegates)
      : maps_(maps), graph_(graph), delegates_(delegates) {
    for (const RecordNode& node : graph.nodes) {
      if (node.debug_handle) by_handle_[*node.debug_handle].push_back(&node);
    }
  }

  Status Check(const std::vector<InstructionDescription>& instructions) {
    for (const InstructionDescription& instruction : instructions) PTEEDIT_TRY(CheckOne(instruction));
    const uint64_t last = maps_.handles.empty() ? 0 : maps_.handles.rbegin()->first;
    if (last >= instructions.size()) {
      return OfAnother("it knows instruction ", last, " of method ", Quoted(instructions.front().method),
                       ", which has ", instructions.size());
    }
    const bool knows_most = known_kernels_ * 2 >= kernels_ || !graph_.lowered.empty();
    if (knows_most) return {};
    return OfAnother("it has the operators of ", known_kernels_, " of ", kernels_, " calls of kernels in method ",
                     Quoted(instructions.front().method));
  }

 private:
  Status CheckOne(const InstructionDescription& instruction) {
    const bool is_delegate = instruction.kind == InstructionKind::kDelegate;
    if (is_delegate != (maps_.backends.count(instruction.index) != 0)) {
      return OfAnother("instruction ", instruction.index, " of method ", Quoted(instruction.method), " calls ",
                       is_delegate ? "a" : "no", " delegate, unlike what the record says");
    }
    if (is_delegate) return CheckDelegate(instruction);
    if (instruction.kind == InstructionKind::kKernel && !instruction.target.starts_with(kPrimitives)) {
      ++kernels_;
      if (KnowsKernel(instruction)) ++known_kernels_;
    }
    return {};
  }

  Status CheckDelegate(const InstructionDescription& call) {
    const size_t number = calls_++;
    const DelegateDescription* const found = delegates_.Find(call.target);
    if (found == nullptr) return {};
    const DelegateDescription& delegate = *found;
    const std::string& backend = maps_.backends.at(call.index);
    if (delegate.backend != backend) {
      return OfAnother("instruction ", call.index, " of method ", Quoted(call.method), " calls a delegate of ",
                       Quoted(delegate.backend), ", the record says ", Quoted(backend));
    }
    if (delegate.backend != kXnnpackBackend || !delegate.decoded) return {};
    const std::vector<const RecordNode*> nodes = NodesOf(call, number);
    const bool converts = std::ranges::count(delegate.contents->operators, kXnnpackQuantize) != 0;
    if (!nodes.empty() && (converts ? !Mentions(nodes, kQuantize) : Mentions(nodes, kQuantizeWhileRunning))) {
      return OfAnother("delegate ", Quoted(delegate.name), converts ? " quantizes" : " does not quantize",
                       ", unlike what the record says");
    }
    return {};
  }

  // Of a delegate, the `number`-th that is called.
  std::vector<const RecordNode*> NodesOf(const InstructionDescription& call, size_t number) const {
    std::vector<const RecordNode*> nodes;
    if (!graph_.lowered.empty()) {
      if (number >= graph_.lowered.size()) return nodes;
      for (const RecordNode& node : graph_.lowered[number].graph.nodes) nodes.push_back(&node);
      return nodes;
    }
    ForEachNode(call, [&](const RecordNode& node) { nodes.push_back(&node); });
    return nodes;
  }

  static bool Mentions(const std::vector<const RecordNode*>& nodes, std::string_view word) {
    return std::ranges::any_of(nodes,
                               [&](const RecordNode* node) { return node->target.find(word) != std::string::npos; });
  }

  bool KnowsKernel(const InstructionDescription& kernel) const {
    bool knows = false;
    ForEachNode(kernel, [&](const RecordNode& node) { knows = knows || Fit(kernel.target, node) != 0; });
    return knows;
  }

  template <class Visit>
  void ForEachNode(const InstructionDescription& instruction, Visit visit) const {
    const auto handles = maps_.handles.find(instruction.index);
    if (handles == maps_.handles.end()) return;
    for (const uint64_t handle : handles->second) {
      const auto nodes = by_handle_.find(handle);
      if (nodes == by_handle_.end()) continue;
      for (const RecordNode* node : nodes->second) visit(*node);
    }
  }

  const RecordMaps& maps_;
  const RecordGraph& graph_;
  const DelegatesByName& delegates_;
  std::map<uint64_t, std::vector<const RecordNode*>> by_handle_;
  uint64_t kernels_ = 0, known_kernels_ = 0;
  size_t calls_ = 0;  // of delegates
};

}  // namespace

Status CheckRecord(const RecordMaps& maps, const RecordGraph& graph,
                   const std::vector<InstructionDescription>& instructions, const DelegatesByName& delegates) {
  return RecordCheck(maps, graph, delegates).Check(instructions);
}

}  // namespace pteedit
