#include "diff/weight_uses.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "program/constants.h"
#include "program/container_state.h"
#include "program/file_set.h"
#include "program/layout.h"
#include "program/lifetimes.h"
#include "program/value_words.h"

namespace pteedit {
namespace {

using flatbuffers::uoffset_t;

constexpr size_t kMost = 8;         // uses that are told of one weight
constexpr size_t kNameBytes = 100;  // of a method or operator

auto PlaceOf(Extent place) { return std::pair(place.offset, place.size); }

}  // namespace

WeightUses::WeightUses(const ProgramSet& set, const DiffSide& side, const std::vector<const DiffRow*>& rows)
    : counts_(rows.size()) {
  if (rows.empty()) return;
  FindRows(side, rows);
  if (HoldsProgram(set.file())) {
    FindValuesOfConstants(set);
    FindValuesOfKeys(set.program());
    std::ranges::sort(values_);
    AddCalls(set.program());
  }
  AddDelegates(side);
  std::ranges::stable_sort(uses_, {}, &Use::row);
}

Uses WeightUses::Of(size_t row) const {
  Uses uses;
  uses.count = counts_[row];
  const auto number = static_cast<uint32_t>(row);
  for (auto use = std::ranges::lower_bound(uses_, number, {}, &Use::row); use != uses_.end() && use->row == number;
       ++use)
    uses.first.push_back(texts_[use->text]);
  return uses;
}

void WeightUses::FindRows(const DiffSide& side, const std::vector<const DiffRow*>& rows) {
  for (uint32_t i = 0; i < rows.size(); ++i) {
    if (rows[i]->key_count == 0 && rows[i]->has_place()) places_.push_back({rows[i]->place, i});
    for (const NamedEntry* entry : side.KeysOf(*rows[i])) keys_.emplace_back(entry->key, i);
  }
  std::ranges::sort(places_, {}, [](const RowAtPlace& one) { return std::pair(PlaceOf(one.place), one.row); });
  std::ranges::sort(keys_);
}

template <class Take>
void WeightUses::ForEachRowOf(std::string_view key, Take take) const {
  auto found = std::ranges::lower_bound(keys_, std::pair(key, uint32_t{0}));
  for (; found != keys_.end() && found->first == key; ++found) take(found->second);
}

void WeightUses::FindValuesOfConstants(const ProgramSet& set) {
  if (places_.empty()) return;
  const uint64_t begin = set.file().program_extent().offset;
  for (const Constant& constant : CollectConstants(set.program())) {
    const Extent place{constant.extent.offset + begin, constant.extent.size};
    auto found =
        std::ranges::lower_bound(places_, PlaceOf(place), {}, [](const RowAtPlace& one) { return PlaceOf(one.place); });
    for (; found != places_.end() && found->place == place; ++found) {
      for (const ConstantUse& use : constant.uses) values_.push_back({use.method, use.value, found->row});
    }
  }
}

void WeightUses::FindValuesOfKeys(const Container& program) {
  const schema::Program& root = program.state().program_root();
  ForEachTensor(root, [&](size_t method, size_t value, const schema::Tensor& tensor) {
    if (StoreOf(root, tensor) != Store::kExternal) return;
    ForEachRowOf(ViewOf(tensor.extra_tensor_info()->fully_qualified_name()), [&](uint32_t row) {
      values_.push_back({static_cast<uint32_t>(method), static_cast<uint32_t>(value), row});
    });
  });
}

void WeightUses::AddCalls(const Container& program) {
  uint32_t method = 0;
  for (const schema::ExecutionPlan* plan : OrEmpty(program.state().program_root().execution_plan())) {
    const std::string_view name = BeginningOf(ViewOf(plan->name()), kNameBytes);
    std::map<std::pair<uoffset_t, size_t>, uint32_t> texts;  // by operator and argument
    for (const schema::Chain* chain : OrEmpty(plan->chains())) {
      for (const schema::Instruction* instruction : OrEmpty(chain->instructions())) {
        const auto* call = instruction->instr_args_as_KernelCall();
        if (call == nullptr) continue;
        const auto op = static_cast<uoffset_t>(call->op_index());
        size_t argument = 0;
        const auto note = [&](size_t value) {
          auto found = std::ranges::lower_bound(values_, RowOfValue{method, static_cast<uint32_t>(value), 0});
          for (; found != values_.end() && found->method == method && found->value == value; ++found) {
            const auto [text, is_new] = texts.try_emplace({op, argument});
            if (is_new)
              text->second = AddText(Text(name, ' ', BeginningOf(OperatorName(*plan->operators()->Get(op)), kNameBytes),
                                          " argument ", argument));
            Add(found->row, text->second);
          }
        };
        for (const int32_t index : OrEmpty(call->args())) {
          note(static_cast<size_t>(index));
          ForEachItemOf(*plan->values()->Get(static_cast<uoffset_t>(index)), note);
          ++argument;
        }
      }
    }
    ++method;
  }
}

void WeightUses::AddDelegates(const DiffSide& side) {
  for (const DiffDelegate& delegate : side.delegates) {
    const uint32_t text =
        AddText(Text(BeginningOf(delegate.method, kNameBytes), ' ', BeginningOf(delegate.name, kNameBytes)));
    for (const std::string_view key : delegate.keys) ForEachRowOf(key, [&](uint32_t row) { Add(row, text); });
  }
}

uint32_t WeightUses::AddText(std::string text) {
  texts_.emplace_back(std::move(text));
  return static_cast<uint32_t>(texts_.size() - 1);
}

void WeightUses::Add(uint32_t row, uint32_t text) {
  if (counts_[row]++ < kMost) uses_.push_back({row, text});
}

}  // namespace pteedit
