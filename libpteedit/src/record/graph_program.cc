#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>

#include "base/text.h"
#include "inspect/instructions.h"
#include "program/binding_key.h"
#include "program/constants.h"
#include "program/container_state.h"
#include "record/graph_parts.h"

namespace pteedit {
namespace {

using flatbuffers::uoffset_t;

// A list may name a list's values again and again; no more text than this comes of it.
constexpr size_t kMaxTextBytes = size_t{64} << 20;
constexpr std::string_view kOut = "out";
// Kernels of the runtime's own that return nothing.
constexpr std::string_view kReturnsNothing = "executorch_prim::et_copy_index";

// Calls visit with each value that a list of tensors names; other values are themselves.
template <class Visit>
void ForEachTensor(const schema::ExecutionPlan& plan, uint32_t index, Visit visit) {
  const schema::EValue& value = *plan.values()->Get(index);
  const flatbuffers::Vector<int32_t>* items = nullptr;
  if (const auto* list = value.val_as_TensorList()) items = list->items();
  if (const auto* list = value.val_as_OptionalTensorList()) items = list->items();
  if (items == nullptr) return visit(index);
  for (const int32_t item : *items) {
    if (item >= 0) visit(static_cast<uint32_t>(item));
  }
}

// What each value is called: after the node that made it last. A tensor that no instruction makes is a view of the one
// that was made last where it lies: for views whose shape is fixed the exporter writes no instruction.
class ValueNames {
 public:
  ValueNames(const schema::ExecutionPlan& plan, const std::vector<GraphNode>& nodes, KeptTexts& texts)
      : plan_(plan), nodes_(nodes), texts_(texts), makers_(OrEmpty(plan.values()).size(), kNobody) {}

  // The node that was listed last has made it.
  void SetMaker(uint32_t value) {
    const auto node = static_cast<uint32_t>(nodes_.size() - 1);
    makers_[value] = node;
    if (const std::optional<Place> place = PlaceOf(value)) last_[*place] = {node, false};
  }
  bool IsKnown(uint32_t value) const { return makers_[value] != kNobody; }
  std::string NameOf(uint32_t value) const {
    if (IsKnown(value)) return std::string(nodes_[makers_[value]].name);
    const Made* made = MadeAt(value);
    return made == nullptr ? Text("value_", value) : std::string(nodes_[made->node].name);
  }
  bool IsView(uint32_t value) const { return MadeAt(value) != nullptr; }
  // Whether the value is a view of one that nothing has taken yet.
  bool IsViewOfUnused(uint32_t value) const {
    const Made* made = MadeAt(value);
    return made != nullptr && !made->is_taken;
  }

  // "%x", "1", "[%x, None]"; kept in the texts.
  std::string_view TextOf(uint32_t value) {
    ForEachTensor(plan_, value, [&](uint32_t item) {
      const std::optional<Place> place = PlaceOf(item);
      const auto made = place ? last_.find(*place) : last_.end();
      if (made != last_.end()) made->second.is_taken = true;
    });
    const schema::EValue& stored = *plan_.values()->Get(value);
    if (IsKnown(value) || stored.val_as_Tensor() != nullptr) return texts_.Keep(Text('%', NameOf(value)));
    const std::string text = Literal(stored);
    if (text.size() > bytes_left_) return "...";
    bytes_left_ -= text.size();
    return texts_.Keep(text);
  }

 private:
  using Place = std::pair<uint32_t, uint64_t>;  // arena, offset in it
  static constexpr uint32_t kNobody = ~uint32_t{0};
  struct Made {
    uint32_t node = 0;
    bool is_taken = false;
  };

  std::optional<Place> PlaceOf(uint32_t value) const {
    const schema::Tensor* tensor = plan_.values()->Get(value)->val_as_Tensor();
    if (tensor == nullptr || tensor->allocation_info() == nullptr) return std::nullopt;
    const schema::AllocationDetails& place = *tensor->allocation_info();
    return Place(place.memory_id(), uint64_t{place.memory_offset_high()} << 32 | place.memory_offset_low());
  }

  const Made* MadeAt(uint32_t value) const {
    const std::optional<Place> place = PlaceOf(value);
    const auto made = place ? last_.find(*place) : last_.end();
    return made == last_.end() ? nullptr : &made->second;
  }

