// Events with what the exporter's record tells of their instructions, by the rules of the exporter's Inspector.
#include <algorithm>
#include <array>

#include "profile/event_names.h"
#include "profile/record_graph.h"
#include "profile/record_nodes.h"
#include "pteedit/event_blocks.h"
#include "text.h"
#include "try.h"

namespace pteedit {
namespace {

// Events of the runtime itself, which no operator of the model stands for.
constexpr std::array<std::string_view, 3> kFramework = {kMethodInit, kLoadMethod, kMethodExecute};

// The operator of a kernel's event: "add" of "native_call_add.out".
std::string_view KernelOf(std::string_view event) {
  if (!event.starts_with(kKernelCall)) return {};
  event.remove_prefix(kKernelCall.size());
  return event.substr(0, event.find('.'));
}

// Of an op type: "add" of "aten.add.Tensor".
std::string_view OperatorOf(std::string_view op_type) {
  const std::string_view without_overload = op_type.substr(0, op_type.rfind('.'));
  return without_overload.substr(without_overload.rfind('.') + 1);
}

bool Contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Events of the runtime itself are the same in all methods.
bool TellsTheMethod(const ProfiledEvent& event) { return IsOfDelegate(event) || !KernelOf(event.name).empty(); }

// What a record tells of one method.
class RecordedMethod {
 public:
  RecordedMethod(std::string name, RecordMaps maps, SourceNodes nodes)
      : name_(std::move(name)), maps_(std::move(maps)), nodes_(std::move(nodes)) {}

  const std::string& name() const { return name_; }

  // Whether a block may be a run of the method: delegates are called where it has them, and kernels elsewhere.
  bool MayHaveRun(const EventBlock& block) const {
    return std::all_of(block.events.begin(), block.events.end(), [&](const ProfiledEvent& event) {
      const bool has_delegate = maps_.backends.count(static_cast<uint64_t>(event.instruction)) != 0;
      if (IsOfDelegate(event)) return has_delegate;
      return KernelOf(event.name).empty() || !has_delegate;
    });
  }

  // Kernels of a block at places that the record has, and those of them that are of its operators there.
  struct Kernels {
    size_t placed = 0, known = 0;
  };
  Kernels FindKernels(const EventBlock& block) const {
    Kernels found;
    for (const ProfiledEvent& event : block.events) {
      const auto handles = maps_.handles.find(static_cast<uint64_t>(event.instruction));
      const std::string_view kernel = KernelOf(event.name);
      if (kernel.empty() || handles == maps_.handles.end()) continue;
      const std::vector<uint64_t>& list = handles->second;
      ++found.placed;
      found.known +=
          std::any_of(list.begin(), list.end(), [&](uint64_t handle) { return HasOperator(handle, kernel); });
    }
    return found;
  }

  void Join(ProfiledEvent& event) const {
    if (event.instruction < 0) return;
    const auto index = static_cast<uint64_t>(event.instruction);
    const auto found = maps_.handles.find(index);
    if (found == maps_.handles.end()) return;
    const auto outputs = maps_.delegate_outputs.find(index);
    if (outputs != maps_.delegate_outputs.end()) event.num_outputs = outputs->second;
    const auto backend = maps_.backends.find(index);
    const bool has_delegate = backend != maps_.backends.end();
    if (has_delegate && IsOfDelegate(event)) event.delegate_backend_name = backend->second;
    if (event.is_delegated() && has_delegate) {
      SetDelegateHandles(event, index);
    } else {
      event.debug_handles = found->second;
      event.has_handle_list = maps_.single.count(index) == 0;
    }
    AddOperators(event);
  }

 private:
  // Those of the very identifier; else the last whose key is part of it.
  void SetDelegateHandles(ProfiledEvent& event, uint64_t index) const {
    const auto nodes = maps_.delegate_handles.find(index);
    if (nodes == maps_.delegate_handles.end()) return;
    const std::string identifier = event.delegate_debug_identifier();
    const HandleList* found = nullptr;
    bool is_exact = false;
    for (const auto& [key, handles] : nodes->second) {
      if (is_exact || identifier.find(key) == std::string::npos) continue;
      found = &handles;
      is_exact = key == identifier && !event.delegate_debug_number;
    }
    if (found == nullptr) return;
    event.debug_handles = found->handles;
    event.has_handle_list = found->is_list;
  }

