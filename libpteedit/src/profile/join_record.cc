// Events with what the exporter's record tells of their instructions, by the rules of the exporter's Inspector.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "base/text.h"
#include "delegates/xnnpack.h"
#include "profile/event_names.h"
#include "profile/output_nodes.h"
#include "profile/record_joins.h"
#include "profile/record_nodes.h"
#include "profile/xnnpack_rows.h"
#include "program/listing_size.h"
#include "pteedit/profile/event_blocks.h"
#include "pteedit/try.h"
#include "record/record_graph.h"

namespace pteedit {
namespace {

// Events of the runtime itself, which no operator of the model stands for.
constexpr std::array<std::string_view, 3> kFramework = {kMethodInit, kLoadMethod, kMethodExecute};

// Of an op type: "add" of "aten.add.Tensor".
std::string_view NameOfType(std::string_view op_type) {
  const std::string_view without_overload = op_type.substr(0, op_type.rfind('.'));
  return without_overload.substr(without_overload.rfind('.') + 1);
}

// Of what XNNPACK logs of an operator with weights: whether these are quantized. Nothing for others.
std::optional<bool> IsQuantizedLayer(std::string_view row) {
  const bool has_weights =
      std::ranges::any_of(std::array<std::string_view, 3>{"Fully Connected (", "Convolution (", "Deconvolution ("},
                          [&](std::string_view kind) { return row.starts_with(kind); });
  if (!has_weights) return std::nullopt;
  return row.substr(0, row.find(')')).find('Q', row.find('(')) != std::string_view::npos;
}

bool Contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Events of the runtime itself are the same in all methods.
bool TellsTheMethod(const ProfiledEvent& event) { return IsOfDelegate(event) || !KernelOf(event.name).empty(); }

bool RanWhole(const EventBlock& block) {
  return std::ranges::any_of(
      block.events, [](const ProfiledEvent& event) { return event.name == kMethodExecute && !event.samples.empty(); });
}

constexpr const char* kJoined = "operators of the model for each event";
constexpr uint64_t kRowBytes = 32;  // what an operator takes beside its texts

uint64_t BytesOf(const SourceNode& node) {
  uint64_t bytes = kRowBytes + node.name.size() + node.stack_trace.value_or("").size();
  for (const ModuleLevel& level : node.modules.value_or(std::vector<ModuleLevel>()))
    bytes += kRowBytes + level.key.size() + level.path.size() + level.type.size();
  return bytes;
}

// What a record tells of one method.
class RecordedMethod {
 public:
  // `nodes` are what instructions are held against, `shown` those that events get, where they are others.
  RecordedMethod(std::string name, RecordMaps maps, SourceNodes nodes, std::optional<SourceNodes> shown)
      : name_(std::move(name)), maps_(std::move(maps)), nodes_(std::move(nodes)), shown_(std::move(shown)) {
    for (const auto& [handle, list] : nodes_) {
      for (const SourceNode& node : list) operators_[handle].insert(NameOfType(node.op_type));
    }
  }

  RecordedMethod(RecordedMethod&&) noexcept = default;  // a copy would look into the other's nodes
  RecordedMethod& operator=(RecordedMethod&&) noexcept = default;

  const std::string& name() const { return name_; }

  // Whether a block may be a run of the method: delegates are called where it has them, and kernels elsewhere.
  bool MayHaveRun(const EventBlock& block) const {
    return std::all_of(block.events.begin(), block.events.end(), [&](const ProfiledEvent& event) {
      const bool has_delegate = maps_.backends.count(static_cast<uint64_t>(event.instruction)) != 0;
      if (IsOfDelegate(event)) return has_delegate;
      return KernelOf(event.name).empty() || !has_delegate;
    });
  }

