#include "strip/prune_plan.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/renumber.h"
#include "edit/value_refs.h"

namespace pteedit {
namespace {

template <class Field>
constexpr bool kIsIndex = std::is_same_v<std::decay_t<Field>, int32_t>;

// Calls visit(index) for each value that a reference names.
template <class Field, class Visit>
void ForEachIndex(const Field& field, Visit visit) {
  if constexpr (kIsIndex<Field>) {
    visit(static_cast<size_t>(field));
  } else {
    for (const auto index : field) {
      if (index >= 0) visit(static_cast<size_t>(index));
    }
  }
}

// Gives references their new numbers. What shared its bytes in the file still does.
class Renumbering {
 public:
  explicit Renumbering(std::vector<uint32_t> renumbered) : renumbered_(std::move(renumbered)) {}

  void operator()(int32_t& index) const { index = static_cast<int32_t>(renumbered_[static_cast<size_t>(index)]); }
  template <class T>
  void operator()(tables::Vector<T>& indices) {
    const auto [known, is_new] = ListsOf<T>().try_emplace({indices.data(), indices.size()});
    if (is_new) known->second = {indices, Renumbered(indices)};
    indices = known->second.after;
  }

 private:
  template <class T>
  struct List {
    tables::Vector<T> before;  // kept so that nothing else gets its address
    tables::Vector<T> after;
  };
  template <class T>
  using Lists = std::map<std::pair<const T*, size_t>, List<T>>;

  template <class T>
  Lists<T>& ListsOf() {
    return std::get<Lists<T>>(lists_);
  }

  template <class T>
  tables::Vector<T> Renumbered(const tables::Vector<T>& indices) const {
    if (!indices.present()) return indices;
    std::vector<T> changed;
    for (const T index : indices)
      changed.push_back(index < 0 ? index : static_cast<T>(renumbered_[static_cast<size_t>(index)]));
    return tables::Vector<T>::Own(std::move(changed));
  }

  std::vector<uint32_t> renumbered_;
  std::tuple<Lists<int32_t>, Lists<int64_t>> lists_;
};

template <class Call, class Visit>
void ForEachCall(const tables::ExecutionPlan& plan, Visit visit) {
  for (const tables::Chain& chain : plan.chains.items) {
    for (const tables::Instruction& instruction : chain.instructions.items) {
      if (const auto* call = std::get_if<Call>(&instruction.instr_args)) visit(*call);
    }
  }
}

template <class Call>
void RenumberCalls(tables::ExecutionPlan& plan, int32_t Call::*index, const std::vector<uint32_t>& renumbered) {
  for (tables::Chain& chain : plan.chains.items) {
    for (tables::Instruction& instruction : chain.instructions.items) {
      if (auto* call = std::get_if<Call>(&instruction.instr_args))
        call->*index = static_cast<int32_t>(renumbered[static_cast<size_t>(call->*index)]);
    }
  }
}

}  // namespace

std::vector<bool> NamedValues(tables::ExecutionPlan& plan, std::vector<bool> roots) {
  std::vector<bool> named(roots.size());
  std::vector<size_t> open;
  const auto name = [&](size_t value) {
    if (!named[value]) open.push_back(value);
    named[value] = true;
  };
  for (size_t i = 0; i < roots.size(); ++i) {
    if (roots[i]) name(i);
  }
  ForEachValueRef(plan, [&](const auto& field) { ForEachIndex(field, name); });
  while (!open.empty()) {
    const size_t value = open.back();
    open.pop_back();
    ForEachItemRef(plan.values.items[value], [&](const auto& items) { ForEachIndex(items, name); });
  }
  return named;
}

std::vector<bool> CalledOperators(const tables::ExecutionPlan& plan) {
  std::vector<bool> called(plan.operators.items.size());
  ForEachCall<tables::KernelCall>(plan, [&](const auto& call) { called[static_cast<size_t>(call.op_index)] = true; });
  return called;
}

std::vector<bool> CalledDelegates(const tables::ExecutionPlan& plan) {
  std::vector<bool> called(plan.delegates.items.size());
  ForEachCall<tables::DelegateCall>(plan,
                                    [&](const auto& call) { called[static_cast<size_t>(call.delegate_index)] = true; });
  return called;
}

std::vector<tables::EValue> KeepValues(tables::ExecutionPlan& plan, const std::vector<bool>& wanted) {
  std::vector<tables::EValue> gone = TakeOut(plan.values.items, wanted);
  Renumbering renumbering(Renumber(wanted));
  ForEachValueRef(plan, [&](auto& field) { renumbering(field); });
  for (tables::EValue& value : plan.values.items) {
    ForEachItemRef(value, [&](auto& items) { renumbering(items); });
  }
  return gone;
}

std::vector<tables::Operator> KeepOperators(tables::ExecutionPlan& plan, const std::vector<bool>& wanted) {
  RenumberCalls(plan, &tables::KernelCall::op_index, Renumber(wanted));
  return TakeOut(plan.operators.items, wanted);
}

std::vector<tables::BackendDelegate> KeepDelegates(tables::ExecutionPlan& plan, const std::vector<bool>& wanted) {
  RenumberCalls(plan, &tables::DelegateCall::delegate_index, Renumber(wanted));
  return TakeOut(plan.delegates.items, wanted);
}

}  // namespace pteedit