  std::string Literal(const schema::EValue& value) const {
    if (const auto* number = value.val_as_Int()) return std::to_string(number->int_val());
    if (const auto* flag = value.val_as_Bool()) return flag->bool_val() ? "True" : "False";
    if (const auto* number = value.val_as_Double()) return NumberText(number->double_val());
    if (const auto* text = value.val_as_String()) return std::string(ViewOf(text->string_val()));
    if (const auto* list = value.val_as_IntList()) return ItemsText(list->items());
    if (const auto* list = value.val_as_TensorList()) return ItemsText(list->items());
    if (const auto* list = value.val_as_OptionalTensorList()) return ItemsText(list->items());
    if (const auto* list = value.val_as_DoubleList()) return ListText(list->items(), NumberText);
    if (const auto* list = value.val_as_BoolList())
      return ListText(list->items(), [](bool item) -> std::string { return item ? "True" : "False"; });
    return "None";
  }

  // Of a list that names values.
  template <class Item>
  std::string ItemsText(const flatbuffers::Vector<Item>* items) const {
    return ListText(items, [&](int64_t item) -> std::string {
      if (item < 0) return "None";
      const auto index = static_cast<uint32_t>(item);
      const auto* number = plan_.values()->Get(index)->val_as_Int();
      return number != nullptr && !IsKnown(index) ? std::to_string(number->int_val()) : Text('%', NameOf(index));
    });
  }

  template <class Items, class ToText>
  std::string ListText(const Items* items, ToText to_text) const {
    std::string text = "[";
    for (const auto item : OrEmpty(items)) {
      text += (text.size() == 1 ? "" : ", ") + to_text(item);
      if (text.size() > bytes_left_) break;
    }
    return text + "]";
  }

  const schema::ExecutionPlan& plan_;
  const std::vector<GraphNode>& nodes_;
  KeptTexts& texts_;
  std::vector<uint32_t> makers_;  // of each value: the node that it is called after
  std::map<Place, Made> last_;
  size_t bytes_left_ = kMaxTextBytes;
};

void NoteInstruction(const InstructionDescription& instruction, GraphNode& node) {
  node.chain = static_cast<uint32_t>(instruction.chain);
  node.instruction = static_cast<uint32_t>(instruction.index);
}

class ProgramLister {
 public:
  ProgramLister(const schema::ExecutionPlan& plan, const DelegatesByName& delegates, const RecordedNames& recorded,
                const std::shared_ptr<KeptTexts>& texts)
      : plan_(plan), delegates_(delegates), recorded_(recorded), texts_(texts), names_(plan, listing_.nodes, *texts) {
    listing_.texts = texts_;
    listing_.method = ViewOf(plan.name());
    listing_.has_record = recorded.graph != nullptr;
  }

  // Nodes are large: a list that grows takes three times their memory.
  void MakeRoom(size_t constants) {
    size_t calls = 0;
    ForEachDelegateCall(plan_, [&](const schema::DelegateCall&) { ++calls; });
    listing_.nodes.reserve(OrEmpty(plan_.inputs()).size() + constants + CountInstructions(plan_) + calls);
  }

  void AddInputs() {
    const auto& inputs = OrEmpty(plan_.inputs());
    for (uoffset_t i = 0; i < inputs.size(); ++i) {
      const std::string_view name = Take(InputName(i, inputs.size()));
      AddNode("placeholder", name, name);
      names_.SetMaker(static_cast<uint32_t>(inputs.Get(i)));
    }
  }

  // Of a text that stays.
  void AddConstant(uint32_t value, std::string_view name) {
    if (names_.IsKnown(value)) return;
    const std::string_view taken = Take(NodeNameOf(name));
    AddNode("get_attr", taken, name);
    names_.SetMaker(value);
  }

  // Constants in data files.
  void AddExternals() {
    const auto& values = OrEmpty(plan_.values());
    for (uoffset_t i = 0; i < values.size(); ++i) {
      const schema::Tensor* tensor = values.Get(i)->val_as_Tensor();
      const schema::ExtraTensorInfo* more = tensor == nullptr ? nullptr : tensor->extra_tensor_info();
      if (more != nullptr && more->location() == schema::TensorDataLocation::EXTERNAL && !IsBindingTensor(*tensor))
        AddConstant(i, texts_->Keep(ViewOf(more->fully_qualified_name())));
    }
  }

  void AddInstruction(const InstructionDescription& instruction) {
    const InstructionKind kind = instruction.kind;
    if (kind == InstructionKind::kKernel) return AddKernel(instruction);
    if (kind == InstructionKind::kDelegate) return AddDelegate(instruction);
    if (kind == InstructionKind::kFree || kind == InstructionKind::kNone) return;
    GraphNode& node = AddNode("call_function", Take(NameOf(kind)), NameOf(kind));
    NoteInstruction(instruction, node);
    node.arguments.Edit() = {names_.TextOf(instruction.values.front())};
    if (instruction.jumps) node.keyword_arguments.Edit().push_back(texts_->Keep(Text("unless: ", *instruction.jumps)));
    if (kind == InstructionKind::kMove) names_.SetMaker(instruction.values.back());
  }