  // How many kernels of a block are of operators that the record has at their places; and what contradicts it, empty
  // where nothing does.
  struct Kernels {
    size_t known = 0;
    std::string contradiction;
  };
  Result<Kernels> FindKernels(const EventBlock& block, ListingBudget& budget) const {
    Kernels found;
    for (const ProfiledEvent& event : block.events) {
      const auto handles = maps_.handles.find(static_cast<uint64_t>(event.instruction));
      const std::string_view kernel = KernelOf(event.name);
      if (kernel.empty() || handles == maps_.handles.end()) continue;
      PTEEDIT_TRY(budget.Take(handles->second.size(), kJoined));
      const std::set<std::string_view> operators = OperatorsOf(handles->second);
      const bool is_known = std::ranges::any_of(operators, [&](std::string_view op) { return IsMadeOf(kernel, op); });
      found.known += is_known;
      if (is_known || operators.empty() || !found.contradiction.empty()) continue;
      found.contradiction = Text("instruction ", event.instruction, " of block ", Quoted(block.name), " called ",
                                 Quoted(kernel), ", where the record has ", Quoted(*operators.begin()));
    }
    if (found.contradiction.empty()) found.contradiction = WhatIsMissing(block);
    if (found.contradiction.empty()) found.contradiction = WrongLayer(block);
    return found;
  }

  Status Join(ProfiledEvent& event, ListingBudget& budget) const {
    ProfiledEvent::Details& details = event.more.Edit();
    details.op_types.clear();
    details.operators.clear();
    if (event.instruction < 0) return {};
    const auto index = static_cast<uint64_t>(event.instruction);
    const auto found = maps_.handles.find(index);
    if (found == maps_.handles.end()) return {};
    const auto outputs = maps_.delegate_outputs.find(index);
    if (outputs != maps_.delegate_outputs.end()) details.num_outputs = outputs->second;
    const auto backend = maps_.backends.find(index);
    const bool has_delegate = backend != maps_.backends.end();
    if (has_delegate && IsOfDelegate(event)) event.delegate_backend_name = backend->second;
    if (event.is_delegated() && has_delegate) {
      PTEEDIT_TRY(SetDelegateHandles(event, index, budget));
    } else {
      details.debug_handles = found->second;
      details.has_handle_list = maps_.single.count(index) == 0;
    }
    PTEEDIT_TRY(AddOperators(event, budget));
    return AddNodeOperators(event, found->second, budget);
  }

 private:
  // Those of the very identifier; else the last whose key is part of it.
  Status SetDelegateHandles(ProfiledEvent& event, uint64_t index, ListingBudget& budget) const {
    const auto nodes = maps_.delegate_handles.find(index);
    if (nodes == maps_.delegate_handles.end()) return {};
    const std::string identifier = event.delegate_debug_identifier();
    PTEEDIT_TRY(budget.Take(nodes->second.size() * (1 + identifier.size() / kRowBytes), kJoined));
    const HandleList* found = nullptr;
    bool is_exact = false;
    for (const auto& [key, handles] : nodes->second) {
      if (is_exact || identifier.find(key) == std::string::npos) continue;
      found = &handles;
      is_exact = key == identifier && !event.delegate_debug_number;
    }
    if (found == nullptr) return {};
    event.more.Edit().debug_handles = found->handles;
    event.more.Edit().has_handle_list = found->is_list;
    return {};
  }

  Status AddOperators(ProfiledEvent& event, ListingBudget& budget) const {
    ProfiledEvent::Details& details = event.more.Edit();
    if (!details.debug_handles) return {};
    PTEEDIT_TRY(budget.Take(details.debug_handles->size() * sizeof(uint64_t), kJoined));
    if (std::find(kFramework.begin(), kFramework.end(), event.name) != kFramework.end()) return {};
    std::set<std::string_view> known;
    for (const uint64_t handle : *details.debug_handles) {
      const SourceNodes& shown = shown_ ? *shown_ : nodes_;
      const auto nodes = shown.find(handle);
      if (nodes == shown.end()) continue;
      for (const SourceNode& node : nodes->second) {
        const bool is_new = known.insert(node.name).second;
        PTEEDIT_TRY(budget.Take(kRowBytes + node.op_type.size() + (is_new ? BytesOf(node) : 0), kJoined));
        if (is_new) details.operators.push_back({node.name, node.stack_trace, node.modules});
        if (!node.op_type.empty()) details.op_types.push_back(node.op_type);
      }
    }
    return {};
  }