  void AddOperators(ProfiledEvent& event) const {
    if (!event.debug_handles) return;
    if (std::find(kFramework.begin(), kFramework.end(), event.name) != kFramework.end()) return;
    for (const uint64_t handle : *event.debug_handles) {
      const auto nodes = nodes_.find(handle);
      if (nodes == nodes_.end()) continue;
      for (const SourceNode& node : nodes->second) {
        const auto same = [&](const SourceOperator& known) { return known.name == node.name; };
        if (std::none_of(event.operators.begin(), event.operators.end(), same))
          event.operators.push_back({node.name, node.stack_trace, node.modules});
        if (!node.op_type.empty()) event.op_types.push_back(node.op_type);
      }
    }
  }

  bool HasOperator(uint64_t handle, std::string_view name) const {
    const auto nodes = nodes_.find(handle);
    return nodes != nodes_.end() &&
           std::any_of(nodes->second.begin(), nodes->second.end(),
                       [&](const SourceNode& node) { return OperatorOf(node.op_type) == name; });
  }

  std::string name_;
  RecordMaps maps_;
  SourceNodes nodes_;
};

Result<std::vector<RecordedMethod>> ReadMethods(const Etrecord& record) {
  std::vector<RecordedMethod> methods;
  for (std::string& name : record.Methods()) {
    PTEEDIT_ASSIGN(std::optional<RecordMaps> maps, ReadMaps(record, name));
    if (!maps) continue;
    PTEEDIT_ASSIGN(SourceNodes nodes, ReadSourceNodes(record, name));
    methods.emplace_back(std::move(name), *std::move(maps), std::move(nodes));
  }
  if (methods.empty()) return Unsupported("record has no instructions of any method");
  return methods;
}

// Those of which the block may be a run. Of several those that know most of its kernels; what runs no instruction says
// nothing about its method.
std::vector<const RecordedMethod*> Candidates(const std::vector<RecordedMethod>& methods, const EventBlock& block) {
  std::vector<const RecordedMethod*> found;
  size_t most = 0;
  for (const RecordedMethod& method : methods) {
    if (!block.methods.empty() && !Contains(block.methods, method.name())) continue;
    if (!method.MayHaveRun(block)) continue;
    const size_t known = method.FindKernels(block).known;
    if (known > most) found.clear();
    if (known >= most) found.push_back(&method);
    most = std::max(most, known);
  }
  return found;
}

// Passes after the one whose operators the record has replace some of them; never most of many.
constexpr size_t kManyKernels = 4;

Status CheckKernels(const std::vector<const RecordedMethod*>& candidates, const EventBlock& block) {
  RecordedMethod::Kernels best;
  for (const RecordedMethod* method : candidates) {
    const RecordedMethod::Kernels kernels = method->FindKernels(block);
    if (kernels.known != 0 && kernels.known * 2 >= kernels.placed) return {};
    if (kernels.placed > best.placed) best = kernels;
  }
  if (best.placed < kManyKernels) return {};
  return Unsupported(Text("record is of another program: ", best.known, " of ", best.placed, " kernels of block ",
                          Quoted(block.name), " are of the operators that it has there"));
}

}  // namespace

Status JoinRecord(std::vector<EventBlock>& blocks, const std::shared_ptr<const Source>& source) {
  PTEEDIT_ASSIGN(const Etrecord record, Etrecord::Open(source));
  PTEEDIT_ASSIGN(const std::vector<RecordedMethod> methods, ReadMethods(record));
  for (EventBlock& block : blocks) {
    const std::vector<const RecordedMethod*> candidates = Candidates(methods, block);
    if (candidates.empty()) {
      return Unsupported(Text("record is of another program: no method of it calls delegates where block ",
                              Quoted(block.name), " does"));
    }
    PTEEDIT_TRY(CheckKernels(candidates, block));
    if (candidates.size() > 1 && std::none_of(block.events.begin(), block.events.end(), TellsTheMethod)) continue;
    block.methods.clear();
    for (const RecordedMethod* method : candidates) block.methods.push_back(method->name());
    if (candidates.size() != 1) continue;
    for (ProfiledEvent& event : block.events) candidates.front()->Join(event);
  }
  return {};
}

}  // namespace pteedit