  MethodGraph Finish() && {
    for (const int32_t output : OrEmpty(plan_.outputs())) {
      std::string_view text = names_.TextOf(static_cast<uint32_t>(output));
      if (text.starts_with('%')) text.remove_prefix(1);
      listing_.outputs.push_back(text);
    }
    numbers_.reset();  // which take as much as counting
    CountUsers(listing_.nodes, listing_.outputs);
    return std::move(listing_);
  }

 private:
  std::string_view Take(std::string_view name) { return numbers_->Take(name); }

  // Those that users give come last among the inputs of a recorded graph.
  std::string InputName(size_t index, size_t count) const {
    if (recorded_.graph == nullptr || recorded_.graph->inputs.size() < count) return Text("input_", index);
    return recorded_.graph->inputs[recorded_.graph->inputs.size() - count + index];
  }

  // Of texts that stay.
  GraphNode& AddNode(const char* op, std::string_view name, std::string_view target) {
    GraphNode node;
    node.op = op;
    node.name = name;
    node.target = target;
    listing_.nodes.push_back(std::move(node));
    return listing_.nodes.back();
  }

  // The arguments of a kernel end with what it returns; before it, where it writes that to.
  void AddKernel(const InstructionDescription& kernel) {
    std::vector<uint32_t> values = kernel.values;
    std::vector<uint32_t> returned;
    if (!values.empty() && !kernel.target.starts_with(kReturnsNothing)) {
      ForEachTensor(plan_, values.back(), [&](uint32_t value) { returned.push_back(value); });
      const bool is_list = returned.size() != 1 || returned.front() != values.back();
      values.pop_back();
      const std::string_view target = kernel.target;
      if (target.ends_with(kOut)) DropWritten(values, returned);
      AddStates(values);
      AddCall(kernel, values, returned, is_list);
      return;
    }
    AddStates(values);
    AddCall(kernel, values, {}, false);
  }

  // Tensors that nothing has made: state that lasts from call to call, without an initial value.
  void AddStates(const std::vector<uint32_t>& values) {
    for (const uint32_t value : values) {
      ForEachTensor(plan_, value, [&](uint32_t item) {
        const bool is_tensor = plan_.values()->Get(item)->val_as_Tensor() != nullptr;
        if (is_tensor && !names_.IsKnown(item) && !names_.IsView(item))
          AddConstant(item, texts_->Keep(Text("state_", item)));
      });
    }
  }

  void DropWritten(std::vector<uint32_t>& values, const std::vector<uint32_t>& returned) const {
    const std::set<uint32_t> results(returned.begin(), returned.end());
    const auto is_returned = [&](uint32_t value) {
      bool all = true, any = false;
      ForEachTensor(plan_, value, [&](uint32_t item) {
        any = true;
        all = all && results.count(item) != 0;
      });
      return all && any;
    };
    for (size_t most = returned.size(); most != 0 && !values.empty() && is_returned(values.back()); --most)
      values.pop_back();
  }

  void AddCall(const InstructionDescription& kernel, const std::vector<uint32_t>& values,
               const std::vector<uint32_t>& returned, bool is_list) {
    const auto joined = recorded_.nodes.kernels.find(kernel.index);
    const RecordNode* node = joined == recorded_.nodes.kernels.end() ? nullptr : joined->second;
    const std::string_view name = Take(node == nullptr ? NodeNameOf(kernel.target) : node->name);
    GraphNode& call =
        AddNode("call_function", name, Target(node == nullptr ? kernel.target : PrintedTarget(node->target)));
    NoteInstruction(kernel, call);
    if (!values.empty()) call.arguments.Edit().reserve(values.size());
    for (const uint32_t value : values) call.arguments.Edit().push_back(names_.TextOf(value));
    if (is_list) return AddGetitems(name, returned);
    for (const uint32_t value : returned) names_.SetMaker(value);
  }

  // Kept once.
  std::string_view Target(std::string_view target) {
    const auto kept = targets_.find(target);
    return kept == targets_.end() ? *targets_.insert(texts_->Keep(target)).first : *kept;
  }

  void AddGetitems(std::string_view name, const std::vector<uint32_t>& values) {
    for (size_t i = 0; i < values.size(); ++i) {
      GraphNode& getitem = AddNode("call_function", Take("getitem"), "operator.getitem");
      getitem.arguments.Edit() = {texts_->Keep(Text('%', name)), texts_->Keep(std::to_string(i))};
      names_.SetMaker(values[i]);
    }
  }