  // Of the one node that a row is of, where the instruction stands for it.
  Status AddNodeOperators(ProfiledEvent& event, const std::vector<uint64_t>& handles, ListingBudget& budget) const {
    ProfiledEvent::Details& details = event.more.Edit();
    details.node_operators.clear();
    const uint64_t handle = details.nodes ? details.nodes->debug_handle : 0;
    const auto nodes = nodes_.find(handle);
    if (handle == 0 || nodes == nodes_.end()) return {};
    PTEEDIT_TRY(budget.Take(handles.size() * sizeof handle, kJoined));
    if (std::find(handles.begin(), handles.end(), handle) == handles.end()) return {};
    for (const SourceNode& node : nodes->second) {
      PTEEDIT_TRY(budget.Take(BytesOf(node), kJoined));
      details.node_operators.push_back({node.name, node.stack_trace, node.modules});
    }
    return {};
  }

  std::set<std::string_view> OperatorsOf(const std::vector<uint64_t>& handles) const {
    std::set<std::string_view> names;
    for (const uint64_t handle : handles) {
      const auto found = operators_.find(handle);
      if (found != operators_.end()) names.insert(found->second.begin(), found->second.end());
    }
    return names;
  }

  // Where a whole run was measured and nothing jumped, each instruction that the record knows logged something.
  std::string WhatIsMissing(const EventBlock& block) const {
    std::set<uint64_t> logged;
    for (const ProfiledEvent& event : block.events) {
      if (event.chain > 0 || event.name == kJumpCall) return "";
      if (TellsTheMethod(event)) logged.insert(static_cast<uint64_t>(event.instruction));
    }
    if (!RanWhole(block) || logged.empty()) return "";
    for (const auto& [instruction, handles] : maps_.handles) {
      if (logged.count(instruction) == 0)
        return Text("it has operators of instruction ", instruction, ", of which block ", Quoted(block.name),
                    " logged nothing");
    }
    return "";
  }

  // Layers of XNNPACK are quantized where the record says so, and nowhere else.
  std::string WrongLayer(const EventBlock& block) const {
    std::map<uint64_t, bool> is_quantized;  // by instruction: whether any layer is
    for (const ProfiledEvent& event : block.events) {
      const std::optional<bool> layer = event.delegate_debug_text.empty() ? std::nullopt : IsQuantizedLayer(event.name);
      if (layer) is_quantized[static_cast<uint64_t>(event.instruction)] |= *layer;
    }
    for (const auto& [instruction, layers] : is_quantized) {
      const auto handles = maps_.handles.find(instruction);
      const auto backend = maps_.backends.find(instruction);
      if (handles == maps_.handles.end() || backend == maps_.backends.end() || backend->second != kXnnpackBackend)
        continue;
      const std::set<std::string_view> operators = OperatorsOf(handles->second);
      if (operators.empty()) continue;
      const bool in_record = std::ranges::any_of(
          operators, [](std::string_view op) { return op.find("quantize") != std::string_view::npos; });
      if (in_record != layers)
        return Text("layers of the delegate that instruction ", instruction, " of block ", Quoted(block.name),
                    " called are ", layers ? "" : "not ", "quantized, unlike what the record says");
    }
    return "";
  }

