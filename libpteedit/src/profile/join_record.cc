// Events with what the exporter's record tells of their instructions, by the rules of the exporter's Inspector.
#include <algorithm>
#include <array>

#include "profile/record_nodes.h"
#include "pteedit/event_blocks.h"
#include "text.h"
#include "try.h"

namespace pteedit {
namespace {

constexpr std::string_view kForward = "forward";
constexpr std::string_view kDelegateCall = "DELEGATE_CALL";
// Events of the runtime itself, which no operator of the model stands for.
constexpr std::array<std::string_view, 3> kFramework = {"Method::init", "Program::load_method", "Method::execute"};

// "forward", or the only one.
Result<std::string> MethodOf(const Etrecord& record) {
  const std::vector<std::string> methods = record.Methods();
  if (std::find(methods.begin(), methods.end(), kForward) != methods.end()) return std::string(kForward);
  if (methods.size() == 1) return methods.front();
  return Unsupported(Text("record has ", methods.size(), " methods, none called ", Quoted(kForward),
                          "; a dump does not say which one ran"));
}

class RecordJoin {
 public:
  RecordJoin(const MethodHandles& handles, const SourceNodes& nodes) : handles_(handles), nodes_(nodes) {}

  void Join(ProfiledEvent& event) const {
    if (event.instruction < 0) return;
    const auto index = static_cast<uint64_t>(event.instruction);
    const auto found = handles_.instructions.find(index);
    if (found == handles_.instructions.end()) return;
    event.num_outputs = found->second.outputs;
    const auto delegate = handles_.delegates.find(index);
    const bool has_delegate = delegate != handles_.delegates.end();
    if (has_delegate && (event.is_delegated() || event.name == kDelegateCall))
      event.delegate_backend_name = delegate->second.backend;
    if (event.is_delegated() && has_delegate) {
      SetHandles(event, HandlesOf(delegate->second, event.delegate_debug_identifier(), event));
    } else {
      SetHandles(event, &found->second);
    }
    AddOperators(event);
  }

 private:
  static void SetHandles(ProfiledEvent& event, const InstructionHandles* handles) {
    if (handles == nullptr) return;
    event.debug_handles = handles->handles;
    event.has_handle_list = handles->is_list;
  }

  // The entry of the very text; else the last whose key is part of it.
  static const InstructionHandles* HandlesOf(const DelegateHandles& delegate, const std::string& identifier,
                                             const ProfiledEvent& event) {
    const InstructionHandles* found = nullptr;
    for (const auto& [key, handles] : delegate.by_identifier) {
      if (key == identifier && !event.delegate_debug_number) return &handles;
      if (identifier.find(key) != std::string::npos) found = &handles;
    }
    return found;
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

  const MethodHandles& handles_;
  const SourceNodes& nodes_;
};

}  // namespace

Status JoinRecord(std::vector<EventBlock>& blocks, const std::shared_ptr<const Source>& source) {
  PTEEDIT_ASSIGN(const Etrecord record, Etrecord::Open(source));
  PTEEDIT_ASSIGN(const std::string method, MethodOf(record));
  PTEEDIT_ASSIGN(const std::optional<MethodHandles> handles, ReadHandles(record, method));
  if (!handles) return Unsupported(Text("record has no instructions of method ", Quoted(method)));
  PTEEDIT_ASSIGN(const SourceNodes nodes, ReadSourceNodes(record, method));
  const RecordJoin join(*handles, nodes);
  for (EventBlock& block : blocks) {
    for (ProfiledEvent& event : block.events) join.Join(event);
  }
  return {};
}

}  // namespace pteedit
