#include "diff/weight_uses.h"

#include <algorithm>

#include "base/text.h"
#include "program/constants.h"
#include "program/container_state.h"
#include "program/layout.h"
#include "program/lifetimes.h"
#include "program/value_words.h"

namespace pteedit {
namespace {

using flatbuffers::uoffset_t;

constexpr size_t kMost = 8;         // uses that are told of one weight
constexpr size_t kNameBytes = 100;  // of a method or operator

}  // namespace

void Uses::Add(std::string use) {
  if (count++ < kMost) first.push_back(std::move(use));
}

WeightUses::WeightUses(const ProgramSet& set, const DiffSide& side, const std::vector<const DiffRow*>& rows)
    : side_(side) {
  for (const DiffRow* row : rows) {
    if (row->key_count == 0 && row->has_place()) values_at_[{row->place.offset, row->place.size}];
    for (const NamedEntry* entry : side.KeysOf(*row)) keys_.push_back(entry->key);
  }
  std::ranges::sort(keys_);
  for (const DiffDelegate& delegate : side.delegates) {
    const std::string name(BeginningOf(delegate.method, kNameBytes));
    for (const std::string_view key : delegate.keys) {
      if (IsAsked(key)) delegates_of_key_[key].Add(Text(name, ' ', BeginningOf(delegate.name, kNameBytes)));
    }
  }
  if (!HoldsProgram(set.file())) return;
  NoteConstants(set);
  NoteKeys(set.program());
  NoteCalls(set.program());
}

bool WeightUses::IsAsked(std::string_view key) const { return std::ranges::binary_search(keys_, key); }

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
  if (row.key_count == 0 && row.has_place()) add_values(values_at_, std::pair(row.place.offset, row.place.size));
  for (const NamedEntry* entry : side_.KeysOf(row)) {
    add_values(values_of_key_, entry->key);
    const auto found = delegates_of_key_.find(entry->key);
    if (found != delegates_of_key_.end()) add(found->second);
  }
  return all;
}

void WeightUses::NoteConstants(const ProgramSet& set) {
  const uint64_t begin = set.file().program_extent().offset;
  for (const Constant& constant : CollectConstants(set.program())) {
    const auto found = values_at_.find({constant.extent.offset + begin, constant.extent.size});
    if (found == values_at_.end()) continue;
    for (const ConstantUse& use : constant.uses) {
      found->second.emplace_back(use.method, use.value);
      uses_[found->second.back()];
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
      const std::string_view key = ViewOf(tensor->extra_tensor_info()->fully_qualified_name());
      if (!IsAsked(key)) continue;
      values_of_key_[key].push_back(id);
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
        const schema::Operator& op = *plan->operators()->Get(static_cast<uoffset_t>(call->op_index()));
        size_t argument = 0;
        for (const int32_t index : OrEmpty(call->args())) {
          const auto note = [&](size_t value) {
            const auto found = uses_.find({method, value});
            if (found != uses_.end())
              found->second.Add(Text(name, ' ', BeginningOf(OperatorName(op), kNameBytes), " argument ", argument));
          };
          note(static_cast<size_t>(index));
          ForEachItemOf(*plan->values()->Get(static_cast<uoffset_t>(index)), note);
          ++argument;
        }
      }
    }
    ++method;
  }
}

}  // namespace pteedit