  std::string name_;
  RecordMaps maps_;
  SourceNodes nodes_;
  std::optional<SourceNodes> shown_;
  std::map<uint64_t, std::set<std::string_view>> operators_;  // by debug handle; look into nodes_
};

Result<std::vector<RecordedMethod>> ReadMethods(const Etrecord& record, const std::string& graph) {
  std::vector<RecordedMethod> methods;
  bool has_graph = graph.empty(), has_handles = has_graph;
  for (std::string& name : record.Methods()) {
    PTEEDIT_ASSIGN(std::optional<RecordMaps> maps, ReadMaps(record, name));
    if (!maps) continue;
    PTEEDIT_ASSIGN(SourceNodes nodes, ReadSourceNodes(record, record.EdgeProgramEntry(name)));
    std::optional<SourceNodes> shown;
    if (!graph.empty()) {
      const std::string entry = record.GraphEntry(graph, name);
      PTEEDIT_ASSIGN(shown, ReadSourceNodes(record, entry));
      has_graph = has_graph || !entry.empty();
      has_handles = has_handles || !shown->empty();
    }
    methods.emplace_back(std::move(name), *std::move(maps), std::move(nodes), std::move(shown));
  }
  if (!has_graph) return record.LacksGraph(graph);
  if (!has_handles) return Unsupported(Text("graph ", Quoted(graph), " has no debug handles, which events go by"));
  if (methods.empty()) return Unsupported("record has no instructions of any method");
  return methods;
}

// Whether the program says that the block is a run of methods that the record does not know: they are newer than it.
bool IsOfOthers(const EventBlock& block, const std::vector<RecordedMethod>& methods) {
  return !block.methods.empty() && std::ranges::none_of(methods, [&](const RecordedMethod& method) {
    return Contains(block.methods, method.name());
  });
}

struct Candidate {
  const RecordedMethod* method = nullptr;
  RecordedMethod::Kernels kernels;
};

// Those of which the block may be a run. Of several those that know most of its kernels; what runs no instruction says
// nothing about its method.
Result<std::vector<Candidate>> Candidates(const std::vector<RecordedMethod>& methods, const EventBlock& block,
                                          ListingBudget& budget) {
  std::vector<Candidate> found;
  size_t most = 0;
  for (const RecordedMethod& method : methods) {
    if (!block.methods.empty() && !Contains(block.methods, method.name())) continue;
    PTEEDIT_TRY(budget.Take(block.events.size(), kJoined));
    if (!method.MayHaveRun(block)) continue;
    PTEEDIT_ASSIGN(RecordedMethod::Kernels kernels, method.FindKernels(block, budget));
    const size_t known = kernels.known;
    if (known > most) found.clear();
    if (known >= most) found.push_back({&method, std::move(kernels)});
    most = std::max(most, known);
  }
  return found;
}

// Leaves out those that contradict the block; that is an error where it is all of them.
Status LeaveFitting(std::vector<Candidate>& candidates) {
  std::vector<Candidate> kept;
  for (Candidate& one : candidates) {
    if (one.kernels.contradiction.empty()) kept.push_back(std::move(one));
  }
  if (kept.empty()) return Unsupported("record is of another program: " + candidates.back().kernels.contradiction);
  candidates = std::move(kept);
  return {};
}

// What joining may repeat: as much as the record's graphs have, and a stack trace for each event.
uint64_t MostJoinedBytes(const Etrecord& record, const std::vector<EventBlock>& blocks, const ParseLimits& limits) {
  uint64_t most = limits.joined_base_bytes;
  for (const std::string& method : record.Methods()) {
    const ZipEntry* entry = record.zip().Find(record.EdgeProgramEntry(method));
    most += entry == nullptr ? 0 : std::min(entry->bytes, kMaxRecordJsonBytes);
  }
  for (const EventBlock& block : blocks) most += block.events.size() * limits.max_joined_event_bytes;
  return most;
}

}  // namespace

Status JoinRecord(std::vector<EventBlock>& blocks, const Etrecord& record, const std::string& graph,
                  const ParseLimits& limits) {
  PTEEDIT_ASSIGN(const std::vector<RecordedMethod> methods, ReadMethods(record, graph));
  ListingBudget budget(MostJoinedBytes(record, blocks, limits), "max_joined_event_bytes");
  for (EventBlock& block : blocks) {
    if (IsOfOthers(block, methods)) continue;
    PTEEDIT_ASSIGN(std::vector<Candidate> candidates, Candidates(methods, block, budget));
    if (candidates.empty()) {
      return Unsupported(Text("record is of another program: no method of it calls delegates where block ",
                              Quoted(block.name), " does"));
    }
    PTEEDIT_TRY(LeaveFitting(candidates));
    block.checks.kernels_in_record = candidates.back().kernels.known;
    // A run without instructions is one of a constant method.
    if ((candidates.size() > 1 || RanWhole(block)) && std::ranges::none_of(block.events, TellsTheMethod)) continue;
    block.methods.clear();
    for (const Candidate& one : candidates) block.methods.push_back(one.method->name());
    if (candidates.size() != 1) continue;
    for (ProfiledEvent& event : block.events) PTEEDIT_TRY(candidates.front().method->Join(event, budget));
  }
  return {};
}

}  // namespace pteedit