  // Its outputs are the last of its arguments: as many as the record says, else those that nothing has made before. Of
  // these, the first may yet be views of what was made.
  size_t InputsOf(const InstructionDescription& call) const {
    const size_t count = call.values.size();
    const auto outputs = recorded_.delegate_outputs.find(call.index);
    if (outputs != recorded_.delegate_outputs.end()) return count - std::min<size_t>(outputs->second, count);
    size_t inputs = count;
    while (inputs != 0 && !names_.IsKnown(call.values[inputs - 1])) --inputs;
    while (inputs + 1 < count && names_.IsViewOfUnused(call.values[inputs])) ++inputs;
    return inputs;
  }

  void AddDelegate(const InstructionDescription& call) {
    const size_t inputs = InputsOf(call);
    const std::string_view argument = texts_->Keep(Text("%lowered_module_", calls_++)), module = argument.substr(1);
    AddNode("get_attr", module, module).lowered = LoweredOf(call);
    const std::string_view name = Take("executorch_call_delegate");
    GraphNode& node = AddNode("call_function", name, "torch.ops.higher_order.executorch_call_delegate");
    NoteInstruction(call, node);
    std::vector<std::string_view>& arguments = node.arguments.Edit();
    arguments.push_back(argument);
    for (size_t i = 0; i < inputs; ++i) arguments.push_back(names_.TextOf(call.values[i]));
    AddGetitems(name, {call.values.begin() + static_cast<ptrdiff_t>(inputs), call.values.end()});
  }

  uint32_t LoweredOf(const InstructionDescription& call) {
    const DelegateDescription* const delegate = delegates_.Find(call.target);
    const auto nodes = recorded_.nodes.delegates.find(call.index);
    if (delegate != nullptr && nodes != recorded_.nodes.delegates.end())
      return AddLowered(LoweredFromNodes(delegate->backend, nodes->second, recorded_, *texts_));
    Known known;
    if (delegate != nullptr)
      known = delegate->decoded ? Known{delegate, {}, {}} : Known{nullptr, delegate->backend, *delegate->why_opaque};
    const auto [lowered, is_new] = lowered_.try_emplace(known, 0);
    if (is_new)
      lowered->second = AddLowered(delegate == nullptr ? LoweredGraph() : LoweredFromBlob(*delegate, *texts_));
    return lowered->second;
  }

  uint32_t AddLowered(LoweredGraph lowered) {
    listing_.lowered.push_back(std::move(lowered));
    return static_cast<uint32_t>(listing_.lowered.size() - 1);
  }

  // All that lists a delegate without a record: its blob, or where that is opaque the backend, and why.
  using Known = std::tuple<const DelegateDescription*, std::string_view, std::string_view>;

  const schema::ExecutionPlan& plan_;
  const DelegatesByName& delegates_;
  const RecordedNames& recorded_;
  const std::shared_ptr<KeptTexts> texts_;
  MethodGraph listing_;
  std::map<Known, uint32_t> lowered_;  // lists of what several calls may share
  size_t calls_ = 0;                   // of delegates
  ValueNames names_;
  std::optional<NodeNames> numbers_{*texts_};
  std::set<std::string_view> targets_;  // of kernels
};

}  // namespace

std::vector<NamedValues> ConstantsByPlan(const Container& program, KeptTexts& texts) {
  std::vector<NamedValues> plans(OrEmpty(program.state().program_root().execution_plan()).size());
  const std::vector<Constant> constants = CollectConstants(program);
  const auto names = std::make_shared<std::vector<std::string_view>>();
  names->reserve(constants.size());
  std::vector<size_t> uses(plans.size());
  for (const Constant& constant : constants) {
    names->push_back(texts.Keep(constant.name));
    for (const ConstantUse& use : constant.uses) ++uses[use.method];
  }
  for (size_t i = 0; i < plans.size(); ++i) {
    plans[i].names = names;
    plans[i].values.reserve(uses[i]);  // what grows by itself is there twice
  }
  for (uint32_t i = 0; i < constants.size(); ++i) {
    for (const ConstantUse& use : constants[i].uses) plans[use.method].values.push_back({use.value, i});
  }
  return plans;
}

MethodGraph ListProgram(PlanParts parts, const DelegatesByName& delegates, const RecordedNames& recorded,
                        const std::shared_ptr<KeptTexts>& texts) {
  ProgramLister lister(parts.plan, delegates, recorded, texts);
  lister.MakeRoom(parts.constants.values.size());
  lister.AddInputs();
  lister.AddExternals();
  for (const auto& [value, name] : parts.constants.values) lister.AddConstant(value, (*parts.constants.names)[name]);
  parts.constants = {};  // the nodes have their names
  ForEachInstruction(parts.plan, parts.delegates,
                     [&](const InstructionDescription& instruction) { lister.AddInstruction(instruction); });
  return std::move(lister).Finish();
}

}  // namespace pteedit
