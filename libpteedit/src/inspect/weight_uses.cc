#include "inspect/weight_uses.h"

#include "base/text.h"
#include "inspect/value_words.h"
#include "program/constants.h"
#include "program/container_state.h"
#include "program/layout.h"

namespace pteedit {
namespace {

using flatbuffers::uoffset_t;

constexpr size_t kMost = 8;         // uses that are told of one weight
constexpr size_t kNameBytes = 100;  // of a method or operator

// The values that an argument names: its own, and those in a list.
std::vector<size_t> ValuesIn(const schema::ExecutionPlan& plan, int32_t argument) {
  std::vector<size_t> values{static_cast<size_t>(argument)};
  const schema::EValue& value = *plan.values()->Get(static_cast<uoffset_t>(argument));
  const auto add = [&](const flatbuffers::Vector<int32_t>* items) {
    for (const int32_t item : OrEmpty(items)) {
      if (item >= 0) values.push_back(static_cast<size_t>(item));
    }
  };
  if (const auto* list = value.val_as_TensorList()) add(list->items());
  if (const auto* list = value.val_as_OptionalTensorList()) add(list->items());
  return values;
}

}  // namespace

void Uses::Add(std::string use) {
  if (count++ < kMost) first.push_back(std::move(use));
}

WeightUses::WeightUses(const ProgramSet& set, const DiffSide& side) {
  for (const DelegateDescription& delegate : side.delegates) {
    const std::string name(BeginningOf(delegate.method, kNameBytes));
    for (const DelegateDescription::Key& key : delegate.keys)
      delegates_of_key_[key.key].Add(Text(name, ' ', BeginningOf(delegate.name, kNameBytes)));
  }
  if (set.file().kind() == FileKind::kData) return;
  NoteConstants(set);
  NoteKeys(set.program());
  NoteCalls(set.program());
}

Uses WeightUses::Of(const DiffRow& row) const {
  Uses all;
  const auto add = [&](const Uses& uses) {
    for (const std::string& use : uses.first) {
      if (all.first.size() < kMost) all.first.push_back(use);
    }
    all.count += uses.count;
  };
  const auto add_values = [&](const auto& values, const auto& key) {
    const auto found = values.find(key);
    if (found == values.end()) return;
    for (const ValueId& value : found->second) add(uses_.at(value));
  };
  if (row.keys.empty() && row.place)
    add_values(values_at_, std::pair(row.place->extent.offset, row.place->extent.size));
  for (const std::string& key : row.keys) {
    add_values(values_of_key_, key);
    const auto found = delegates_of_key_.find(key);
    if (found != delegates_of_key_.end()) add(found->second);
  }
  return all;
}

void WeightUses::NoteConstants(const ProgramSet& set) {
  const uint64_t begin = set.file().program_extent().offset;
  for (const Constant& constant : CollectConstants(set.program())) {
    std::vector<ValueId>& values = values_at_[{constant.extent.offset + begin, constant.extent.size}];
    for (const ConstantUse& use : constant.uses) {
      values.emplace_back(use.method, use.value);
      uses_[values.back()];
    }
  }
}

void WeightUses::NoteKeys(const Container& program) {
  size_t method = 0;
  for (const schema::ExecutionPlan* plan : OrEmpty(program.state().program_root().execution_plan())) {
    size_t value = 0;
    for (const schema::EValue* one : OrEmpty(plan->values())) {
      const ValueId id(method, value++);
      const schema::Tensor* tensor = one->val_as_Tensor();
      if (tensor == nullptr || StoreOf(program.state().program_root(), *tensor) != Store::kExternal) continue;
      values_of_key_[std::string(ViewOf(tensor->extra_tensor_info()->fully_qualified_name()))].push_back(id);
      uses_[id];
    }
    ++method;
  }
}

void WeightUses::NoteCalls(const Container& program) {
  size_t method = 0;
  for (const schema::ExecutionPlan* plan : OrEmpty(program.state().program_root().execution_plan())) {
    const std::string_view name = BeginningOf(ViewOf(plan->name()), kNameBytes);
    for (const schema::Chain* chain : OrEmpty(plan->chains())) {
      for (const schema::Instruction* instruction : OrEmpty(chain->instructions())) {
        const auto* call = instruction->instr_args_as_KernelCall();
        if (call == nullptr) continue;
        const std::string op = OperatorName(*plan->operators()->Get(static_cast<uoffset_t>(call->op_index())));
        size_t argument = 0;
        for (const int32_t index : OrEmpty(call->args())) {
          for (const size_t value : ValuesIn(*plan, index)) {
            const auto found = uses_.find({method, value});
            if (found != uses_.end())
              found->second.Add(Text(name, ' ', BeginningOf(op, kNameBytes), " argument ", argument));
          }
          ++argument;
        }
      }
    }
    ++method;
  }
}

}  // namespace pteedit
